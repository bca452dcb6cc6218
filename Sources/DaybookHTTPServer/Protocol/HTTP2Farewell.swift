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
