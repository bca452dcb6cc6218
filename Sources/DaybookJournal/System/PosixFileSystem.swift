import CThreads

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Glibc
#endif

/// The real file system. Refuses writes beyond `RLIMIT_FSIZE`, for which the system would kill the app with a signal.
public struct PosixFileSystem: JournalFileSystem {
    private let prepare: (@Sendable (_ path: String) -> Void)?

    /// - Parameter prepare: Called with the path of each directory that is created or found, and of each file opened to
    ///   be created, before anything is written to it; for example to exclude it from backups or set its protection
    ///   class. May be called again for the same path, on any thread. Default: none.
    public init(prepare: (@Sendable (_ path: String) -> Void)? = nil) { self.prepare = prepare }

    public func createDirectory(_ path: String) throws(JournalFileError) {
        if mkdir(path, 0o700) == 0 || errno == EEXIST {
            prepare?(path)
            return
        }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
            throw JournalFileError(.createDirectory, path, code: errno)
        }
        try createDirectory(String(path[..<slash]))
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw JournalFileError(.createDirectory, path, code: errno)
        }
        prepare?(path)
    }

    public func names(in directory: String) throws(JournalFileError) -> [String] {
        guard let stream = opendir(directory) else { throw JournalFileError(.list, directory, code: errno) }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let capacity = MemoryLayout.size(ofValue: entry.pointee.d_name)
            let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
                field.withMemoryRebound(to: CChar.self, capacity: capacity) { String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }

    public func open(_ path: String, _ mode: FileMode) throws(JournalFileError) -> JournalFile {
        let flags =
            switch mode {
            case .read: O_RDONLY
            case .readWrite: O_RDWR
            case .readWriteCreating: O_RDWR | O_CREAT
            case .readWriteEmptied: O_RDWR | O_CREAT | O_TRUNC
            }
        // Without O_NONBLOCK, opening a pipe in the file's place would block.
        let descriptor = retrying { systemOpen(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) }
        guard descriptor >= 0 else { throw JournalFileError(.open, path, code: errno) }
        if mode == .readWriteCreating || mode == .readWriteEmptied { prepare?(path) }
        return JournalFile(descriptor: descriptor, path: path)
    }

    public func close(_ file: JournalFile) {
        // The lock lasts until the descriptor's last copy is closed, and a child being spawned has copies until it
        // executes its program. Without this, reopening the journal at that moment would find it locked.
        flock(file.descriptor, LOCK_UN)
        systemClose(file.descriptor)
    }

    public func size(_ file: JournalFile) throws(JournalFileError) -> Int {
        var status = stat()
        guard fstat(file.descriptor, &status) == 0 else { throw JournalFileError(.size, file.path, code: errno) }
        return Int(clamping: status.st_size)
    }

    public func allocate(_ file: JournalFile, bytes: Int) throws(JournalFileError) {
        guard daybook_may_reach(UInt64(bytes)) else { throw JournalFileError(.allocate, file.path, code: EFBIG) }
        #if canImport(Darwin)
            var request = fstore_t(
                fst_flags: UInt32(F_ALLOCATECONTIG | F_ALLOCATEALL), fst_posmode: F_PEOFPOSMODE, fst_offset: 0,
                fst_length: off_t(bytes), fst_bytesalloc: 0)
            if fcntl(file.descriptor, F_PREALLOCATE, &request) == -1 {
                request.fst_flags = UInt32(F_ALLOCATEALL)
                guard fcntl(file.descriptor, F_PREALLOCATE, &request) != -1 else {
                    throw JournalFileError(.allocate, file.path, code: errno)
                }
            }
            guard ftruncate(file.descriptor, off_t(bytes)) == 0 else {
                throw JournalFileError(.allocate, file.path, code: errno)
            }
        #else
            var code: Int32
            repeat { code = posix_fallocate(file.descriptor, 0, off_t(bytes)) } while code == EINTR
            guard code == 0 else { throw JournalFileError(.allocate, file.path, code: code) }
        #endif
    }

    public func truncate(_ file: JournalFile, bytes: Int) throws(JournalFileError) {
        guard retrying({ ftruncate(file.descriptor, off_t(bytes)) }) == 0 else {
            throw JournalFileError(.truncate, file.path, code: errno)
        }
    }

    public func read(_ file: JournalFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int)
        throws(JournalFileError) -> Int
    {
        let count = retrying { pread(file.descriptor, buffer.baseAddress, buffer.count, off_t(offset)) }
        guard count >= 0 else { throw JournalFileError(.read, file.path, code: errno) }
        return count
    }

    public func write(_ file: JournalFile, _ buffer: UnsafeRawBufferPointer, at offset: Int)
        throws(JournalFileError) -> Int
    {
        guard daybook_may_reach(UInt64(offset + buffer.count)) else {
            throw JournalFileError(.write, file.path, code: EFBIG)
        }
        let count = retrying { pwrite(file.descriptor, buffer.baseAddress, buffer.count, off_t(offset)) }
        guard count >= 0 else { throw JournalFileError(.write, file.path, code: errno) }
        return count
    }

    public func sync(_ file: JournalFile, _ strength: SyncStrength) throws(JournalFileError) {
        #if canImport(Darwin)
            let command = strength == .full ? F_FULLFSYNC : F_BARRIERFSYNC
            // Some file systems lack these commands.
            if fcntl(file.descriptor, command) != -1 { return }
            guard errno == ENOTSUP || errno == EINVAL else { throw JournalFileError(.sync, file.path, code: errno) }
            guard fsync(file.descriptor) == 0 else { throw JournalFileError(.sync, file.path, code: errno) }
        #else
            guard fdatasync(file.descriptor) == 0 else { throw JournalFileError(.sync, file.path, code: errno) }
        #endif
    }

    public func syncDirectory(_ path: String) throws(JournalFileError) {
        let descriptor = retrying { systemOpen(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard descriptor >= 0 else { throw JournalFileError(.syncDirectory, path, code: errno) }
        defer { systemClose(descriptor) }
        guard fsync(descriptor) == 0 else { throw JournalFileError(.syncDirectory, path, code: errno) }
    }

    public func rename(_ from: String, to: String) throws(JournalFileError) {
        guard systemRename(from, to) == 0 else { throw JournalFileError(.rename, from, code: errno) }
    }

    public func remove(_ path: String) throws(JournalFileError) {
        guard unlink(path) == 0 else { throw JournalFileError(.remove, path, code: errno) }
    }

    public func map(_ file: JournalFile, bytes: Int) throws(JournalFileError) -> UnsafeMutableRawPointer {
        let base = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor, 0)
        guard let base, base != MAP_FAILED else { throw JournalFileError(.map, file.path, code: errno) }
        return base
    }

    public func unmap(_ base: UnsafeMutableRawPointer, bytes: Int) {
        munmap(base, bytes)
    }

    public func look(at path: String) -> FileLook {
        var status = stat()
        if lstat(path, &status) == 0 { return .file(FileMark(status)) }
        // A failed look does not mean that the file is gone.
        return errno == ENOENT || errno == ENOTDIR ? .nothing : .unknown
    }

    public func mark(of file: JournalFile) -> FileMark? {
        var status = stat()
        return fstat(file.descriptor, &status) == 0 ? FileMark(status) : nil
    }

    public func lock(_ file: JournalFile) throws(JournalFileError) -> Bool {
        if retrying({ flock(file.descriptor, LOCK_EX | LOCK_NB) }) == 0 { return true }
        if errno == EWOULDBLOCK { return false }
        throw JournalFileError(.lock, file.path, code: errno)
    }
}

extension FileMark {
    fileprivate init(_ status: stat) {
        #if canImport(Darwin)
            let (written, changed) = (status.st_mtimespec, status.st_ctimespec)
        #else
            let (written, changed) = (status.st_mtim, status.st_ctim)
        #endif
        func nanoseconds(_ time: timespec) -> UInt64 {
            UInt64(bitPattern: Int64(time.tv_sec)) &* 1_000_000_000 &+ UInt64(bitPattern: Int64(time.tv_nsec))
        }
        self.init(
            identity: Identity(
                device: UInt64(truncatingIfNeeded: status.st_dev), number: UInt64(truncatingIfNeeded: status.st_ino)),
            bytes: Int(clamping: status.st_size), written: nanoseconds(written), changed: nanoseconds(changed))
    }
}

/// Retries an interrupted call. Bounded, so that a storm of signals causes an error, not a hang.
private func retrying<Result: SignedInteger>(_ call: () -> Result) -> Result {
    for _ in 0..<1000 {
        let result = call()
        if result != -1 || errno != EINTR { return result }
    }
    return -1
}

// Reach the system calls whose names the methods above hide.
private func systemOpen(_ path: String, _ flags: Int32) -> Int32 { open(path, flags, 0o600) }
private func systemClose(_ descriptor: Int32) { _ = close(descriptor) }
private func systemRename(_ from: String, _ to: String) -> Int32 { rename(from, to) }

func systemMessage(for code: Int32) -> String {
    // `strerror_r` differs between C libraries. `strerror` may share a buffer between threads, so at worst the text is
    // another error's; the number beside it is exact.
    guard let text = strerror(code) else { return "unknown error" }
    return String(cString: text)
}

enum SystemCode {
    static let inputOutput = EIO
    static let noSpace = ENOSPC
    static let busy = EBUSY
}
