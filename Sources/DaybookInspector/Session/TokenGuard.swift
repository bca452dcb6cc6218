import DaybookHTTP

/// Asks for the inspector's token before a handler of another module, so that its routes can stand beside the
/// inspector's own.
package struct TokenGuard: HTTPHandler {
    private let credentials: Credentials
    private let handler: any HTTPHandler

    /// A guard around `handler`.
    package init(_ token: AccessToken, around handler: any HTTPHandler) {
        credentials = Credentials(token: token)
        self.handler = handler
    }

    package func admit(_ head: HTTPRequest.Head) -> HTTPAdmission {
        if !credentials.allow(head) { return .refuse(denial) }
        return handler.admit(head)
    }

    package func respond(to request: HTTPRequest) async -> HTTPResponse {
        if !credentials.allow(request.head) { return denial }
        return SecurityHeaders.add(to: await handler.respond(to: request))
    }

    private var denial: HTTPResponse {
        SecurityHeaders.add(
            to: .problem(
                401, code: "unauthorized", "The token is missing or wrong: open the address that daybook printed."))
    }
}
