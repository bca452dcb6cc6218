import DaybookJournal

/// A frame's content, kept.
struct Seen: Equatable {
    var sequence: UInt64
    var mask: UInt64
    var payload: [UInt8]
    var context: [UInt8]
    var contextUnknown: Bool
    var stream: JournalStream

    var text: String { String(decoding: payload, as: UTF8.self) }
    var contextText: String { String(decoding: context, as: UTF8.self) }
}

extension Journal {
    /// All frames after a sequence, for one output or for all.
    func all(after sequence: UInt64 = 0, output: Int? = nil) -> [Seen] {
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
    func log(_ text: String, mask: UInt64 = 1) -> Appended {
        append(mask: mask, flags: .record, payload: Array(text.utf8))
    }
}

/// Small segments, so that little data makes several.
func smallOptions(cap: Int = 1 << 20, spares: Int = 1) -> JournalOptions {
    var options = JournalOptions()
    options.segmentBytes = 64 << 10
    options.capBytes = cap
    options.maximumFrameBytes = 16 << 10
    options.spareSegments = spares
    return options
}
