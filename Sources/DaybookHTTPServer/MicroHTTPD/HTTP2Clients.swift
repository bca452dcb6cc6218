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

/// What a client of HTTP/2 is told, such as an OpenTelemetry exporter that is set to gRPC: in frames, for it reads nothing
/// else. Source: RFC 9113.
enum HTTP2Farewell {
    /// What the client begins with, section 3.4.
    static let preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

    /// What to do, shown by clients as the connection's debug data.
    static let words =
        "This port speaks HTTP/1.1, not gRPC or HTTP/2. Send OTLP over HTTP: OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf, or "
        + "in an OpenTelemetry Collector the exporter otlphttp."

    /// Our settings, none, and the end of the connection: GOAWAY with HTTP_1_1_REQUIRED, before any stream.
    static let bytes: [UInt8] = frame(type: 4, []) + frame(type: 7, word(0) + word(0xD) + Array(words.utf8))

    /// A frame of the whole connection, without flags (section 4.1).
    private static func frame(type: UInt8, _ payload: [UInt8]) -> [UInt8] {
        Array(word(UInt32(payload.count)).dropFirst()) + [type, 0] + word(0) + payload
    }

    private static func word(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
}
