import DaybookStore

/// What streams are known to have settled, so that what comes again is known without asking. Pure.
///
/// It is never more than the truth, for what is settled stays settled; and it may be less: other collectors settle too,
/// and a full memory is forgotten.
struct KnownStreams {
    /// Intervals at most: with names of 50 bytes some 10 MB.
    private let limit: Int
    private var count = 0
    private(set) var settled: [String: IntervalSet] = [:]

    init(limit: Int = 50_000) { self.limit = limit }

    mutating func add(_ streams: [String: IntervalSet]) {
        for (stream, intervals) in streams {
            var known = settled[stream] ?? IntervalSet()
            count -= known.intervals.count
            for interval in intervals.intervals { known.insert(interval) }
            count += known.intervals.count
            settled[stream] = known
        }
        guard count > limit else { return }
        settled = streams
        count = streams.values.reduce(0) { $0 + $1.intervals.count }
    }
}
