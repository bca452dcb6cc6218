import CThreads
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

/// When a file is full, what files are called, and which must go. Pure.
struct FileRotation {
    /// What to do before a line is written.
    enum Step: Equatable {
        case write
        case rotate
    }

    private let name: String
    private let limits: FileLimits

    init(name: String, limits: FileLimits) {
        self.name = name
        self.limits = limits
    }

    /// The file that is written to. Its end keeps it apart from the numbered files of every other name.
    var current: String { "\(name).log" }

    /// The name of an earlier file; 1 is the youngest.
    private func earlier(_ number: Int) -> String { "\(current).\(number)" }

    /// The number of an earlier file of this name, or `nil` for any other file.
    func number(of file: String) -> Int? {
        guard file.hasPrefix(current + "."), let number = Int(file.dropFirst(current.utf8.count + 1)), number > 0,
            earlier(number) == file
        else { return nil }
        return number
    }

    /// What to do before `count` bytes are written to a file of `size` bytes last written to at `modified`.
    /// - Parameters:
    ///   - modified: Nanoseconds since 1970.
    ///   - now: Nanoseconds since 1970. Where the clock has gone back, the file is not old.
    func step(size: Int, modified: Int64, adding count: Int, now: Int64) -> Step {
        if size == 0 { return .write }
        return size + count > limits.bytes || slice(of: now) > slice(of: modified) ? .rotate : .write
    }

    /// The stretch of time that a moment's lines share a file in.
    private func slice(of moment: Int64) -> Int64 {
        let length = Int64(limits.age.nanoseconds) / Int64(limits.files)
        let (quotient, remainder) = moment.quotientAndRemainder(dividingBy: length)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// The renamings that make room for a new current file, in order; the last file kept is replaced. Where a number is
    /// free, nothing behind it moves: a rotation that failed half-way is completed, not repeated.
    /// - Parameter taken: The numbers of the earlier files that exist.
    func renamings(taken: Set<Int>) -> [(from: String, to: String)] {
        guard limits.files > 1 else { return [] }
        let last = (1..<limits.files).first { !taken.contains($0) } ?? limits.files - 1
        return stride(from: last, to: 0, by: -1).map { ($0 == 1 ? current : earlier($0 - 1), earlier($0)) }
    }

    /// Whether an earlier file must go: it is one too many, or its last line is too old.
    func isOverdue(number: Int, modified: Int64, now: Int64) -> Bool {
        let (age, overflow) = now.subtractingReportingOverflow(modified)
        return number >= limits.files || !overflow && age > Int64(limits.age.nanoseconds)
    }
}

/// The file operations of a ``FileOutput``. Injected, so that a test can make any of them fail.
protocol AppendingFileSystem: Sendable {
    /// Makes the directory and its missing parents; an existing one is no error.
    func createDirectory(_ path: String) throws(JournalFileError)
    /// The names in a directory.
    func names(in directory: String) throws(JournalFileError) -> [String]
    /// Opens a file for appending, made empty if it is missing; the descriptor does not pass to child processes.
    func open(_ path: String) throws(JournalFileError) -> JournalFile
    func close(_ file: JournalFile)
    /// What is at a path; `nil` if nothing is.
    func status(_ path: String) throws(JournalFileError) -> FileStatus?
    /// The last byte of an open file; `nil` if it is empty.
    func lastByte(of file: JournalFile, size: Int) throws(JournalFileError) -> UInt8?
    /// Appends up to all bytes at once, and tells how many.
    func append(_ bytes: UnsafeRawBufferPointer, to file: JournalFile) throws(JournalFileError) -> Int
    func rename(_ from: String, to: String) throws(JournalFileError)
    func remove(_ path: String) throws(JournalFileError)
}

/// What the system knows of a file.
struct FileStatus: Equatable {
    /// Which file it is, whatever its name: the same for as long as it is open somewhere.
    var identity: Identity
    /// Bytes.
    var size: Int
    /// When it was last written to, in nanoseconds since 1970.
    var modified: Int64

    struct Identity: Equatable {
        var device: UInt64
        var number: UInt64
    }
}

/// The real file system.
struct PosixAppending: AppendingFileSystem {
    private let posix = PosixFileSystem()

    func createDirectory(_ path: String) throws(JournalFileError) { try posix.createDirectory(path) }
    func names(in directory: String) throws(JournalFileError) -> [String] { try posix.names(in: directory) }
    func close(_ file: JournalFile) { posix.close(file) }
    func rename(_ from: String, to: String) throws(JournalFileError) { try posix.rename(from, to: to) }
    func remove(_ path: String) throws(JournalFileError) { try posix.remove(path) }

    func open(_ path: String) throws(JournalFileError) -> JournalFile {
        let descriptor = retrying { systemOpen(path) }
        guard descriptor >= 0 else { throw JournalFileError(.open, path, code: errno) }
        return JournalFile(descriptor: descriptor, path: path)
    }

    func status(_ path: String) throws(JournalFileError) -> FileStatus? {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw JournalFileError(.size, path, code: errno)
        }
        #if canImport(Darwin)
            let modified = status.st_mtimespec
        #else
            let modified = status.st_mtim
        #endif
        return FileStatus(
            identity: .init(
                device: UInt64(truncatingIfNeeded: status.st_dev), number: UInt64(truncatingIfNeeded: status.st_ino)),
            size: Int(status.st_size),
            modified: Int64(modified.tv_sec) &* 1_000_000_000 &+ Int64(modified.tv_nsec))
    }

    func lastByte(of file: JournalFile, size: Int) throws(JournalFileError) -> UInt8? {
        guard size > 0 else { return nil }
        var byte: UInt8 = 0
        let count = retrying { pread(file.descriptor, &byte, 1, off_t(size - 1)) }
        guard count >= 0 else { throw JournalFileError(.read, file.path, code: errno) }
        return count == 1 ? byte : nil
    }

    func append(_ bytes: UnsafeRawBufferPointer, to file: JournalFile) throws(JournalFileError) -> Int {
        var status = stat()
        // The system's own answer is a signal, which ends the app.
        if fstat(file.descriptor, &status) == 0, !daybook_may_reach(UInt64(status.st_size) + UInt64(bytes.count)) {
            throw JournalFileError(.write, file.path, code: EFBIG)
        }
        let count = retrying { write(file.descriptor, bytes.baseAddress, bytes.count) }
        guard count >= 0 else { throw JournalFileError(.write, file.path, code: errno) }
        return count
    }
}

/// Repeats an interrupted call. Bounded, so that a storm of signals ends in an error and not in a hang.
private func retrying<Result: SignedInteger>(_ call: () -> Result) -> Result {
    for _ in 0..<1000 {
        let result = call()
        if result != -1 || errno != EINTR { return result }
    }
    return -1
}

/// `open(2)`, by a name that the method above does not hide. For reading too: a line that was cut off must be noticed. A
/// link is not followed, and others cannot read what an app logs.
private func systemOpen(_ path: String) -> Int32 {
    open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
}
