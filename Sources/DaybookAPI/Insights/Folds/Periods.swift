import DaybookBase

/// Days or weeks in a zone, numbered.
struct Periods {
    private let zone: Int64
    private let isWeek: Bool

    /// `nil` for an insight that is not divided by time.
    init?(_ insight: Insight) {
        guard let period = insight.period else { return nil }
        zone = Int64(insight.zone) * 1_000_000_000
        isWeek = period == .week
    }

    /// As the statement computes it.
    func number(of time: Int64) -> Int32 {
        let day = (time + zone) / Insight.nanosecondsOfDay
        // 1970 began on a Thursday.
        return Int32(truncatingIfNeeded: isWeek ? (day + 3) / 7 : day)
    }

    /// The date of a day, or of a week's first day: `2026-11-23`.
    func date(_ number: Int32) -> String {
        let day = isWeek ? Int64(number) * 7 - 3 : Int64(number)
        return String(Timestamp(nanoseconds: day * Insight.nanosecondsOfDay).rfc3339(fractionDigits: 0).prefix(10))
    }
}
