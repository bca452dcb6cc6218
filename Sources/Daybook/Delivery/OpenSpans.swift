import DaybookJournal

/// Spans that earlier launches began and did not end. Pure but for `finish`: it is given their frames in order.
///
/// Any frame that tells a span's end closes it: the span itself, a note that a filter dropped it, or what an earlier
/// recovery recorded.
struct OpenSpans {
    /// Bounds the frames read at launch.
    private static let reach: UInt64 = 65_536

    /// Frames appended at a time, so that log calls do not wait long.
    private static let portion = 64

    /// Records the open spans of earlier launches as unfinished, each in its own launch's context. If the process dies
    /// meanwhile, the next launch does the rest.
    /// - Parameter outputs: The bits of the outputs that may get them.
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
            // What is added to a start may exceed the length limit of a record.
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

    /// The open spans, ended with their launch's last known time, in the order they began.
    /// - Parameter outputs: The bits of the outputs that may get them.
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
    /// The span has ended and nothing is sent: not a record, but no longer open.
    static let spanDropped = FrameFlags.spanStart.union(.spanEnd)

    var isStart: Bool { contains(.spanStart) && !contains(.spanEnd) }

    /// Whether the payload is a span, started or ended.
    var isSpan: Bool { !isDisjoint(with: .spanStart.union(.spanEnd)) }
}
