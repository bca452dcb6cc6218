import DaybookStore
import Testing

@testable import DaybookCollector
@testable import DaybookDatabases

@Suite struct KnownStreamsTests {
    private func intervals(_ bounds: ClosedRange<UInt64>...) -> IntervalSet {
        IntervalSet(bounds.map { .init(after: $0.lowerBound, through: $0.upperBound) })
    }

    @Test("Joins settled intervals of a stream") func joinsSettledIntervals() {
        var known = KnownStreams()
        known.add(["s": intervals(0...10), "t": intervals(5...6)])
        known.add(["s": intervals(10...20, 30...40)])
        #expect(known.settled == ["s": intervals(0...20, 30...40), "t": intervals(5...6)])
    }

    @Test("At its limit, the cache keeps the most recent streams") func fullMemoryKeepsLatest() {
        var known = KnownStreams(limit: 3)
        known.add(["s": intervals(0...1, 2...3)])
        known.add(["t": intervals(0...1)])
        #expect(known.settled.count == 2)
        known.add(["u": intervals(0...1)])
        #expect(known.settled == ["u": intervals(0...1)])
        known.add(["v": intervals(0...1, 2...3)])
        #expect(known.settled.count == 2)
    }
}
