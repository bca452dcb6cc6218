import DaybookJournal

/// A frame's content, kept.
package struct Seen: Equatable, Sendable {
    package var sequence: UInt64
    package var mask: UInt64
    package var payload: [UInt8]
    package var context: [UInt8]
    package var contextUnknown: Bool
    package var stream: JournalStream

    package init(
        sequence: UInt64, mask: UInt64, payload: [UInt8], context: [UInt8], contextUnknown: Bool, stream: JournalStream
    ) {
        self.sequence = sequence
        self.mask = mask
        self.payload = payload
        self.context = context
        self.contextUnknown = contextUnknown
        self.stream = stream
    }

    package var text: String { String(decoding: payload, as: UTF8.self) }
    package var contextText: String { String(decoding: context, as: UTF8.self) }
}

extension Journal {
    /// All frames after a sequence, for one output or for all.
    package func all(after sequence: UInt64 = 0, output: Int? = nil) -> [Seen] {
        var seen: [Seen] = []
        var position = sequence
        while true {
            let progress = read(after: position, output: output, limitFrames: 1000) { frame in
                seen.append(
                    Seen(
                        sequence: frame.sequence, mask: frame.mask, payload: Array(frame.payload),
                        context: frame.context.bytes, contextUnknown: frame.contextUnknown, stream: frame.stream))
                return true
            }
            // Left frames are visited again.
            if progress.reachedEnd { return seen }
            seen.removeAll { $0.sequence > progress.through }
            position = progress.through
        }
    }

    @discardableResult
    package func log(_ text: String, mask: UInt64 = 1) -> Appended {
        append(mask: mask, flags: .record, payload: Array(text.utf8))
    }
}

/// Small segments, so that little data makes several.
package func smallOptions(cap: Int = 1 << 20, spares: Int = 1) -> JournalOptions {
    var options = JournalOptions()
    options.segmentBytes = 64 << 10
    options.capBytes = cap
    options.maximumFrameBytes = 16 << 10
    options.spareSegments = spares
    return options
}
