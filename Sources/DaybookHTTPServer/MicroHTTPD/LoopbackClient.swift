#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Glibc
#endif

/// A client for one request to a server of this process, for ``LibraryCheck``.
enum LoopbackClient {
    /// Everything that the server sends until it closes the connection; `nil` if it cannot be reached.
    static func answer(to request: String, _ port: Int) -> String? {
        #if canImport(Glibc)
            let kind = Int32(SOCK_STREAM.rawValue)
        #else
            let kind = SOCK_STREAM
        #endif
        let client = socket(AF_INET, kind, 0)
        guard client >= 0 else { return nil }
        defer { close(client) }
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        // Only a library that does not answer takes that long.
        var patience = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        let bytes = Array(request.utf8)
        // No server closes a connection before its first bytes, so this raises no signal.
        guard isConnected, send(client, bytes, bytes.count, 0) == bytes.count else { return nil }
        var answer: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4_096)
        while answer.count < 1 << 16 {
            let count = recv(client, &piece, piece.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            answer += piece[..<count]
        }
        return String(decoding: answer, as: UTF8.self)
    }
}
