import DaybookBase

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Glibc
#endif

/// Clients that open with HTTP/2, which the library refuses without a connection callback.
extension Connection {
    /// Whether the request refused for its version may be this connection's: it has sent at least the HTTP/2 preface,
    /// and nothing was parsed as a request. The line itself is not visible, because the library has not parsed it.
    var maySpeakHTTP2: Bool {
        let isFresh = state.withLock { $0.exchange == nil && $0.target.isEmpty }
        return isFresh && !core.isSecure && receivedBytes(of: socket) >= HTTP2Farewell.preface.utf8.count
    }

    /// Answers an HTTP/2 client in HTTP/2, and closes our side.
    func endHTTP2() {
        if sendAhead(HTTP2Farewell.bytes) { endSending() }
    }
}

/// Bytes received on a socket so far; 0 if the system cannot tell.
private func receivedBytes(of socket: Int32) -> UInt64 {
    #if os(Linux)
        // `tcpi_bytes_received` of `struct tcp_info` (linux/tcp.h), which the C library's struct lacks.
        var info = [UInt8](repeating: 0, count: 136)
        var size = socklen_t(info.count)
        guard getsockopt(socket, Int32(IPPROTO_TCP), TCP_INFO, &info, &size) == 0, Int(size) == info.count else {
            return 0
        }
        return info.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 128, as: UInt64.self) }
    #else
        var info = tcp_connection_info()
        var size = socklen_t(MemoryLayout<tcp_connection_info>.size)
        return getsockopt(socket, IPPROTO_TCP, TCP_CONNECTION_INFO, &info, &size) == 0 ? info.tcpi_rxbytes : 0
    #endif
}

/// The reply to an HTTP/2 client, such as an OpenTelemetry exporter set to gRPC, in HTTP/2 frames. Source: RFC 9113.
enum HTTP2Farewell {
    /// The client preface, section 3.4.
    static let preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

    /// Advice, which clients show as the connection's debug data.
    static let words =
        "This port speaks HTTP/1.1, not gRPC or HTTP/2. Send OTLP over HTTP: OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf, or "
        + "in an OpenTelemetry Collector the exporter otlphttp."

    /// An empty SETTINGS, then GOAWAY with HTTP_1_1_REQUIRED, before any stream.
    static let bytes: [UInt8] = frame(type: 4, []) + frame(type: 7, word(0) + word(0xD) + Array(words.utf8))

    /// A connection-level frame without flags (section 4.1).
    private static func frame(type: UInt8, _ payload: [UInt8]) -> [UInt8] {
        Array(word(UInt32(payload.count)).dropFirst()) + [type, 0] + word(0) + payload
    }

    private static func word(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
}
