import DaybookTools

/// An entry of a router: which requests it matches, and how it answers them.
///
///     HTTPRoute("GET", "/api/v1/records/{id}", parameters: ["private"]) { try await record($0.number("id"), $0.query)
///     }
///     HTTPRoute("POST", "/api/v1/sql", bodyLimit: 65_536) { try await run($0.body) }
///     HTTPRoute(nil, "/…", inspector)
public struct HTTPRoute: Sendable {
    /// Answers a matched request; the router turns errors into responses.
    public typealias Answer = @Sendable (RoutedRequest) async throws -> HTTPResponse

    enum Target: Sendable {
        case closure(bodyLimit: Int, Answer)
        case handler(any HTTPHandler)
    }

    /// The accepted methods, uppercase; `nil` for all.
    public let methods: [String]?
    /// The pattern of matched paths.
    public let path: HTTPPath
    /// Whether to skip the router's `authorize`.
    public let isOpen: Bool
    /// The permitted query parameters; `nil` permits any, for the route to check itself.
    public let parameters: Set<String>?
    let answersHead: Bool
    /// The kind of work; a mounted handler decides itself.
    package let work: HTTPWork
    let target: Target

    /// Creates a route to a closure.
    /// - Parameters:
    ///   - method: uppercase.
    ///   - path: the pattern of matched paths.
    ///   - parameters: the permitted query parameters, each at most once and with a value; otherwise the response is
    ///     400. `nil` permits any query. Default: none.
    ///   - bodyLimit: the most bytes of body; a longer one gets 413. Default: 0.
    ///   - isOpen: whether anyone may call it, skipping the router's `authorize`. Default: `false`.
    ///   - answersHead: whether `GET` also accepts `HEAD`. The transport omits the body, but cannot omit an endless
    ///     stream. Default: `true`.
    ///   - work: the kind of work. Default: ``HTTPWork/ordinary``.
    ///   - answer: answers a request.
    public init(
        _ method: String, _ path: HTTPPath, parameters: Set<String>? = [], bodyLimit: Int = 0, isOpen: Bool = false,
        answersHead: Bool = true, work: HTTPWork = .ordinary, answer: @escaping Answer
    ) {
        methods = [method]
        self.path = path
        self.parameters = parameters
        self.isOpen = isOpen
        self.answersHead = answersHead
        self.work = work
        target = .closure(bodyLimit: bodyLimit, answer)
    }

    /// Mounts a handler, which does its own admission and answers.
    /// - Parameters:
    ///   - methods: uppercase; `nil` for all. `GET` includes `HEAD`.
    ///   - path: the pattern of matched paths.
    ///   - handler: gets the request unchanged, with its whole path.
    public init(_ methods: [String]?, _ path: HTTPPath, _ handler: any HTTPHandler) {
        self.methods = methods
        self.path = path
        parameters = nil
        isOpen = false
        answersHead = true
        work = .ordinary
        target = .handler(handler)
    }

    func takes(method: String) -> Bool {
        methods == nil || allowed.contains(method)
    }

    /// Rejects unknown or repeated parameters: ignoring one could drop a condition of what to erase or judge.
    func check(_ query: [(name: String, value: String)]) throws(HTTPRoutingError) {
        guard let parameters else { return }
        var seen: Set<String> = []
        for (name, value) in query {
            guard parameters.contains(name) else {
                throw .badRequest(NearestName.unknown("parameter", name, among: parameters))
            }
            guard seen.insert(name).inserted else { throw .badRequest("\(name) is given twice.") }
            guard !value.isEmpty else { throw .badRequest("\(name) is empty: give it a value, or leave it out.") }
        }
    }

    /// The most bytes of body; `nil` if a mounted handler decides.
    package var bodyLimit: Int? {
        if case .closure(let limit, _) = target { limit } else { nil }
    }

    /// The methods for the `Allow` header.
    var allowed: [String] {
        guard let methods else { return [] }
        return methods + (answersHead && methods.contains("GET") ? ["HEAD"] : [])
    }
}

/// A request with the values of its route's pattern.
public struct RoutedRequest: Sendable {
    /// The complete request.
    public let request: HTTPRequest
    private let values: [String: String]

