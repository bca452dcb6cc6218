import DaybookTools

/// One entry of a router: which requests it takes, and how they are answered.
///
///     HTTPRoute("GET", "/api/v1/records/{id}", parameters: ["private"]) { try await record($0.number("id"), $0.query) }
///     HTTPRoute("POST", "/api/v1/sql", bodyLimit: 65_536) { try await run($0.body) }
///     HTTPRoute(nil, "/…", inspector)
public struct HTTPRoute: Sendable {
    /// Answers a request whose path matched; the router turns what it throws into a response.
    public typealias Answer = @Sendable (RoutedRequest) async throws -> HTTPResponse

    enum Target: Sendable {
        case closure(bodyLimit: Int, Answer)
        case handler(any HTTPHandler)
    }

    /// The methods taken, in upper case; `nil` for all.
    public let methods: [String]?
    /// The paths taken.
    public let path: HTTPPath
    /// Whether the router's `authorize` is skipped.
    public let isOpen: Bool
    /// The names that a query may have; `nil` for any, which the route then judges itself.
    public let parameters: Set<String>?
    let answersHead: Bool
    /// What kind of work an answer is; a mounted handler says it itself.
    package let work: HTTPWork
    let target: Target

    /// Creates a route to a closure.
    /// - Parameters:
    ///   - method: in upper case.
    ///   - path: the pattern of the paths taken.
    ///   - parameters: the names that a query may have, each once and with a value; anything else is answered with 400.
    ///     `nil` for any query. Default: none.
    ///   - bodyLimit: the most bytes of body that are read; one more is answered with 413. Default: 0.
    ///   - isOpen: whether anyone may call it: the router's `authorize` is then skipped. Default: `false`.
    ///   - answersHead: whether `GET` also takes `HEAD`; the transport omits the body, but cannot omit a stream, which
    ///     has no end. Default: `true`.
    ///   - work: what kind of work an answer is. Default: ``HTTPWork/ordinary``.
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

    /// Mounts a whole handler, which does its own admission and answering.
    /// - Parameters:
    ///   - methods: in upper case; `nil` for all. `GET` also takes `HEAD`.
    ///   - path: the pattern of the paths taken.
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

    /// Refuses a query of which something would have to go without a word, and with it a condition of what is erased or
    /// judged.
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

    /// The most bytes of body that are read; `nil` where a mounted handler decides.
    package var bodyLimit: Int? {
        if case .closure(let limit, _) = target { limit } else { nil }
    }

    /// The methods for the header `Allow`.
    var allowed: [String] {
        guard let methods else { return [] }
        return methods + (answersHead && methods.contains("GET") ? ["HEAD"] : [])
    }
}

/// A request and what the route's pattern matched in its path.
public struct RoutedRequest: Sendable {
    /// The whole request.
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

    /// The text in the path for `{name}`; empty if the pattern has no such name.
    public func text(_ name: String) -> String { values[name] ?? "" }

    /// The whole number in the path for `{name}`.
    /// - Throws: ``HTTPRoutingError`` for anything else: there is nothing at that path.
    public func number(_ name: String) throws(HTTPRoutingError) -> Int64 {
        guard let number = Int64(text(name)) else { throw .notFound(path: head.path) }
        return number
    }
}

/// A pattern of paths.
///
/// `/records` matches only this path. `{id}` matches one part of a path, which may be empty, and `{id…}` one or more
/// parts, including the slashes between them, which together are not empty. A pattern that ends in `/…` matches the
/// path before it and everything below: `/api/…` matches `/api` and `/api/records`, never `/apiary`.
public struct HTTPPath: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    private enum Part: Hashable {
        case literal(String)
        case one(String)
        case several(String)
        /// What lies below a mounted handler.
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

        /// Whether it stands for more than one part of a path.
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

    /// What stands between the slashes; none for what does not begin with one. In bytes: a combining mark behind a slash
    /// must not hide it.
    static func parts(of path: String) -> [String] {
        guard path.utf8.first == UInt8(ascii: "/") else { return [] }
        return path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// What stands for the pattern's names in a path, or `nil` where the path does not match.
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

    /// By part; an end says more than any part could, but for the end of a wide part, which may lie anywhere.
    private var precision: [Int] { parts.map(\.rank) + (parts.last?.isWide == true ? [] : [4]) }

    /// Whether this pattern says less of the paths that both match: the first part in which two differ decides.
    func isLessPrecise(than other: HTTPPath) -> Bool {
        precision.lexicographicallyPrecedes(other.precision)
    }
}
