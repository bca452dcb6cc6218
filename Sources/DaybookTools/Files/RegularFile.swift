#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Reads files that people name: the only way in which a server reads one, and in which nothing waits for another program.
/// What is a pipe, a socket or a device is refused, for it may have no end, or no beginning.
package enum RegularFile {
    /// Why a file is not read.
    package struct Failure: Error, CustomStringConvertible {
        /// As the system says it: `Is a directory`.
        package let reason: String
        /// Whether there is no file.
        package var isMissing = false
        package var description: String { reason }

        fileprivate static var ofSystem: Failure {
            Failure(reason: String(cString: strerror(errno)), isMissing: errno == ENOENT)
        }
    }

    /// The bytes of a file, or more than `limit` where it has more.
    /// - Parameter limit: how many are of use; one more is enough to say so.
    package static func bytes(of path: String, limit: Int) throws(Failure) -> [UInt8] {
        let descriptor = try open(path)
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= limit {
            let count = read(descriptor, &piece, min(piece.count, limit + 1 - bytes.count))
            if count < 0, errno == EINTR { continue }
            // A part of a file must not pass for the file.
            guard count >= 0 else { throw .ofSystem }
            if count == 0 { break }
            bytes += piece[..<count]
        }
        return bytes
    }

    /// A file's descriptor, which the caller closes.
    /// - Parameter allowsPipes: whether it may be anything, for who waits for one file and nothing else. Default: `false`.
    package static func open(_ path: String, allowsPipes: Bool = false) throws(Failure) -> Int32 {
        // Without waiting: to open a pipe for reading waits for who writes.
        let descriptor = openFile(path, O_RDONLY | O_CLOEXEC | (allowsPipes ? 0 : O_NONBLOCK))
        guard descriptor >= 0 else { throw .ofSystem }
        var status = stat()
        let kind = fstat(descriptor, &status) == 0 ? status.st_mode & S_IFMT : 0
        if kind == S_IFREG || allowsPipes && kind != S_IFDIR { return descriptor }
        close(descriptor)
        throw Failure(reason: kind == S_IFDIR ? String(cString: strerror(EISDIR)) : "not a regular file")
    }
}

/// `open(2)`, which the member hides.
private func openFile(_ path: String, _ flags: Int32) -> Int32 { open(path, flags) }
