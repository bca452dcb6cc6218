import DaybookHTTP

/// A question that the API answers: its path, its parameters, and the form of its answer. Defines both routes and
/// clients.
package struct Endpoint<Answer: Sendable>: Sendable {
    package let method: String
    /// With `{id}` or `{id…}` for the variable part.
    package let path: String
    package let parameters: Set<String>
    package let form: Form<Answer>

    /// - Parameters:
    ///   - path: Below `/api/v1/`.
    ///   - parameters: The permitted ones. Default: none.
    package init(_ method: String, _ path: String, parameters: Set<String> = [], _ form: Form<Answer>) {
        (self.method, self.path, self.parameters, self.form) = (method, "/api/v1/" + path, parameters, form)
    }

    /// The path with its variable part.
    package func path(of id: String) -> String {
        guard let start = path.firstIndex(of: "{"), let end = path.lastIndex(of: "}") else { return path }
        return String(path[..<start]) + id + path[path.index(after: end)...]
    }
}

/// A query's parameters, decoded, in order.
package typealias Parameters = [(name: String, value: String)]

extension HTTPRoute {
    package init<Answer>(
        _ endpoint: Endpoint<Answer>, bodyLimit: Int = 0, isOpen: Bool = false, work: HTTPWork = .ordinary,
        answer: @escaping @Sendable (RoutedRequest) async throws -> Answer
    ) {
        self.init(responding: endpoint, bodyLimit: bodyLimit, isOpen: isOpen, work: work) {
            HTTPResponse(endpoint.form, try await answer($0))
        }
    }

    /// For an endpoint whose answer has another form on request.
    package init<Answer>(
        responding endpoint: Endpoint<Answer>, bodyLimit: Int = 0, isOpen: Bool = false, work: HTTPWork = .ordinary,
        response: @escaping HTTPRoute.Answer
    ) {
        self.init(
            endpoint.method, HTTPPath(stringLiteral: endpoint.path), parameters: endpoint.parameters,
            bodyLimit: bodyLimit, isOpen: isOpen, work: work, answer: response)
    }
}

extension HTTPResponse {
    package init<Answer>(_ form: Form<Answer>, _ answer: Answer) { self = .json(Envelope.success(form, answer)) }

    package init(failure error: any Error) {
        let problem =
            switch error {
            case let error as HTTPRoutingError: Problem(error.code, error.description)
            default: Problem(error)
            }
        self = .problem(problem.code.status, code: problem.code.rawValue, problem.message)
    }
}

extension HTTPRoutingError {
    fileprivate var code: Problem.Code {
        switch self {
        case .badRequest: .badRequest
        case .notFound: .notFound
        case .methodNotAllowed: .methodNotAllowed
        }
    }
}
