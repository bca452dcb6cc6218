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
        package var description: String { reason }

        fileprivate static var ofSystem: Failure { Failure(reason: String(cString: strerror(errno))) }
    }

    /// The bytes of a file, or more than `limit` where it has more.
    /// - Parameter limit: how many are of use; one more is enough to say so.
    package static func bytes(of path: String, limit: Int) throws(Failure) -> [UInt8] {
        let descriptor = try open(path)
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        while bytes.count <= limit {
            let wanted = min(1 << 16, limit + 1 - bytes.count)
            // Sound: the buffer has room for as many as are asked for, and what was not read is cut off.
            let piece = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, count in
                count = max(0, read(descriptor, buffer.baseAddress, wanted))
            }
            if piece.isEmpty { break }
            bytes += piece
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
