import DaybookBase
import DaybookTools

/// A response.
public struct HTTPResponse: Sendable {
    /// The body of a response.
    public enum Body: Sendable {
        case bytes([UInt8])
        /// Chunks as they are produced (server-sent events). The transport ends the stream when the client disconnects.
        case stream(AsyncStream<[UInt8]>)
    }

    public var status: Int
    public var headers: HTTPHeaders
    public var body: Body

    /// Creates a response.
    public init(status: Int, headers: HTTPHeaders = [:], body: Body = .bytes([])) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Creates a text response.
    public init(status: Int, contentType: String, text: String) {
        self.init(status: status, headers: ["content-type": contentType], body: .bytes(Array(text.utf8)))
    }
}

extension HTTPResponse {
    /// The error format of all JSON routes, the server, and what runs before the routes:
    /// `{"ok":false,"error":{"code":"not_found","message":"…"}}`, one line of JSON, never cached. (OTLP routes use
    /// `google.rpc.Status`, as their specification requires.)
    ///
    /// - Parameters:
    ///   - status: 400–599.
    ///   - code: a stable word for programs, in snake case.
    ///   - message: what happened and what to do, for people.
    public static func problem(_ status: Int, code: String, _ message: String) -> HTTPResponse {
        // Also escaped for markup: the message echoes the request, and a program may take the response for HTML.
        var json = JSONBuilder(escapes: .markup)
        json.object {
            $0.key("ok")
            $0.bool(false)
            $0.key("error")
            $0.object {
                $0.key("code")
                $0.string(code)
                $0.key("message")
                $0.string(message)
            }
        }
        return .json(json.bytes + [0x0A], status: status)
    }

    /// JSON that is never cached.
    /// - Parameter status: Default: 200.
    package static func json(_ bytes: [UInt8], status: Int = 200) -> HTTPResponse {
        HTTPResponse(
            status: status,
            headers: ["content-type": "application/json; charset=utf-8", "cache-control": "no-store"],
            body: .bytes(bytes))
    }
}
