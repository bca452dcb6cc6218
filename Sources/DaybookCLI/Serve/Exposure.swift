/// Whether a server may listen where it was told to: what others can reach needs TLS and keys (pure).
enum Exposure {
    /// - Throws: ``UsageError`` that says what is missing, unless it was allowed.
    static func check(
        addresses: [String], hasTLS: Bool, hasKeys: Bool, isAllowed: Bool
    ) throws(UsageError) {
        guard !isAllowed, let address = addresses.first(where: { !isLoopback($0) }), !hasTLS || !hasKeys else { return }
        let missing = [hasTLS ? nil : "TLS (--tls-cert, --tls-key)", hasKeys ? nil : "keys (--keys)"]
            .compactMap { $0 }.joined(separator: " and ")
        throw UsageError(
            message: "\(address) can be reached from elsewhere, without \(missing)",
            hint: "--insecure listens all the same: behind a proxy that has both")
    }

    /// 127.0.0.0/8 (RFC 1122 §3.2.1.3) and ::1.
    static func isLoopback(_ address: String) -> Bool {
        if address == "::1" { return true }
        let parts = address.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
