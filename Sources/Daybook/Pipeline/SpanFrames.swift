import DaybookJournal

extension FrameFlags {
    /// Tells that a span has ended of which nothing is to be sent: not a record, but no longer open.
    static let spanDropped: FrameFlags = [.spanStart, .spanEnd]

    /// Whether the payload is a span, begun or ended.
    var isSpan: Bool { !isDisjoint(with: [.spanStart, .spanEnd]) }
}
