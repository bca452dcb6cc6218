import DaybookJournal

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Lines at the end of a file that gives way to a new one when it is full or old. Not shared: one caller at a time.
///
/// Every line begins with a look at what is at the path now, so that a file that was removed or renamed by somebody else is
/// noticed before a line goes into it unseen.
struct RotatingFile: ~Copyable {
    private let directory: String
    private let rotation: FileRotation
    private let fileSystem: any AppendingFileSystem
    private let now: @Sendable () -> Int64
    private var open: (file: JournalFile, identity: FileStatus.Identity)?
    /// Whether the file may end in a part of a line.
    private var isTorn = false

    init(
        directory: String, rotation: FileRotation, fileSystem: any AppendingFileSystem,
        now: @escaping @Sendable () -> Int64
    ) {
        self.directory = directory
        self.rotation = rotation
        self.fileSystem = fileSystem
        self.now = now
    }

    deinit {
        if let open { fileSystem.close(open.file) }
    }

    /// Appends a line, its end included.
    /// - Throws: What the file system says; the line is then not there, or only its beginning is. The next call starts
    ///   anew.
    mutating func append(_ line: [UInt8]) throws(JournalFileError) {
        var (file, status) = try openedFile()
        if rotation.step(size: status.size, modified: status.modified, adding: line.count + 1, now: now()) == .rotate {
            try rotate()
            (file, status) = try openedFile()
        }
        if isTorn {
            // A cut line gets an end, so that this one stays whole.
            try write([UInt8(ascii: "\n")], to: file)
            isTorn = false
        }
        try write(line, to: file)
    }

    /// The file at the path, opened if it is not yet the one that is open.
    private mutating func openedFile() throws(JournalFileError) -> (JournalFile, FileStatus) {
        let path = self.path(rotation.current)
        if let open {
            if let status = try fileSystem.status(path), status.identity == open.identity { return (open.file, status) }
            close()
        }
        try fileSystem.createDirectory(directory)
        let file = try fileSystem.open(path)
        do throws(JournalFileError) {
            guard let status = try fileSystem.status(path) else { throw JournalFileError(.open, path, code: ENOENT) }
            let last = try fileSystem.lastByte(of: file, size: status.size)
            isTorn = last != nil && last != UInt8(ascii: "\n")
            open = (file, status.identity)
            removeOverdue()
            return (file, status)
        } catch {
            fileSystem.close(file)
            open = nil
            throw error
        }
    }

    /// Makes the current file an earlier one.
    private mutating func rotate() throws(JournalFileError) {
        close()
        let taken = Set(try fileSystem.names(in: directory).compactMap(rotation.number(of:)))
        let renamings = rotation.renamings(taken: taken)
        if renamings.isEmpty { try fileSystem.remove(path(rotation.current)) }
        for (from, to) in renamings { try fileSystem.rename(path(from), to: path(to)) }
    }

    /// Removes earlier files that are too many or too old. What cannot be removed is no reason to lose a line: it is tried
    /// again when the next file is opened, and there are never more files than the renamings make.
    private func removeOverdue() {
        let now = now()
        guard let names = try? fileSystem.names(in: directory) else { return }
        for name in names {
            guard let number = rotation.number(of: name), let status = try? fileSystem.status(path(name)),
                rotation.isOverdue(number: number, modified: status.modified, now: now)
            else { continue }
            try? fileSystem.remove(path(name))
        }
    }

    private mutating func write(_ bytes: [UInt8], to file: JournalFile) throws(JournalFileError) {
        var done = 0
        do throws(JournalFileError) {
            while done < bytes.count {
                let count = try bytes.withUnsafeBytes { buffer in
                    Result { () throws(JournalFileError) in
                        try fileSystem.append(UnsafeRawBufferPointer(rebasing: buffer[done...]), to: file)
                    }
                }.get()
                guard count > 0 else { throw JournalFileError(.write, file.path, code: EIO) }
                done += count
            }
        } catch {
            if done > 0 { isTorn = true }
            throw error
        }
    }

    private mutating func close() {
        if let open { fileSystem.close(open.file) }
        open = nil
    }

    private func path(_ name: String) -> String { "\(directory)/\(name)" }
}
