/// Answers requests. The same handler runs behind a socket, behind a web view's scheme handler, and in a test.
///
/// Implementations are safe to call from any number of tasks at once.
public protocol HTTPHandler: Sendable {
    /// Decides on the head alone, before any body is read: how much body to take, or an answer at once.
    func admit(_ head: HTTPRequest.Head) -> HTTPAdmission

    /// Answers a whole request. Never throws: an error is a response.
    func respond(to request: HTTPRequest) async -> HTTPResponse
}

/// What a handler says to the head of a request.
public enum HTTPAdmission: Sendable {
    /// Read the body, at most this many bytes; one byte more is answered with 413.
    case accept(bodyLimit: Int)
    /// Answer now; the body is discarded (at most 1 MiB of it) first.
    case refuse(HTTPResponse)
}

/// Sends each request to the handler of the most precise path that matches it.
///
/// The path is chosen before the method: a `DELETE` on a path that knows only `GET` is 405 with `Allow`, even where
/// a wider route would take any method. No path at all is 404. Both are said at admission, so that no body is read.
public struct HTTPRouter: HTTPHandler {
    private let routes: [HTTPRoute]

    /// A router. Routes with the same path are tried in their order.
    public init(_ routes: [HTTPRoute]) {
        self.routes = routes
    }

    public func admit(_ head: HTTPRequest.Head) -> HTTPAdmission {
        switch choose(head) {
        case .handler(let handler): handler.admit(head)
        case .answer(let response): .refuse(response)
        }
    }

    public func respond(to request: HTTPRequest) async -> HTTPResponse {
        switch choose(request.head) {
        case .handler(let handler): await handler.respond(to: request)
        case .answer(let response): response
        }
    }

    private enum Choice {
        case handler(any HTTPHandler)
        case answer(HTTPResponse)
    }

    private func choose(_ head: HTTPRequest.Head) -> Choice {
        let matching = routes.filter { $0.path.matches(head.path) }
        guard let precision = matching.map(\.path.precision).max() else {
            return .answer(.problem(404, code: "not_found", "There is nothing at \(head.path)."))
        }
        let candidates = matching.filter { $0.path.precision == precision }
        if let route = candidates.first(where: { $0.takes(method: head.method) }) { return .handler(route.handler) }
        return .answer(Self.methodNotAllowed(head, candidates))
    }

    private static func methodNotAllowed(_ head: HTTPRequest.Head, _ candidates: [HTTPRoute]) -> HTTPResponse {
        var allowed = Set(candidates.flatMap { $0.methods ?? [] })
        if allowed.contains("GET") { allowed.insert("HEAD") }
        let list = allowed.sorted().joined(separator: ", ")
        var response = HTTPResponse.problem(
            405, code: "method_not_allowed", "\(head.path) takes \(list), not \(head.method).")
        response.headers["allow"] = list
        return response
    }
}

/// One entry of a router: which requests go to which handler.
public struct HTTPRoute: Sendable {
    /// Which paths a route takes.
    public enum Path: Sendable, Hashable {
        /// This path alone.
        case exact(String)
        /// This path and what lies below it: `/api` takes `/api` and `/api/records`, never `/apiary`. `/` takes all.
        case prefix(String)
    }

    /// The methods taken, in upper case; `nil` takes every method. `GET` takes `HEAD` too.
    public var methods: [String]?
    /// The paths taken.
    public var path: Path
    /// Who answers.
    public var handler: any HTTPHandler

    /// A route.
    public init(_ methods: [String]?, _ path: Path, _ handler: any HTTPHandler) {
        self.methods = methods
        self.path = path
        self.handler = handler
    }

    func takes(method: String) -> Bool {
        guard let methods else { return true }
        return methods.contains(method) || (method == "HEAD" && methods.contains("GET"))
    }
}

extension HTTPRoute.Path {
    func matches(_ path: String) -> Bool {
        switch self {
        case .exact(let text):
            return path == text
        case .prefix(let text):
            // In bytes: a character comparison would let a combining mark after the prefix hide it.
            let prefix = text.hasSuffix("/") ? text.utf8.dropLast() : text.utf8[...]
            guard path.utf8.starts(with: prefix) else { return false }
            let rest = path.utf8.dropFirst(prefix.count)
            return rest.isEmpty || rest.first == UInt8(ascii: "/")
        }
    }

    /// Which of two matching paths wins: the longer, and at the same length the exact one.
    var precision: Int {
        switch self {
        case .exact(let text): text.utf8.count * 2 + 1
        case .prefix(let text): text.utf8.count * 2
        }
    }
}
