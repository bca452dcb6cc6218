import DaybookCollector
import DaybookHTTP
import DaybookHTTPServer
import DaybookOTLP
import DaybookRequests
import DaybookStore
import DaybookTrials
import Foundation

/// Input from the network: the decoders, compressed bodies, and HTTP itself.
extension FuzzTarget {
    static let wire: [FuzzTarget] = [otlpProtobuf, otlpJSON, ndjson, gzip, deflate, zstd, http]

    private static let protobuf = [RequestSamples.logs.protobuf(), RequestSamples.traces.protobuf()]
    private static let json = [RequestSamples.logs.json(), RequestSamples.traces.json()]
    private static let lines = [
        #"{"tag":"a.b","time":"2026-11-20T10:00:00Z","level":"error","attributes":{"a":[1,2.5,null,"x"],"b":{"c":true}}}"#,
        #"{"id":7,"uid":"s-7","tag":"http.get","kind":"request","duration":15,"trace_id":"0102030405060708090a0b0c0d0e0f10"}"#,
        #"{"tag":"é.日本","message":"\u00e9\ud83d\ude00","context":{"service.version":"1"},"session":"s","line":9}"#,
    ].map { Array($0.utf8) }
    private static let jsonFragments = [
        "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "\\ud83d", "null", "true", "1e999", "-0", "0.1",
        "18446744073709551616",
        "\"attributes\":", "\"intValue\":\"1\"", "\"arrayValue\":{\"values\":[", "\"tag\":\"a\"", "é", "\u{2028}", "\n",
    ]

    private static let otlpProtobuf = FuzzTarget("otlp-protobuf", corpus: protobuf, quickCount: 1_000) { bytes in
        _ = try? ExportLogsRequest(protobuf: bytes)
        _ = try? ExportTraceRequest(protobuf: bytes)
        return nil
    }

    private static let otlpJSON = FuzzTarget(
        "otlp-json", corpus: json, fragments: jsonFragments, quickCount: 600
    ) { bytes in
        _ = try? ExportLogsRequest(json: bytes)
        _ = try? ExportTraceRequest(json: bytes)
        return nil
    }

    private static let ndjson = FuzzTarget("ndjson", corpus: lines, fragments: jsonFragments, quickCount: 1_500) {
        bytes in
        guard let row = try? RecordLine.row(bytes, defaults: .init(time: 7, position: 1)) else { return nil }
        // An accepted row, written as a line, must be accepted again as the same record.
        let line = RecordLine.text(row)
        guard let again = try? RecordLine.row(Array(line.utf8), defaults: .init(time: 7, position: 1)) else {
            return "the line of what was taken is refused: \(line.prefix(200))"
        }
        return RecordLine.text(again) == line ? nil : "a line that is read and written twice has changed"
    }

    private static let gzip = compressed(.gzip, corpus: gzipped)
    // Without the ten-byte header and the eight-byte trailer.
    private static let deflate = compressed(.deflate, corpus: gzipped.map { Array($0.dropFirst(10).dropLast(8)) })
    private static let zstd = compressed(.zstd, corpus: (protobuf + json + lines).map(storedFrame))

    private static let gzipped = (protobuf + json + lines).compactMap { Gzip.compress($0) }

    /// A Zstandard frame with one uncompressed block.
    private static func storedFrame(_ bytes: [UInt8]) -> [UInt8] {
        let header = UInt32(bytes.count) << 3 | 1
        return [0x28, 0xB5, 0x2F, 0xFD, 0, 0x58] + (0..<3).map { UInt8(truncatingIfNeeded: header >> ($0 * 8)) } + bytes
    }

    private static func compressed(_ encoding: ContentEncoding, corpus: [[UInt8]]) -> FuzzTarget {
        FuzzTarget(encoding.rawValue, corpus: corpus, quickCount: 1_500) { bytes in
            let limit = 100_000
            guard let inflated = try? Inflate.bytes(bytes, encoding, limit: limit) else { return nil }
            return inflated.count <= limit ? nil : "\(inflated.count) bytes came of a limit of \(limit)"
        }
    }

