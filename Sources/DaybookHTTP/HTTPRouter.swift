/// Dispatches each request to the route with the most specific matching path.
///
/// The path takes precedence over the method: `DELETE` on a path that has only `GET` is 405 with `Allow`, even if a
/// wider route accepts any method. An unknown path is 404, and a query that the route does not permit is 400. All are
/// decided at admission, so no body is read, and only after authorization, so others cannot probe which paths exist.
/// Thread-safe.
public struct HTTPRouter: HTTPHandler {
    private let routes: [HTTPRoute]
    private let authorize: @Sendable (HTTPRequest.Head) throws -> Void
    private let failure: @Sendable (any Error) -> HTTPResponse

    /// Creates a router.
    /// - Parameters:
    ///   - routes: those with the same path are tried in order.
    ///   - authorize: throws to reject a request. Called for every request, even without a route, except on open
    ///     routes. Default: all are allowed.
    ///   - failure: creates the response to an error of `authorize` or a route, or to an ``HTTPRoutingError``. Default:
    ///     ``HTTPResponse/problem(_:code:_:)``.
    public init(
        _ routes: [HTTPRoute], authorize: @escaping @Sendable (HTTPRequest.Head) throws -> Void = { _ in },
        failure: @escaping @Sendable (any Error) -> HTTPResponse = { HTTPRouter.problem($0) }
    ) {
        self.routes = routes
        self.authorize = authorize
        self.failure = failure
    }

    public func admit(_ head: HTTPRequest.Head) -> HTTPAdmission {
        do {
            switch try choose(head).route.target {
            case .closure(let bodyLimit, _): return .accept(bodyLimit: bodyLimit)
            case .handler(let handler): return handler.admit(head)
            }
        } catch {
            return .refuse(response(to: error))
        }
    }

    public func sender(of head: HTTPRequest.Head) -> String? {
        guard case .handler(let handler)? = try? choose(head).route.target else { return nil }
        return handler.sender(of: head)
    }

    public func work(of head: HTTPRequest.Head) -> HTTPWork {
        guard let route = try? choose(head).route else { return .ordinary }
        return if case .handler(let handler) = route.target { handler.work(of: head) } else { route.work }
    }

    public func allows(_ head: HTTPRequest.Head) -> Bool {
        guard let route = try? choose(head).route else { return false }
        return if case .handler(let handler) = route.target { handler.allows(head) } else { true }
    }

    public func respond(to request: HTTPRequest) async -> HTTPResponse {
        do {
            let (route, values) = try choose(request.head)
            switch route.target {
            case .closure(_, let answer): return try await answer(RoutedRequest(request, values: values))
            case .handler(let handler): return await handler.respond(to: request)
            }
        } catch {
            return response(to: error)
        }
    }

    /// The authorized request's route.
    private func choose(_ head: HTTPRequest.Head) throws -> (route: HTTPRoute, values: [String: String]) {
        let candidates = candidates(at: head.path)
        let chosen = candidates.first { $0.route.takes(method: head.method) }
        let asked = chosen.map { [$0] } ?? candidates
        if asked.isEmpty || !asked.allSatisfy(\.route.isOpen) { try authorize(head) }
        guard !candidates.isEmpty else { throw HTTPRoutingError.notFound(path: head.path) }
        guard let chosen else {
            let allowed = Set(candidates.flatMap(\.route.allowed)).sorted()
            throw HTTPRoutingError.methodNotAllowed(path: head.path, method: head.method, allowed: allowed)
        }
        try chosen.route.check(head.query)
        return chosen
    }

    /// Routes with the most specific matching path.
    private func candidates(at path: String) -> [(route: HTTPRoute, values: [String: String])] {
        let parts = HTTPPath.parts(of: path)
        let matching = routes.compactMap { route in
            route.path.match(parts).map { (route: route, values: $0) }
        }
        return matching.filter { candidate in
            !matching.contains { candidate.route.path.isLessPrecise(than: $0.route.path) }
        }
    }

    private func response(to error: any Error) -> HTTPResponse {
        var response = failure(error)
        if case .methodNotAllowed(_, _, let allowed) = error as? HTTPRoutingError {
            response.headers["allow"] = allowed.joined(separator: ", ")
        }
        return response
    }

    /// The response in the error format of JSON routes: 400, 404, 405, or 500 for an error that a route threw.
    public static func problem(_ error: any Error) -> HTTPResponse {
        guard let error = error as? HTTPRoutingError else {
            return .problem(500, code: "internal", "The request failed: \(error).")
        }
        switch error {
        case .badRequest: return .problem(400, code: "bad_request", error.description)
        case .notFound: return .problem(404, code: "not_found", error.description)
        case .methodNotAllowed: return .problem(405, code: "method_not_allowed", error.description)
        }
    }
}

/// Why no route answers a request.
public enum HTTPRoutingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// 400: part of the query or body is invalid. The message is one line that names it.
    case badRequest(_ message: String)
    /// 404.
    case notFound(path: String)
    /// 405; the router adds `Allow`. `allowed` is sorted, and includes `HEAD` where `GET` accepts it.
    case methodNotAllowed(path: String, method: String, allowed: [String])

    /// One line, fit for people.
    public var description: String {
        switch self {
        case .badRequest(let message):
            return message
        case .notFound(let path):
            return "There is nothing at \(path)."
        case .methodNotAllowed(let path, let method, let allowed):
            // `HEAD` follows from `GET`.
            let names = allowed.filter { $0 != "HEAD" }.joined(separator: ", ")
            return "\(path) takes \(names), not \(method)."
        }
    }
}
