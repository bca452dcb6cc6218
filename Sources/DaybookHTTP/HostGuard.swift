/// Wraps a handler so that no route can forget to check `Host` and `Origin`: a request that the policy denies gets 403
/// before routing.
public struct HostGuard: HTTPHandler {
    private let policy: HostPolicy
    private let handler: any HTTPHandler
    private let onDenial: @Sendable () -> Void

    /// Creates a guard around `handler`.
    /// - Parameter onDenial: called for each denied request. Default: none.
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

    public func sender(of head: HTTPRequest.Head) -> String? { handler.sender(of: head) }

    public func work(of head: HTTPRequest.Head) -> HTTPWork { handler.work(of: head) }

    public func allows(_ head: HTTPRequest.Head) -> Bool { handler.allows(head) }

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

/// Which `Host` and `Origin` a request may have (pure).
///
/// A web page can make a browser send requests to a server on the user's machine: by pointing its own name at 127.0.0.1
/// (DNS rebinding; `Host` is then that name) or by posting across sites (`Origin` is then that site). The browser sets
/// both headers, and the page cannot change them, so an exact comparison prevents both.
public struct HostPolicy: Sendable {
    /// The decision on a request.
    public enum Decision: Sendable, Equatable {
        case allow
        /// Denied, with a sentence that says why.
        case deny(String)
    }

    private let authorities: Set<String>
    private let namedAuthorities: Set<String>
    private let isSecure: Bool

    /// Creates a policy that allows the loopback authorities of a port, and exact names.
    ///
    /// - Parameters:
    ///   - port: the bound port; on port 80, authorities without a port are also allowed.
    ///   - names: additional `Host` values, as clients send them: `logs.example:4318`, or `logs.example` behind a proxy
    ///     that listens on 80 or 443. Compared exactly, ignoring case; no wildcards.
    ///   - addresses: additional `Host` values that the server itself is bound to; unlike `names`, never behind a
    ///     proxy.
    ///   - isSecure: whether the server itself uses TLS: its own origins must then begin with `https`. Default:
    ///     `false`.
    public init(
        loopbackPort port: Int, names: [String] = [], addresses: [String] = [], isSecure: Bool = false
    ) {
        self.isSecure = isSecure
        var authorities = Set((Loopback.authorities(port: port) + addresses).map { $0.lowercased() })
        let named = Set(names.map { $0.lowercased() })
        authorities.formUnion(named)
        self.authorities = authorities
        namedAuthorities = named
    }

    /// Decides on a request's headers.
    public func judge(_ headers: HTTPHeaders) -> Decision {
        let hosts = headers.all("host")
        guard hosts.count == 1, let host = hosts.first?.lowercased() else {
            return .deny("The request needs exactly one Host header.")
        }
        guard authorities.contains(host) else {
            return .deny(
                "The host \(host) is not served here; use an address that the server listens on, or start it with "
                    + "`--host \(host)`.")
        }
        let origins = headers.all("origin")
        if origins.isEmpty { return .allow }
        guard origins.count == 1, isSame(origin: origins[0], host: host) else {
            return .deny("The origin \(origins[0]) is not this server; cross-site requests are refused.")
        }
        return .allow
    }

    private func isSame(origin: String, host: String) -> Bool {
        let origin = origin.lowercased()
        if isSecure { return origin == "https://" + host }
        if origin == "http://" + host { return true }
        // Only a configured name can be behind a proxy that terminates TLS.
        return namedAuthorities.contains(host) && origin == "https://" + host
    }
}

/// How clients on the same machine address a server.
public enum Loopback {
    /// The hosts that always mean this machine, as written in a `Host` header.
    public static let hosts = ["127.0.0.1", "localhost", "[::1]"]

    /// The `Host` values that reach `port` on this machine. Clients omit port 80.
    public static func authorities(port: Int) -> [String] {
        let withPort = hosts.map { "\($0):\(port)" }
        return port == 80 ? withPort + hosts : withPort
    }
}
