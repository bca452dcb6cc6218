import DaybookStore

/// The first rule of a checklist: an item is met once a record of its tag has been seen.
struct ItemVerdict: Sendable, Hashable {
    enum State: String, Sendable { case waiting, ok, manual }

    var state: State
    /// Records that match; 0 for a manual item.
    var count: Int64 = 0
    /// Nanoseconds since 1970 of the latest match.
    var lastTime: Int64?

    init(_ item: ChecklistView.Item, _ summaries: [TagSummary]) {
        guard let pattern = item.pattern.map(SeenPattern.init) else {
            state = .manual
            return
        }
        for summary in summaries where pattern.matches(summary.tag) {
            count += summary.count
            lastTime = max(lastTime ?? summary.lastTime, summary.lastTime)
        }
        state = count > 0 ? .ok : .waiting
    }
}
