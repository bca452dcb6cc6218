import DaybookJournal

extension DrainLoop {
    /// So many frames are appended at a time, so that log calls wait for none of it long.
    private static let portion = 64

    /// Records the spans that earlier launches left open, each in the context of its own launch. What a death in
    /// between leaves undone the next launch does.
    func recoverOpenSpans() {
        guard !lanes.isEmpty, journal.openedAt > 0 else { return }
        var spans = OpenSpans()
        let after = journal.openedAt - min(journal.openedAt, OpenSpans.reach)
        journal.read(after: after) { frame in
            guard frame.sequence <= journal.openedAt else { return false }
            spans.see(frame)
            return true
        }
        let outputs = lanes.reduce(UInt64(0)) { $0 | 1 << UInt64($1.index) }
        let copies = spans.finished(for: outputs)
        for first in stride(from: 0, to: copies.count, by: Self.portion) {
            // What is added to a start may make it longer than a record may be.
            journal.append(Array(copies[first..<min(copies.count, first + Self.portion)]), beyond: 256)
        }
    }
}
