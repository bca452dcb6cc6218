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
