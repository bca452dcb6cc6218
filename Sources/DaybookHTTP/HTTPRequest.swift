/// A complete request.
public struct HTTPRequest: Sendable {
    /// Everything but the body.
    public struct Head: Sendable {
        /// Uppercase: `GET`, `POST`.
        public var method: String
        /// The path, percent-decoded, without the query: `/api/v1/records`.
        public var path: String
        /// The query's parameters, decoded, in order.
        public var query: [(name: String, value: String)]
        /// The header fields.
        public var headers: HTTPHeaders
        /// The client's address, `127.0.0.1:51234`; empty without a socket.
        public var peer: String

        /// Creates a head.
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

    /// Creates a request.
    public init(head: Head, body: [UInt8] = []) {
        self.head = head
        self.body = body
    }
}

/// Header fields; names are case-insensitive.
public struct HTTPHeaders: Sendable, ExpressibleByDictionaryLiteral {
    /// The fields, in order.
    public private(set) var fields: [(name: String, value: String)]

    /// Creates fields from a literal.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { (name: $0.0, value: $0.1) }
    }

    /// The first value of `name`, or `nil`. Setting it replaces all fields of that name; `nil` removes them.
    public subscript(name: String) -> String? {
        get { fields.first { Self.isSame($0.name, name) }?.value }
        set {
            fields.removeAll { Self.isSame($0.name, name) }
            if let newValue { fields.append((name: name, value: newValue)) }
        }
    }

    /// Adds a field, keeping others of the same name.
    public mutating func add(_ name: String, _ value: String) {
        fields.append((name: name, value: value))
    }

    /// All values of `name`, in order.
    public func all(_ name: String) -> [String] {
        fields.filter { Self.isSame($0.name, name) }.map(\.value)
    }

    private static func isSame(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count && left.lowercased() == right.lowercased()
    }
}
