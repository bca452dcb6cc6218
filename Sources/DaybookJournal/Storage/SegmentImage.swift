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
