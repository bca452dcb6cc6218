/// Wraps a handler so that no route behind it can forget the `Host` and `Origin` check: what the policy denies is
/// answered with 403 before any route is chosen.
public struct HostGuard: HTTPHandler {
    private let policy: HostPolicy
    private let handler: any HTTPHandler
    private let onDenial: @Sendable () -> Void

    /// A guard around `handler`.
    /// - Parameter onDenial: told of each request that is denied. Default none.
    public init(
        _ policy: HostPolicy, around handler: any HTTPHandler, onDenial: @escaping @Sendable () -> Void = {}
    ) {
        self.policy = policy
        self.handler = handler
        self.onDenial = onDenial
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
        guard case .deny(let reason) = policy.judge(head.headers) else { return nil }
        onDenial()
        return .problem(403, code: "forbidden_host", reason)
    }
}
