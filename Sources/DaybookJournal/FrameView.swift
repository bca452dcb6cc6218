/// One frame as a reader sees it. The payload is borrowed: it is valid during the visit alone.
public struct FrameView {
    public let sequence: UInt64
    public let flags: FrameFlags
    /// The outputs the frame is for, by their place in the *present* list of outputs, whatever the list was when the
    /// frame was written.
    public let mask: UInt64
    public let payload: UnsafeRawBufferPointer
    /// The context in force when the frame was written. Compare `stream` and `version` to see whether it changed.
    public let context: JournalContext
    /// Whether that context is lost; `context` then has no bytes.
    public let contextUnknown: Bool
    /// The launch that wrote the frame. What deduplicates compares sequences within one stream only.
    public let stream: JournalStream
    /// Set if the frame was taken over from a dead writer's journal. `stream` and `sequence` name it in this journal;
    /// that writer may have sent it under this name before it died.
    public let origin: FrameOrigin?

    /// The name that the frame has for life: where it was first written.
    public var name: FrameOrigin { origin ?? FrameOrigin(stream: stream, sequence: sequence) }
}

/// How far a read came.
public struct ReadProgress: Sendable, Equatable {
    /// Everything up to and with this sequence was visited, or was for others, or is not there. Once what was visited
    /// is done with, the output's cursor may advance to it.
    public var through: UInt64
    /// Frames visited and not left, and their payload bytes.
    public var frames = 0
    public var bytes = 0
    /// Whether there was nothing more; otherwise a limit, the visitor or the end of a stream stopped the read.
    public var reachedEnd = false
}
