import DaybookHTTP

/// A handler from a closure, with one limit for every body.
struct ClosureHandler: HTTPHandler {
    var admission: @Sendable (HTTPRequest.Head) -> HTTPAdmission
    var answer: @Sendable (HTTPRequest) async -> HTTPResponse

    init(bodyLimit: Int = 1 << 20, _ answer: @escaping @Sendable (HTTPRequest) async -> HTTPResponse) {
        self.admission = { _ in .accept(bodyLimit: bodyLimit) }
        self.answer = answer
    }

    init(refusing response: HTTPResponse) {
        admission = { _ in .refuse(response) }
        answer = { _ in HTTPResponse(status: 500) }
    }

    func admit(_ head: HTTPRequest.Head) -> HTTPAdmission { admission(head) }
    func respond(to request: HTTPRequest) async -> HTTPResponse { await answer(request) }

    /// Answers with the method, the path and the size of the body.
    static let echo = ClosureHandler(bodyLimit: 8 << 20) { request in
        HTTPResponse(
            status: 200, contentType: "text/plain",
            text: "\(request.head.method) \(request.head.path) \(request.body.count)")
    }
}

func ok(_ text: String) -> ClosureHandler {
    ClosureHandler { _ in HTTPResponse(status: 200, contentType: "text/plain", text: text) }
}
