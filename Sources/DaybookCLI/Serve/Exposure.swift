import DaybookInspector

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Glibc
#endif

/// Beyond loopback, a server needs TLS and keys (pure).
enum Exposure {
    /// What is missing, if anything.
    static func missing(addresses: [String], hasTLS: Bool, hasKeys: Bool) -> String? {
        guard let address = addresses.first(where: { !isLoopback($0) }), !hasTLS || !hasKeys else { return nil }
        let missing = [hasTLS ? nil : "TLS (--tls-cert, --tls-key)", hasKeys ? nil : "keys (--keys)"]
            .compactMap { $0 }.joined(separator: " and ")
        return "\(address) can be reached from elsewhere, without \(missing)"
    }

    /// Checks an address to listen on.
    /// - Throws: ``UsageError`` for a name.
    static func numeric(_ address: String) throws(UsageError) -> String {
        var room = in6_addr()
        guard inet_pton(AF_INET, address, &room) == 1 || inet_pton(AF_INET6, address, &room) == 1 else {
            throw UsageError(
                message: "--listen takes numeric addresses, not `\(address)`", hint: "127.0.0.1, ::1, 0.0.0.0 or ::")
        }
        return address
    }

    /// 127.0.0.0/8 (RFC 1122 §3.2.1.3) and ::1.
    static func isLoopback(_ address: String) -> Bool {
        if address == "::1" { return true }
        let parts = address.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}

/// The address at which phones reach the collector (pure).
enum PairingAddress {
    /// The lifetime of a paired phone's key: a day of testing.
    static let keyLifetime = Duration.seconds(12 * 3_600)

    /// The address in a pairing code: a name from the operator, else an external address, else, for simulators,
    /// loopback.
    /// - Parameters:
    ///   - endpoints: what the server listens on: `192.168.1.5:4318`, `[::1]:4318`.
    ///   - names: further `Host` values it serves.
    ///   - isSecure: whether the server itself uses TLS.
    static func choose(endpoints: [String], names: [String], isSecure: Bool) -> PairingDesk.Address {
        let own = isSecure ? "https" : "http"
        if let name = names.first(where: { !isLocal(host($0)) }) {
            // With another port, or none, a reverse proxy terminates TLS.
            let isOwn = port(name) != nil && endpoints.contains { port($0) == port(name) }
            return .init(collector: "\(isOwn ? own : "https")://\(name)", isLocal: false)
        }
        if let endpoint = endpoints.first(where: { !isLocal(host($0)) && !isWildcard(host($0)) }) {
            return .init(collector: "\(own)://\(endpoint)", isLocal: false)
        }
        let local = endpoints.first { isLocal(host($0)) }
        let fallback = endpoints.first.flatMap { port($0) }.map { "127.0.0.1:\($0)" } ?? "127.0.0.1"
        return .init(collector: "\(own)://\(local ?? fallback)", isLocal: true)
    }

    private static func isLocal(_ host: Substring) -> Bool {
        host == "localhost" || Exposure.isLoopback(String(host))
    }

    private static func isWildcard(_ host: Substring) -> Bool { host == "0.0.0.0" || host == "::" }

    /// Without port and IPv6 brackets.
    private static func host(_ authority: String) -> Substring {
        if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
            return authority[authority.index(after: authority.startIndex)..<end]
        }
        return authority.split(separator: ":", maxSplits: 1).first ?? ""
    }

    private static func port(_ authority: String) -> Substring? {
        let rest = authority.hasPrefix("[") ? authority.split(separator: "]").last ?? "" : authority[...]
        guard let colon = rest.lastIndex(of: ":") else { return nil }
        return rest[rest.index(after: colon)...]
    }
}
