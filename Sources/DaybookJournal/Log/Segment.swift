import DaybookBase

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

/// A segment file's bytes in memory.
///
/// Safe to share: filled before anyone else has it, and only read afterwards.
final class SegmentImage: Sendable {
    /// Sound: written in `init` alone, freed when the last reference goes.
    private nonisolated(unsafe) let memory: UnsafeMutableRawBufferPointer
    /// Whether every byte could be read.
    let isComplete: Bool

    /// Bytes of the file; the memory behind them is zero up to the next boundary of 64.
    private let byteCount: Int

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<byteCount]) }

    deinit {
        memory.deallocate()
    }

    /// Reads a file of at most `limit` bytes. Parts that the disk cannot deliver stay zero, so that they look like
    /// lost frames; the rest is there.
    ///
    /// - Throws: when the file cannot be opened.
    init(path: String, limit: Int, files: any JournalFileSystem, failures: inout [JournalFileError])
        throws(JournalFileError)
    {
        let file = try files.open(path, .read)
        defer { files.close(file) }
        let size = min(try files.size(file), limit)
        memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(FrameLayout.aligned(size), FrameLayout.alignment), alignment: 4096)
        byteCount = size
        let whole = UnsafeMutableRawBufferPointer(rebasing: memory[..<size])
        do throws(JournalFileError) {
            let count = try files.readAll(file, into: whole, at: 0)
            isComplete = count == size
            UnsafeMutableRawBufferPointer(rebasing: memory[count...]).initializeMemory(as: UInt8.self, repeating: 0)
        } catch {
            memory.initializeMemory(as: UInt8.self, repeating: 0)
            failures.append(error)
            isComplete = false
            // A bad sector spoils its page, not the file: try each on its own.
            for offset in stride(from: 0, to: size, by: 4096) {
                let page = UnsafeMutableRawBufferPointer(rebasing: whole[offset..<min(offset + 4096, size)])
                if (try? files.readAll(file, into: page, at: offset)) == nil {
                    page.initializeMemory(as: UInt8.self, repeating: 0)
                }
            }
        }
    }
}
