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
