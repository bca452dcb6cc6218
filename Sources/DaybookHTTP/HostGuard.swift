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

    public func sender(of head: HTTPRequest.Head) -> String? { handler.sender(of: head) }

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

/// Which `Host` and `Origin` a request may carry (pure).
///
/// A page on the web can make a browser send requests to a server on the user's own machine: by pointing its own name
/// at 127.0.0.1 (DNS rebinding; the `Host` is then that name) or by posting across sites (the `Origin` is then that
/// site). Both headers are set by the browser, out of the page's reach, so an exact comparison shuts both doors.
public struct HostPolicy: Sendable {
    /// What is said to a request.
    public enum Verdict: Sendable, Equatable {
        case allow
        /// A sentence that says what was wrong.
        case deny(String)
    }

    private let authorities: Set<String>
    private let namedAuthorities: Set<String>
    private let isSecure: Bool

    /// A policy that allows the loopback authorities of a port, and names given exactly.
    ///
    /// - Parameters:
    ///   - port: the port that the server is bound to; on port 80 the authorities without a port are allowed too.
    ///   - names: further values of `Host`, as a client sends them: `logs.example:4318`, or `logs.example` behind a
    ///     proxy that listens on 80 or 443. Compared exactly, but for case; there are no wildcards.
    ///   - addresses: further values of `Host` that the server itself is bound to; unlike `names`, never behind a proxy.
    ///   - isSecure: whether the server itself speaks TLS: origins of its own then begin with `https`, and only so.
    ///     Default: no.
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

    /// Judges a request's headers.
    public func judge(_ headers: HTTPHeaders) -> Verdict {
        let hosts = headers.all("host")
        guard hosts.count == 1, let host = hosts.first?.lowercased() else {
            return .deny("The request needs exactly one Host header.")
        }
        guard authorities.contains(host) else {
            return .deny(
                "The host \(host) is not served here; use an address that the server listens on, or allow the name.")
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
        // Only a configured name can be reached through a proxy that ends TLS.
        return namedAuthorities.contains(host) && origin == "https://" + host
    }
}

/// The ways a client on the same machine names a server.
public enum Loopback {
    /// The hosts that always mean this machine, as they stand in a `Host` header.
    public static let hosts = ["127.0.0.1", "localhost", "[::1]"]

    /// The values of `Host` that reach `port` on this machine. Clients leave out port 80.
    public static func authorities(port: Int) -> [String] {
        let withPort = hosts.map { "\($0):\(port)" }
        return port == 80 ? withPort + hosts : withPort
    }
}
