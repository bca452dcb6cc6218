import DaybookBase

/// Thread-safe: immutable but for the flag.
final class Segment: Sendable {
    enum Storage: Sendable {
        /// A header and frames that no file has: from an earlier launch's ring, or from a file that was lost.
        case memory(SegmentImage)
        /// Read when needed, not mapped: a page that the disk cannot deliver would raise a signal, a failed read is an
        /// error.
        case file(name: String)
    }

    let header: SegmentHeader
    let storage: Storage
    let context: JournalContext
    let isDamageCounted = Atomic(false)

    init(header: SegmentHeader, storage: Storage) {
        self.header = header
        self.storage = storage
        context = JournalContext(stream: header.stream, version: header.contextVersion, bytes: header.context)
    }

    var isInMemory: Bool {
        if case .memory = storage { true } else { false }
    }

    var name: String {
        if case .file(let name) = storage { name } else { JournalFiles.segmentName(first: header.firstSequence) }
    }
}

/// The bytes given to `updateContext` at some time. Immutable. Contexts with equal stream and version have equal bytes.
public final class JournalContext: Sendable {
    public let stream: JournalStream
    /// Counts one launch's changes, from 1.
    public let version: UInt32
    public let bytes: [UInt8]

    init(stream: JournalStream, version: UInt32, bytes: [UInt8]) {
        self.stream = stream
        self.version = version
        self.bytes = bytes
    }
}

/// A segment's or ring's file in memory. Thread-safe: written only during initialisation.
package final class SegmentImage: Sendable {
    /// Sound: written in `init` only, freed with the last reference.
    private nonisolated(unsafe) let memory: UnsafeMutableRawBufferPointer
    let isComplete: Bool

    package static let longest = 8 << 20
    package static let longestRing = Ring.headerBytes + Ring.mostBytes

    /// Bytes requested of the file. The memory is zero from there to the next multiple of 64.
    package let byteCount: Int

    package var start: UnsafeRawPointer { UnsafeRawPointer(memory.baseAddress.unsafelyUnwrapped) }

    package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<byteCount]) }

    deinit {
        memory.deallocate()
    }

    init(_ bytes: [UInt8]) {
        memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(FrameLayout.aligned(bytes.count), FrameLayout.alignment), alignment: 4096)
        memory.initializeMemory(as: UInt8.self, repeating: 0)
        memory.copyBytes(from: bytes)
        byteCount = bytes.count
        isComplete = true
    }

    /// The first bytes of an image, padded with zeros.
    convenience init(_ image: SegmentImage?, paddedTo byteCount: Int) {
        let bytes = image.map { Array($0.bytes.prefix(byteCount)) } ?? []
        self.init(bytes + [UInt8](repeating: 0, count: byteCount - bytes.count))
    }

    /// Reads at most `limit` bytes of a file. Unreadable pages stay zero, so that they look like lost frames.
    ///
    /// - Throws: If the file cannot be opened or its size is unknown.
    package convenience init(path: String, limit: Int, files: any JournalFileSystem, failures: inout [JournalFileError])
        throws(JournalFileError)
    {
        let file = try files.open(path, .read)
        defer { files.close(file) }
        try self.init(file, limit: limit, files: files, failures: &failures)
    }

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
            // A bad sector spoils its page, not the file: read each page alone.
            for offset in stride(from: 0, to: size, by: 4096) {
                let page = UnsafeMutableRawBufferPointer(rebasing: whole[offset..<min(offset + 4096, size)])
                if (try? files.readAll(file, into: page, at: offset)) == nil {
                    page.initializeMemory(as: UInt8.self, repeating: 0)
                }
            }
        }
    }
}
