/// Where a frame stood before this journal took it over from a dead writer's: its name for life.
public struct FrameOrigin: Hashable, Sendable {
    public let stream: JournalStream
    public let sequence: UInt64

    static let byteCount = 32

    package init(stream: JournalStream, sequence: UInt64) {
        self.stream = stream
        self.sequence = sequence
    }

    /// What an `adopted` frame's payload begins with.
    package func encoded() -> [UInt8] {
        var out = ByteWriter()
        out.put(stream.journal)
        out.put(stream.epoch)
        out.put(sequence)
        return out.bytes
    }

    /// The origin at the front of an adopted frame's payload, and the payload behind it.
    static func split(_ payload: UnsafeRawBufferPointer, _ flags: FrameFlags)
        -> (origin: FrameOrigin?, payload: UnsafeRawBufferPointer)
    {
        var input = ByteReader(payload)
        guard flags.contains(.adopted), let journal = input.takeID(), let epoch = input.take(UInt64.self),
            let sequence = input.take(UInt64.self)
        else { return (nil, payload) }
        let origin = FrameOrigin(stream: JournalStream(journal: journal, epoch: epoch), sequence: sequence)
        return (origin, UnsafeRawBufferPointer(rebasing: payload[byteCount...]))
    }
}