    init(_ request: HTTPRequest, values: [String: String]) {
        self.request = request
        self.values = values
    }

    /// Everything but the body.
    public var head: HTTPRequest.Head { request.head }
    /// The query's parameters, decoded, in order.
    public var query: [(name: String, value: String)] { request.head.query }
    /// The body.
    public var body: [UInt8] { request.body }

    /// The value of `{name}` in the path; empty if the pattern has no such name.
    public func text(_ name: String) -> String { values[name] ?? "" }

    /// The integer value of `{name}` in the path.
    /// - Throws: ``HTTPRoutingError/notFound(path:)`` for anything else.
    public func number(_ name: String) throws(HTTPRoutingError) -> Int64 {
        guard let number = Int64(text(name)) else { throw .notFound(path: head.path) }
        return number
    }
}

/// A path pattern.
///
/// `/records` matches only that path. `{id}` matches one segment, which may be empty. `{id…}` matches one or more
/// segments with the slashes between them, not empty as a whole. A pattern ending in `/…` matches the path before it
/// and everything below: `/api/…` matches `/api` and `/api/records`, but not `/apiary`.
public struct HTTPPath: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    private enum Part: Hashable {
        case literal(String)
        case one(String)
        case several(String)
        /// Everything below a mounted handler.
        case below

        init(_ text: String) {
            if text == "…" {
                self = .below
            } else if text.hasPrefix("{"), text.hasSuffix("…}") {
                self = .several(String(text.dropFirst().dropLast(2)))
            } else if text.hasPrefix("{"), text.hasSuffix("}") {
                self = .one(String(text.dropFirst().dropLast()))
            } else {
                self = .literal(text)
            }
        }

        var rank: Int {
            switch self {
            case .literal: 3
            case .one: 2
            case .several: 1
            case .below: 0
            }
        }

        /// Whether it can match several segments.
        var isWide: Bool {
            switch self {
            case .several, .below: true
            case .literal, .one: false
            }
        }
    }

    /// The pattern as written.
    public let description: String
    private let parts: [Part]

    /// Creates a pattern; it begins with a slash.
    public init(stringLiteral text: String) {
        description = text
        parts = Self.parts(of: text).map(Part.init)
        assert(parts.count { $0.isWide } <= 1, "\(text) leaves open where its first wide part ends")
    }

    /// The segments; none without a leading slash. Compares bytes, because a combining mark after a slash must not hide
    /// it.
    static func parts(of path: String) -> [String] {
        guard path.utf8.first == UInt8(ascii: "/") else { return [] }
        return path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// The values of the pattern's names, or `nil` if the path does not match.
    func match(_ path: [String]) -> [String: String]? {
        var values: [String: String] = [:]
        guard let wide = parts.firstIndex(where: \.isWide) else {
            return path.count == parts.count && Self.match(parts[...], path[...], &values) ? values : nil
        }
        let behind = parts[(wide + 1)...]
        guard path.count >= wide + behind.count else { return nil }
        let end = path.count - behind.count
        guard Self.match(parts[..<wide], path[..<wide], &values), Self.match(behind, path[end...], &values) else {
            return nil
        }
        if case .several(let name) = parts[wide] {
            let value = path[wide..<end].joined(separator: "/")
            guard !value.isEmpty else { return nil }
            values[name] = value
        }
        return values
    }

    private static func match(
        _ parts: ArraySlice<Part>, _ path: ArraySlice<String>, _ values: inout [String: String]
    ) -> Bool {
        for (part, text) in zip(parts, path) {
            switch part {
            case .literal(let literal): guard literal == text else { return false }
            case .one(let name): values[name] = text
            case .several, .below: return false
            }
        }
        return true
    }

    /// Ranks by segment. An end ranks above any segment, except after a wide one, where it may be anywhere.
    private var precision: [Int] { parts.map(\.rank) + (parts.last?.isWide == true ? [] : [4]) }

    /// Whether this pattern is less specific than another that matches the same path; the first differing segment
    /// decides.
    func isLessPrecise(than other: HTTPPath) -> Bool {
        precision.lexicographicallyPrecedes(other.precision)
    }
}
