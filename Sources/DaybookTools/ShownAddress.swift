/// An address for display: for many services, anyone who knows the path or query may write there, and a password may
/// precede the host.
package enum ShownAddress {
    /// `https://hooks.example/…` hides everything after the host. Text that is not an address stays.
    package static func of(_ text: some StringProtocol) -> String {
        guard let mark = text.firstRange(of: "://") else { return String(text) }
        let authority = text[mark.upperBound...].prefix { !"/?#\\".contains($0) }
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? authority
        let rest = text[authority.endIndex...]
        let isWhole = (rest.isEmpty || rest == "/") && host.startIndex == authority.startIndex
        return "\(text[..<mark.upperBound])\(host)\(isWhole ? String(rest) : "/…")"
    }
}