    /// The server's answers to broken HTTP.
    private static let refusals: Set = [400, 403, 404, 405, 408, 411, 413, 414, 417, 431, 501, 505]

    private static let http = FuzzTarget(
        "http",
        corpus: [
            "GET / HTTP/1.1\r\nHost: HOST\r\n\r\n",
            "POST /a%20b?c=d&e=%2Ff HTTP/1.1\r\nHost: HOST\r\nContent-Length: 5\r\nContent-Type: text/plain\r\n\r\nhello",
            "POST / HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n0\r\nTrailer: a\r\n\r\n",
            "GET http://HOST/x HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: HOST\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nab",
            "GET /1 HTTP/1.1\r\nHost: HOST\r\n\r\nGET /2 HTTP/1.1\r\nHost: HOST\r\n\r\n",
        ].map { Array($0.utf8) },
        fragments: [
            "\r\n", "\r\n\r\n", "\n", "\r", "\0", "\t", " ", ":", "Host: HOST\r\n", "Content-Length: 5\r\n",
            "Content-Length : 5\r\n",
            "Transfer-Encoding: chunked\r\n", "Transfer-Encoding: gzip, chunked\r\n", "Expect: 100-continue\r\n",
            "0\r\n\r\n",
            "ffffffffffffffff\r\n", "5\r\nhello\r\n", "GET", "POST", "HTTP/1.0", "HTTP/1.1", "%00", "/../",
            "Origin: null\r\n",
        ], quickCount: 60
    ) {
        let server = HTTPServer(
            configuration: HTTPServerConfiguration(
                addresses: ["127.0.0.1"], port: 0,
                limits: HTTPServerLimits {
                    $0.headerTime = .milliseconds(200)
                    $0.bodyTime = .milliseconds(200)
                    $0.idleTime = .milliseconds(200)
                    $0.sweepInterval = .milliseconds(20)
                }),
            handler: HTTPRouter([
                HTTPRoute("GET", "/…", parameters: nil) {
                    .init(status: 200, contentType: "text/plain", text: $0.head.path)
                },
                HTTPRoute("POST", "/…", parameters: nil, bodyLimit: 1_000) {
                    .init(status: 200, contentType: "text/plain", text: "\($0.body.count)")
                },
            ]))
        let port = try server.start()
        return Subject { input in
            try await offPool { try reason(input, port) }
        } close: {
            await server.stop()
        }
    }

    /// Also allowed for versions other than 1: HTTP/2's empty settings, and GOAWAY.
    private static let farewell: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]

    private static func namesOtherVersion(_ input: [UInt8]) -> Bool {
        let name = Array("HTTP/".utf8)
        return input.ranges(of: name).contains { input[$0.upperBound...].first != UInt8(ascii: "1") }
    }

    /// Sends the bytes and reads everything that comes. Then an honest request must be answered.
    private static func reason(_ input: [UInt8], _ port: Int) throws -> String? {
        let host = "127.0.0.1:\(port)"
        let client = try RawClient(port: port)
        client.send(input.replacing(Array("HOST".utf8), with: Array(host.utf8)))
        client.endSending()
        let answer = (try? client.readUntilClose()) ?? []
        if !answer.isEmpty, !(answer.starts(with: farewell) && namesOtherVersion(input)) {
            let words = String(decoding: answer.prefix(40), as: UTF8.self).split(separator: " ")
            guard words.count > 1, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else {
                return "the answer is no HTTP: \(words.joined(separator: " "))"
            }
            guard status == 200 || status == 100 || refusals.contains(status) else { return "the answer is \(status)" }
        }
        let good = try RawClient(port: port)
        good.request("POST /", body: Array("good".utf8))
        let response = try good.readResponse()
        return response.status == 200 && response.text == "4"
            ? nil : "an honest request is answered with \(response.status)"
    }
}
