import DaybookBase

/// A stretch of memory that frames are written to: a file's mapping, or plain memory where there is no disk.
///
/// Safe to share: the fields never change. What lies in the memory is ordered by the frames' length words, and by the
/// rule that only a region with a single owner is used again.
final class Region: Sendable {
    /// Sound: the address never changes, and the memory is unmapped only when the last reference goes.
    nonisolated(unsafe) let base: UnsafeMutableRawPointer
    let byteCount: Int
    /// `nil` for plain memory.
    let file: JournalFile?
    private let files: any JournalFileSystem

    private init(base: UnsafeMutableRawPointer, byteCount: Int, file: JournalFile?, files: any JournalFileSystem) {
        self.base = base
        self.byteCount = byteCount
        self.file = file
        self.files = files
    }

    deinit {
        if let file {
            files.unmap(base, bytes: byteCount)
            files.close(file)
        } else {
            base.deallocate()
        }
    }

    /// A new, fully allocated file, mapped, synced, and with every page touched (a cold page costs its first writer
    /// several times a whole frame).
    ///
    /// - Throws: what the file system refused; the file is removed again.
    static func make(at path: String, byteCount: Int, files: any JournalFileSystem) throws(JournalFileError) -> Region {
        let file = try files.open(path, .readWriteEmptied)
        do {
            try files.allocate(file, bytes: byteCount)
            try files.sync(file, .barrier)
            try files.zero(file, bytes: byteCount)
            let base = try files.map(file, bytes: byteCount)
            let region = Region(base: base, byteCount: byteCount, file: file, files: files)
            region.touchPages()
            return region
        } catch {
            files.close(file)
            try? files.remove(path)  // already failing; an open removes what is left
            throw error
        }
    }

    /// Zeroed memory of this size.
    static func inMemory(byteCount: Int, files: any JournalFileSystem) -> Region {
        let base = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: pageBytes)
        base.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
        return Region(base: base, byteCount: byteCount, file: nil, files: files)
    }

    /// Makes a file's region as new, with every page writable. Only its single owner may call this.
    func clear() throws(JournalFileError) {
        guard let file else { return }
        try files.zero(file, bytes: byteCount)
        touchPages()
    }

    private static let pageBytes = 4096

    private func touchPages() {
        for offset in stride(from: 0, to: byteCount, by: Self.pageBytes) {
            base.storeBytes(of: 0, toByteOffset: offset, as: UInt8.self)
        }
    }

    /// Takes the fault of the first store into a page that was synced, so that no writer takes it under the journal's lock:
    /// the system may let it wait for its own journal.
    ///
    /// Sound while others write and read: `offset` is where a frame starts or will start, whose length word is accessed
    /// atomically by everyone, and is not changed.
    func makeWritable(atFrame offset: Int) {
        (base + offset).touchLength()
    }

    func write(_ bytes: [UInt8], at offset: Int) {
        bytes.withUnsafeBytes {
            (base + offset).copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(base), byteCount: $0.count)
        }
    }
}
