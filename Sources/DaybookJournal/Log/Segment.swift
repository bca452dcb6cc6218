import DaybookBase

/// One segment: its header, and where its frames are.
///
/// Safe to share; never changes.
final class Segment: Sendable {
    enum Storage: Sendable {
        /// Frames of an earlier launch's ring that no file has yet, with a header in front.
        case memory(SegmentImage)
        /// A file, read when needed. It is not mapped: a mapped page that the disk cannot deliver ends in a signal, a failed
        /// read in an error.
        case file(name: String)
    }

    let header: SegmentHeader
    let storage: Storage
    /// The context that the header tells.
    let context: JournalContext
    /// Set by the first reader that meets damage, so that it is counted once.
    let isDamageCounted = Atomic(false)

    init(header: SegmentHeader, storage: Storage) {
        self.header = header
        self.storage = storage
        context = JournalContext(stream: header.stream, version: header.contextVersion, bytes: header.context)
    }

    /// Whether no file has its frames.
    var isInMemory: Bool {
        if case .memory = storage { true } else { false }
    }

    var name: String {
        if case .file(let name) = storage { name } else { JournalFiles.segmentName(first: header.firstSequence) }
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

/// A file's bytes in memory: a segment's, or a ring's.
///
/// Safe to share: filled before anyone else has it, and only read afterwards.
package final class SegmentImage: Sendable {
    /// Sound: written in `init` alone, freed when the last reference goes.
    private nonisolated(unsafe) let memory: UnsafeMutableRawBufferPointer
    /// Whether every byte could be read.
    let isComplete: Bool

    /// No segment file is longer, in bytes.
    package static let longest = 8 << 20
    /// No ring's file is longer, in bytes.
    package static let longestRing = Ring.headerBytes + Ring.mostBytes

    /// Bytes of the file that were asked for; the memory behind them is zero up to the next boundary of 64.
    package let byteCount: Int

    package var start: UnsafeRawPointer { UnsafeRawPointer(memory.baseAddress.unsafelyUnwrapped) }

    package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<byteCount]) }

    deinit {
        memory.deallocate()
    }

    /// These bytes.
    init(_ bytes: [UInt8]) {
        memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(FrameLayout.aligned(bytes.count), FrameLayout.alignment), alignment: 4096)
        memory.initializeMemory(as: UInt8.self, repeating: 0)
        memory.copyBytes(from: bytes)
        byteCount = bytes.count
        isComplete = true
    }

    /// The first so many bytes of an image, or of nothing; zeros for what it lacks.
    convenience init(_ image: SegmentImage?, paddedTo byteCount: Int) {
        let bytes = image.map { Array($0.bytes.prefix(byteCount)) } ?? []
        self.init(bytes + [UInt8](repeating: 0, count: byteCount - bytes.count))
    }

    /// Reads a file of at most `limit` bytes. Parts that the disk cannot deliver stay zero, so that they look like
    /// lost frames; the rest is there.
    ///
    /// - Throws: when the file cannot be opened.
    package convenience init(path: String, limit: Int, files: any JournalFileSystem, failures: inout [JournalFileError])
        throws(JournalFileError)
    {
        let file = try files.open(path, .read)
        defer { files.close(file) }
        try self.init(file, limit: limit, files: files, failures: &failures)
    }

    /// The same of a file that is open.
    init(_ file: JournalFile, limit: Int, files: any JournalFileSystem, failures: inout [JournalFileError])
        throws(JournalFileError)
    {
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
