/// An address as people see it who need not be able to use it: of many services whoever knows the path or the query may
/// write there, and before the host may stand a password.
package enum ShownAddress {
    /// `https://hooks.example/…` for all that leads anywhere behind the host. What is no address stays.
    package static func of(_ text: some StringProtocol) -> String {
        guard let mark = text.firstRange(of: "://") else { return String(text) }
        let authority = text[mark.upperBound...].prefix { !"/?#\\".contains($0) }
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? authority
        let rest = text[authority.endIndex...]
        let isWhole = (rest.isEmpty || rest == "/") && host.startIndex == authority.startIndex
        return "\(text[..<mark.upperBound])\(host)\(isWhole ? String(rest) : "/…")"
    }
}
