/// How slow this machine is now. Targets in units of time are for a machine where the limit, the call table's C row,
/// takes 28 ns; other targets are ratios.
struct Scale {
    private static let referenceLimit = 28.0
    private let limit: Double

    init(limit: Double) { self.limit = limit }

    /// How many times slower this machine is than the reference.
    var factor: Double { limit / Self.referenceLimit }

    var text: String {
        """

        The limit takes \(limit.text(1)) ns here, \(factor.text(2)) times as long as on the machine that the targets in time
        and in records a second were set for (28 ns): they are multiplied by that, and stand as they were set in brackets.
        """
    }

    /// An upper limit in nanoseconds, scaled to this machine.
    func most(_ nanoseconds: Double) -> Double { nanoseconds * factor }

    /// A lower limit per second, scaled to this machine.
    func least(_ perSecond: Double) -> Double { perSecond / factor }

    /// "≤ 420 ns (150)".
    func most(_ nanoseconds: Double, in unit: Unit) -> String {
        "≤ \((most(nanoseconds) / unit.nanoseconds).text(0)) \(unit.name) (\((nanoseconds / unit.nanoseconds).text(0)))"
    }

    /// "≥ 357 k/s (1000)".
    func leastThousands(_ perSecond: Double) -> String {
        "≥ \((least(perSecond) / 1000).text(0)) k/s (\((perSecond / 1000).text(0)))"
    }

    struct Unit {
        let name: String
        let nanoseconds: Double

        static let nanosecond = Unit(name: "ns", nanoseconds: 1)
        static let millisecond = Unit(name: "ms", nanoseconds: 1e6)
    }
}
