import Synchronization

/// One segment: its header, and where its frames are.
///
/// Safe to share. The writer alone seals it, once.
final class Segment: Sendable {
    enum Storage: Sendable {
        /// Mapped or plain memory of this process.
        case region(Region)
        /// A file, read when needed. Recovered segments are read and not mapped: a mapped page that the disk cannot
        /// deliver ends in a signal, a failed read in an error.
        case file(name: String, byteCount: Int)
    }

    let header: SegmentHeader
    let storage: Storage
    /// The context that the header tells.
    let context: JournalContext
    /// Offset behind the last frame once no more come; -1 while the writer is here.
    private let sealedEnd: Atomic<Int>
    /// Set by the first reader that meets damage, so that it is counted once.
    let isDamageCounted: Atomic<Bool>

    init(header: SegmentHeader, storage: Storage, sealedEnd: Int? = nil, isDamageCounted: Bool = false) {
        self.header = header
        self.storage = storage
        self.sealedEnd = Atomic(sealedEnd ?? -1)
        self.isDamageCounted = Atomic(isDamageCounted)
        context = JournalContext(stream: header.stream, version: header.contextVersion, bytes: header.context)
    }

    var region: Region? {
        if case .region(let region) = storage { region } else { nil }
    }

    /// Whether its frames would not survive a kill.
    var isInMemory: Bool { region.map { $0.file == nil } ?? false }

    /// Bytes on disk.
    var fileBytes: Int {
        switch storage {
        case .region(let region): region.file == nil ? 0 : region.byteCount
        case .file(_, let byteCount): byteCount
        }
    }

    var name: String {
        if case .file(let name, _) = storage { name } else { JournalFiles.segmentName(first: header.firstSequence) }
    }

    var end: Int? {
        let end = sealedEnd.load(ordering: .acquiring)
        return end < 0 ? nil : end
    }

    func seal(at end: Int) {
        sealedEnd.store(end, ordering: .releasing)
    }
}

/// A context as it was at some time: the bytes that `updateContext` was given.
///
/// Safe to share; never changes. Two contexts with the same stream and version have the same bytes.
public final class JournalContext: Sendable {
    public let stream: JournalStream
    /// Counts the changes within one launch, from 1.
    public let version: UInt32
    public let bytes: [UInt8]

    init(stream: JournalStream, version: UInt32, bytes: [UInt8]) {
        self.stream = stream
        self.version = version
        self.bytes = bytes
    }
}
