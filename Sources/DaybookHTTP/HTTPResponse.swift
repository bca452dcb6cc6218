/// A response.
public struct HTTPResponse: Sendable {
    /// What follows the head.
    public enum Body: Sendable {
        case bytes([UInt8])
        /// Chunks as they come (server-sent events). The transport ends the stream when the client leaves.
        case stream(AsyncStream<[UInt8]>)
    }

    public var status: Int
    public var headers: HTTPHeaders
    public var body: Body

    /// A response.
    public init(status: Int, headers: HTTPHeaders = [:], body: Body = .bytes([])) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// A response of text with its content type.
    public init(status: Int, contentType: String, text: String) {
        self.init(status: status, headers: ["content-type": contentType], body: .bytes(Array(text.utf8)))
    }
}

extension HTTPResponse {
    /// The one shape of every error of a JSON route, of the server and of what stands before the routes:
    /// `{"ok":false,"error":{"code":"not_found","message":"…"}}`, one line of JSON, never cached. (The OTLP routes answer
    /// with `google.rpc.Status`, as their specification wants.)
    ///
    /// - Parameters:
    ///   - status: 400–599.
    ///   - code: a stable word for programs, in snake case.
    ///   - message: what happened and what to do, for people.
    public static func problem(_ status: Int, code: String, _ message: String) -> HTTPResponse {
        let text = "{\"ok\":false,\"error\":{\"code\":\(jsonString(code)),\"message\":\(jsonString(message))}}\n"
        return HTTPResponse(
            status: status,
            headers: ["content-type": "application/json; charset=utf-8", "cache-control": "no-store"],
            body: .bytes(Array(text.utf8)))
    }

    /// A JSON string literal (RFC 8259 §7), also safe inside HTML: `<` and `>` are escaped.
    private static func jsonString(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "<", ">", "\u{0}"..."\u{1F}", "\u{7F}", "\u{2028}", "\u{2029}":
                let hex = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
