import DaybookHTTP

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
