/// Judges a checklist over and over in sliding windows of time: what used to come and comes no more fails.
///
/// At every step a run begins, and it is judged when its window is over; the windows overlap. Pure: times come with
/// ``observe(_:at:)`` and with ``advance(to:)``. A value type without locks: one thread at a time.
public struct ChecklistWatch: Sendable {
    /// A window that is over.
    public struct Judgement: Sendable, Hashable {
        /// Nanoseconds since 1970: the window is from here …
        public var start: Int64
        /// … up to here.
        public var end: Int64
        public var verdicts: [ScenarioVerdict]
    }

    /// The most windows that are open at a time.
    public static let windowLimit = 100

    private let fresh: ChecklistRun
    private let window: Int64
    private let step: Int64
    private var open: [(start: Int64, run: ChecklistRun)]

    /// Begins to watch.
    ///
    /// - Parameters:
    ///   - run: a run that has seen nothing: the scenarios and the persona to watch.
    ///   - start: when the first window begins, in nanoseconds since 1970.
    ///   - window: how long a window is, in nanoseconds; at least 1.
    ///   - step: how far apart windows begin, in nanoseconds; at least a hundredth of the window, at most the window.
    public init(_ run: ChecklistRun, from start: Int64, window: Int64, step: Int64) {
        fresh = run
        self.window = max(1, window)
        self.step = min(self.window, max(step, (self.window + 99) / Int64(Self.windowLimit), 1))
        open = [(start, run)]
    }

    /// Goes on to a time; the windows that are over by then, oldest first.
    ///
    /// Over a gap of many windows without a record, those that lie wholly in the gap are judged once, as the last of them.
    public mutating func advance(to time: Int64) -> [Judgement] {
        var over: [Judgement] = []
        while let first = open.first, time &- first.start >= window {
            over.append(
                Judgement(start: first.start, end: first.start &+ window, verdicts: first.run.verdicts(finished: true)))
            open.removeFirst()
            if open.isEmpty {
                // The windows that have begun since then have seen nothing, and are alike.
                let skipped = max(0, (time &- first.start &- window) / step)
                if skipped > 0 {
                    let start = first.start &+ step &* skipped
                    over.append(
                        Judgement(start: start, end: start &+ window, verdicts: fresh.verdicts(finished: true)))
                }
                open.append((first.start &+ step &* (skipped + 1), fresh))
            }
        }
        while let last = open.last, time &- last.start >= step, open.count < Self.windowLimit {
            open.append((last.start &+ step, fresh))
        }
        return over
    }

    /// Takes the next record, which is part of every open window; the windows that are over by then.
    /// - Parameter time: when it came, in nanoseconds since 1970. A record's own time is its device's, and may be any.
    public mutating func observe(_ record: some ChecklistRecord, at time: Int64) -> [Judgement] {
        let over = advance(to: time)
        for index in open.indices { open[index].run.observe(record) }
        return over
    }
}
