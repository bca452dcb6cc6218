/// Wraps a handler so that no route behind it can forget the `Host` and `Origin` check: what the policy denies is
/// answered with 403 before any route is chosen.
public struct HostGuard: HTTPHandler {
    private let policy: HostPolicy
    private let handler: any HTTPHandler

    /// A guard around `handler`.
    public init(_ policy: HostPolicy, around handler: any HTTPHandler) {
        self.policy = policy
        self.handler = handler
    }

    public func admit(_ head: HTTPRequest.Head) -> HTTPAdmission {
        if let denial = denial(of: head) { return .refuse(denial) }
        return handler.admit(head)
    }

    /// Checks again: a transport that skips admission must not skip the guard.
    public func respond(to request: HTTPRequest) async -> HTTPResponse {
        if let denial = denial(of: request.head) { return denial }
        return await handler.respond(to: request)
    }

    private func denial(of head: HTTPRequest.Head) -> HTTPResponse? {
        switch policy.judge(head.headers) {
        case .allow: nil
        case .deny(let reason): .problem(403, code: "forbidden_host", reason)
        }
    }
}
