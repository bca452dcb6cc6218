#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Glibc
#endif

/// Reads files that people name; servers read files only through here, without blocking on other programs. Pipes,
/// sockets and devices are refused, since they may never begin or end.
package enum RegularFile {
    package struct Failure: Error, CustomStringConvertible {
        /// The system's message: `Is a directory`.
        package let reason: String
        package var isMissing = false
        package var description: String { reason }

        fileprivate static var ofSystem: Failure {
            Failure(reason: String(cString: strerror(errno)), isMissing: errno == ENOENT)
        }
    }

    /// A file's bytes; more than `limit` if it is larger.
    /// - Parameter limit: the useful bytes; one more suffices to tell.
    package static func bytes(of path: String, limit: Int) throws(Failure) -> [UInt8] {
        let descriptor = try open(path)
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= limit {
            let count = read(descriptor, &piece, min(piece.count, limit + 1 - bytes.count))
            if count < 0, errno == EINTR { continue }
            // Part of a file must not pass for the whole.
            guard count >= 0 else { throw .ofSystem }
            if count == 0 { break }
            bytes += piece[..<count]
        }
        return bytes
    }

    /// A file's descriptor, which the caller closes.
    /// - Parameter allowsPipes: whether to accept any kind, for a caller that may block. Default: `false`.
    package static func open(_ path: String, allowsPipes: Bool = false) throws(Failure) -> Int32 {
        // Nonblocking: opening a pipe would wait for its writer.
        let descriptor = openFile(path, O_RDONLY | O_CLOEXEC | (allowsPipes ? 0 : O_NONBLOCK))
        guard descriptor >= 0 else { throw .ofSystem }
        var status = stat()
        let kind = fstat(descriptor, &status) == 0 ? status.st_mode & S_IFMT : 0
        if kind == S_IFREG || allowsPipes && kind != S_IFDIR { return descriptor }
        close(descriptor)
        throw Failure(reason: kind == S_IFDIR ? String(cString: strerror(EISDIR)) : "not a regular file")
    }
}

/// `open(2)`, which the member shadows.
private func openFile(_ path: String, _ flags: Int32) -> Int32 { open(path, flags) }
