import CThreads
import DaybookJournal

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Glibc
#endif

/// Appends lines to a file that is rotated when it is full or old. Not shared: one caller at a time.
///
/// Every append checks what is at the path, so that a removed or renamed file is noticed first.
struct RotatingFile: ~Copyable {
    private let directory: String
    private let rotation: FileRotation
    private let fileSystem: any AppendingFileSystem
    private let now: @Sendable () -> Int64
    private var open: (file: JournalFile, identity: FileStatus.Identity)?
    /// Whether the file may end in a partial line.
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

    /// Appends a line with its end.
    /// - Throws: The file system's error; at most the beginning of the line is then written. The next call starts anew.
    mutating func append(_ line: [UInt8]) throws(JournalFileError) {
        var (file, status) = try openedFile()
        if rotation.step(size: status.size, modified: status.modified, adding: line.count + 1, now: now()) == .rotate {
            try rotate()
            (file, status) = try openedFile()
        }
        if isTorn {
            // Ends a cut line, so that this one stays whole.
            try write([UInt8(ascii: "\n")], to: file)
            isTorn = false
        }
        try write(line, to: file)
    }

    /// The file at the path, reopened if it is not the open one.
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

    private mutating func rotate() throws(JournalFileError) {
        close()
        let taken = Set(try fileSystem.names(in: directory).compactMap(rotation.number(of:)))
        let renamings = rotation.renamings(taken: taken)
        if renamings.isEmpty { try fileSystem.remove(path(rotation.current)) }
        for (from, to) in renamings { try fileSystem.rename(path(from), to: path(to)) }
    }

    /// Removes excess and old files. Failure is no reason to lose a line: it is retried when the next file is opened,
    /// and renaming never exceeds the count.
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

/// When a file is full, file names, and which files must go. Pure.
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

    /// The suffix distinguishes it from the numbered files of other names.
    var current: String { "\(name).log" }

    /// - Parameter number: 1 is the youngest.
    private func earlier(_ number: Int) -> String { "\(current).\(number)" }

    /// `nil` if it is no earlier file of this name.
    func number(of file: String) -> Int? {
        guard file.hasPrefix(current + "."), let number = Int(file.dropFirst(current.utf8.count + 1)), number > 0,
            earlier(number) == file
        else { return nil }
        return number
    }

    /// What to do before `count` bytes are written to a file of `size` bytes last written to at `modified`.
    /// - Parameters:
    ///   - modified: Nanoseconds since 1970.
    ///   - now: Nanoseconds since 1970. If the clock went back, the file is not old.
    func step(size: Int, modified: Int64, adding count: Int, now: Int64) -> Step {
        if size == 0 { return .write }
        return size + count > limits.bytes || slice(of: now) > slice(of: modified) ? .rotate : .write
    }

    /// The period whose lines share a file.
    private func slice(of moment: Int64) -> Int64 {
        let length = Int64(limits.age.nanoseconds) / Int64(limits.files)
        let (quotient, remainder) = moment.quotientAndRemainder(dividingBy: length)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// The renames that make room for a new current file, in order; the last kept file is replaced. Files after a free
    /// number stay, so that a failed rotation is completed, not repeated.
    /// - Parameter taken: The numbers of the earlier files that exist.
    func renamings(taken: Set<Int>) -> [(from: String, to: String)] {
        guard limits.files > 1 else { return [] }
        let last = (1..<limits.files).first { !taken.contains($0) } ?? limits.files - 1
        return stride(from: last, to: 0, by: -1).map { ($0 == 1 ? current : earlier($0 - 1), earlier($0)) }
    }

    /// Whether an earlier file exceeds the count or the age.
    func isOverdue(number: Int, modified: Int64, now: Int64) -> Bool {
        let (age, overflow) = now.subtractingReportingOverflow(modified)
        return number >= limits.files || !overflow && age > Int64(limits.age.nanoseconds)
    }
}

/// The file operations of a ``FileOutput``, injected so that tests can make them fail.
protocol AppendingFileSystem: Sendable {
    /// With missing parents; an existing one is no error.
    func createDirectory(_ path: String) throws(JournalFileError)
    func names(in directory: String) throws(JournalFileError) -> [String]
    /// Opens a file for appending, created if missing; close-on-exec.
    func open(_ path: String) throws(JournalFileError) -> JournalFile
    func close(_ file: JournalFile)
    /// `nil` if there is nothing.
    func status(_ path: String) throws(JournalFileError) -> FileStatus?
    /// `nil` if the file is empty.
    func lastByte(of file: JournalFile, size: Int) throws(JournalFileError) -> UInt8?
    /// Appends in one write, possibly partial. Returns the number of bytes.
    func append(_ bytes: UnsafeRawBufferPointer, to file: JournalFile) throws(JournalFileError) -> Int
    func rename(_ from: String, to: String) throws(JournalFileError)
    func remove(_ path: String) throws(JournalFileError)
}

struct FileStatus: Equatable {
    /// Independent of the name, and not reused while the file is open.
    var identity: Identity
    /// Bytes.
    var size: Int
    /// Nanoseconds since 1970.
    var modified: Int64

    struct Identity: Equatable {
        var device: UInt64
        var number: UInt64
    }
}

struct PosixAppendingFileSystem: AppendingFileSystem {
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
            size: Int(clamping: status.st_size),
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
        // Otherwise the system sends a signal that ends the app.
        if fstat(file.descriptor, &status) == 0, !daybook_may_reach(UInt64(status.st_size) + UInt64(bytes.count)) {
            throw JournalFileError(.write, file.path, code: EFBIG)
        }
        let count = retrying { write(file.descriptor, bytes.baseAddress, bytes.count) }
        guard count >= 0 else { throw JournalFileError(.write, file.path, code: errno) }
        return count
    }
}

/// Retries on EINTR. Bounded, so that a storm of signals is an error and not a hang.
private func retrying<Result: SignedInteger>(_ call: () -> Result) -> Result {
    for _ in 0..<1000 {
        let result = call()
        if result != -1 || errno != EINTR { return result }
    }
    return -1
}

/// `open(2)`, whose name the method above hides. Readable, to detect a partial line. Does not follow links; readable
/// only by the owner.
private func systemOpen(_ path: String) -> Int32 {
    open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
}
