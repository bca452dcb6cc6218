/// Buckets with clock and calendar widths, at round times (UTC). They stay fixed while records arrive; from a minute
/// on, the store's counts can answer them.
struct HistogramScale: Equatable {
    private static let second: Int64 = 1_000_000_000
    private static let minute = 60 * second
    private static let hour = 60 * minute
    private static let day = 24 * hour

    /// Nanoseconds, ascending.
    private static let widths: [Int64] =
        [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000].flatMap { [$0, 2 * $0, 5 * $0] }
        + [1, 2, 5, 10, 15, 30].map { $0 * second } + [1, 2, 5, 10, 15, 30].map { $0 * minute }
        + [1, 2, 3, 6, 12].map { $0 * hour } + [1, 2, 7, 14, 28, 91, 182, 364, 728, 1_820, 3_640].map { $0 * day }

    /// Nanoseconds since 1970.
    let start: Int64
    /// Nanoseconds.
    let width: Int64
    let count: Int

    /// The narrowest buckets that cover the times; equal parts if no listed width does.
    /// - Parameters:
    ///   - times: Nanoseconds since 1970; the range must be shorter than `Int64`'s.
    ///   - most: Most buckets, at least 1.
    init(_ times: ClosedRange<Int64>, most: Int) {
        for width in Self.widths {
            let first = Self.number(of: times.lowerBound, width)
            let count = Self.number(of: times.upperBound, width) - first + 1
            let (start, overflows) = first.multipliedReportingOverflow(by: width)
            guard count <= most, !overflows else { continue }
            self.init(start: start, width: width, count: Int(count))
            return
        }
        let width = (times.upperBound - times.lowerBound) / Int64(most) + 1
        self.init(start: times.lowerBound, width: width, count: most)
    }

    private init(start: Int64, width: Int64, count: Int) {
        self.start = start
        self.width = width
        self.count = count
    }

    /// Rounds down, also before 1970.
    private static func number(of time: Int64, _ width: Int64) -> Int64 {
        time / width - (time % width < 0 ? 1 : 0)
    }
}
