/// A request, whole.
public struct HTTPRequest: Sendable {
    /// Everything but the body.
    public struct Head: Sendable {
        /// In upper case: `GET`, `POST`.
        public var method: String
        /// The path, percent-decoded, without the query: `/api/v1/records`.
        public var path: String
        /// The query's parameters, decoded, in their order.
        public var query: [(name: String, value: String)]
        /// The header fields.
        public var headers: HTTPHeaders
        /// The other end, `127.0.0.1:51234`; empty where there is no socket.
        public var peer: String

        /// A head.
        public init(
            method: String, path: String, query: [(name: String, value: String)] = [], headers: HTTPHeaders = [:],
            peer: String = ""
        ) {
            self.method = method
            self.path = path
            self.query = query
            self.headers = headers
            self.peer = peer
        }

        /// The first value of a query parameter.
        public func parameter(_ name: String) -> String? { query.first { $0.name == name }?.value }
    }

    public var head: Head
    public var body: [UInt8]

    /// A request.
    public init(head: Head, body: [UInt8] = []) {
        self.head = head
        self.body = body
    }
}
