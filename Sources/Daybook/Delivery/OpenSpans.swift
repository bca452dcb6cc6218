import DaybookJournal

/// The spans that earlier launches began and did not end. Pure but for `finish`: it is shown their frames, in order.
///
/// A span is closed by any frame that tells its end: the span itself, a note that a filter dropped it, or what an
/// earlier recovery has made of it.
struct OpenSpans {
    /// So many sequences of earlier launches are looked at: what a launch that starts has time for.
    private static let reach: UInt64 = 65_536

    /// So many frames are appended at a time, so that log calls wait for none of it long.
    private static let portion = 64

    /// Records the spans that earlier launches left open, each in the context of its own launch. What a death in
    /// between leaves undone the next launch does.
    /// - Parameter outputs: The places of the outputs that may get them.
    static func finish(in journal: Journal, for outputs: UInt64) {
        guard outputs != 0, journal.openedAt > 0 else { return }
        var spans = OpenSpans()
        let after = journal.openedAt - min(journal.openedAt, reach)
        journal.read(after: after) { frame in
            guard frame.sequence <= journal.openedAt else { return false }
            spans.see(frame)
            return true
        }
        let copies = spans.finished(for: outputs)
        for first in stride(from: 0, to: copies.count, by: portion) {
            // What is added to a start may make it longer than a record may be.
            journal.append(Array(copies[first..<min(copies.count, first + portion)]), beyond: 256)
        }
    }

    private struct Span {
        let sequence: UInt64
        let start: Int64
        let mask: UInt64
        let flags: FrameFlags
        let launch: JournalStream
        let context: [UInt8]
        let isContextUnknown: Bool
        let payload: [UInt8]
    }

    private var open: [SpanContext: Span] = [:]
    /// The time of the last record of each launch.
    private var lastSeen: [JournalStream: Int64] = [:]

    /// Takes note of a frame, whoever it is for.
    private mutating func see(_ frame: FrameView) {
        let launch = frame.origin?.stream ?? frame.stream
        guard frame.flags.isSpan else {
            if let time = RecordOutline.time(ofLog: frame.payload) { lastSeen[launch] = time }
            return
        }
        guard let span = RecordOutline(span: frame.payload) else { return }
        if let time = span.end ?? span.start { lastSeen[launch] = time }
        guard !frame.flags.contains(.spanEnd) else {
            open[span.context] = nil
            return
        }
        open[span.context] = Span(
            sequence: frame.sequence, start: span.start ?? 0, mask: frame.mask, flags: frame.flags, launch: launch,
            context: frame.context.bytes, isContextUnknown: frame.contextUnknown, payload: Array(frame.payload))
    }

    /// The spans that are open, ended with the last that is known of their launches, in the order they began.
    /// - Parameter outputs: The places of the outputs that may get them.
    private func finished(for outputs: UInt64) -> [FrameCopy] {
        open.values.ordered { $0.sequence < $1.sequence }.compactMap { span in
            let mask = span.mask & outputs
            guard mask != 0 else { return nil }
            let end = max(span.start, lastSeen[span.launch] ?? span.start)
            return FrameCopy(
                mask: mask, flags: span.flags.subtracting(.spanStart).union(.spanEnd), context: span.context,
                payload: span.payload + SpanEncoder.unfinished(end: end, isContextUnknown: span.isContextUnknown))
        }
    }
}

extension FrameFlags {
    /// Tells that a span has ended of which nothing is to be sent: not a record, but no longer open.
    static let spanDropped = FrameFlags.spanStart.union(.spanEnd)

    /// Whether the payload is a span that has begun.
    var isStart: Bool { contains(.spanStart) && !contains(.spanEnd) }

    /// Whether the payload is a span, begun or ended.
    var isSpan: Bool { !isDisjoint(with: .spanStart.union(.spanEnd)) }
}
