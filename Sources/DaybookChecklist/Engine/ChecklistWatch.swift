/// Judges a checklist repeatedly in sliding time windows: an event that stops coming fails.
///
/// A run begins at every step and is judged when its window ends; windows overlap. Pure: times come from
/// ``observe(_:at:)`` and ``advance(to:)``. A value type without locks: one thread at a time.
public struct ChecklistWatch: Sendable {
    /// A finished window.
    public struct Judgement: Sendable, Hashable {
        /// The start of the window, in nanoseconds since 1970.
        public var start: Int64
        /// The end of the window.
        public var end: Int64
        public var verdicts: [ScenarioVerdict]
    }

    /// The most open windows.
    public static let windowLimit = 100

    private let fresh: ChecklistRun
    private let window: Int64
    private let step: Int64
    private var open: [(start: Int64, run: ChecklistRun)]

    /// Begins watching.
    ///
    /// - Parameters:
    ///   - run: a run without records yet, with the scenarios and persona to watch.
    ///   - start: when the first window begins, in nanoseconds since 1970.
    ///   - window: the length of a window, in nanoseconds; at least 1.
    ///   - step: the distance between windows, in nanoseconds; at least a hundredth of the window, at most the window.
    public init(_ run: ChecklistRun, from start: Int64, window: Int64, step: Int64) {
        var run = run
        run.isWindow = true
        fresh = run
        self.window = max(1, window)
        self.step = min(self.window, max(step, (self.window + 99) / Int64(Self.windowLimit), 1))
        open = [(start, run)]
    }

    /// Advances to a time, and returns the windows that have ended by then, oldest first.
    ///
    /// Windows that lie wholly in a gap without records are judged once, as the last of them.
    public mutating func advance(to time: Int64) -> [Judgement] {
        var over: [Judgement] = []
        while let first = open.first, time &- first.start >= window {
            over.append(
                Judgement(start: first.start, end: first.start &+ window, verdicts: first.run.verdicts(finished: true)))
            open.removeFirst()
            if open.isEmpty {
                // All windows begun since then are empty and equal.
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

    /// Adds the next record to every open window, and returns the windows that have ended by then.
    /// - Parameter time: when it arrived, in nanoseconds since 1970. A record's own time comes from its device, and may
    ///   be anything.
    public mutating func observe(_ record: some ChecklistRecord, at time: Int64) -> [Judgement] {
        observe(record, at: time) { record.value(of: $0)?.isMasked ?? false }
    }

    /// As ``observe(_:at:)``, for a record that hides values from readers; see ``ChecklistRun/observe(_:hides:)``.
    package mutating func observe(
        _ record: some ChecklistRecord, at time: Int64, hides: (_ column: String) -> Bool
    ) -> [Judgement] {
        let over = advance(to: time)
        for index in open.indices { open[index].run.observe(record, hides: hides) }
        return over
    }
}
