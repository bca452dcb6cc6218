#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Whether a server may listen where it was told to: what others can reach needs TLS and keys (pure).
enum Exposure {
    /// What is missing; `nil` where nothing is.
    static func missing(addresses: [String], hasTLS: Bool, hasKeys: Bool) -> String? {
        guard let address = addresses.first(where: { !isLoopback($0) }), !hasTLS || !hasKeys else { return nil }
        let missing = [hasTLS ? nil : "TLS (--tls-cert, --tls-key)", hasKeys ? nil : "keys (--keys)"]
            .compactMap { $0 }.joined(separator: " and ")
        return "\(address) can be reached from elsewhere, without \(missing)"
    }

    /// An address to listen on.
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
