import DaybookBase

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Clients that begin with HTTP/2, which the library refuses without a callback for the connection.
extension Connection {
    /// Whether the request that the library refuses for its version may be this connection's: it has sent as much as
    /// HTTP/2 begins with, and nothing of it was read as a request. The library has not taken the line apart, so the line
    /// itself cannot be seen.
    var maySpeakHTTP2: Bool {
        let isFresh = state.withLock { $0.exchange == nil && $0.target.isEmpty }
        return isFresh && !core.isSecure && receivedBytes(of: socket) >= HTTP2Farewell.preface.utf8.count
    }

    /// Answers a client of HTTP/2 in its own language, and ends our direction.
    func endHTTP2() {
        if sendAhead(HTTP2Farewell.bytes) { endSending() }
    }
}

/// How many bytes have come on a socket so far; 0 where the system does not tell.
private func receivedBytes(of socket: Int32) -> UInt64 {
    #if os(Linux)
        // `tcpi_bytes_received` of `struct tcp_info` (linux/tcp.h), which the C library's own does not have.
        var info = [UInt8](repeating: 0, count: 136)
        var size = socklen_t(info.count)
        guard getsockopt(socket, Int32(IPPROTO_TCP), TCP_INFO, &info, &size) == 0, Int(size) == info.count else {
            return 0
        }
        return info.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 128, as: UInt64.self) }
    #else
        return 0
    #endif
}
