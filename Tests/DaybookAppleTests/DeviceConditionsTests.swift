import Daybook
import DaybookApple
import Testing

@Suite struct DeviceConditionsTests {
    private let wifi = NetworkConditions(isOffline: false, isExpensive: false, isConstrained: false)

    @Test("Nothing is reported before network and power are known") func waitsForBothConditions() {
        var known = KnownConditions()
        #expect(known.news() == nil)
        known.isLowPower = true
        #expect(known.news() == nil)
        known.network = wifi
        #expect(known.news() == .lowPower)
    }

    @Test("Each change of conditions is reported once") func reportsEachChangeOnce() {
        var known = KnownConditions()
        known.network = wifi
        known.isLowPower = false
        #expect(known.news() == [])
        #expect(known.news() == nil)
        known.network?.isExpensive = true
        known.network?.isConstrained = true
        #expect(known.news() == [.expensive, .constrained])
        known.network = NetworkConditions(isOffline: true, isExpensive: false, isConstrained: false)
        #expect(known.news() == .offline)
        known.network = wifi
        #expect(known.news() == [])
    }
}
