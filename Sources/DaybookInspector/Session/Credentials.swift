import DaybookHTTP

/// How a request shows the token: `Authorization: Bearer …` for programs, a cookie for the page.
struct Credentials: Sendable {
    let token: AccessToken
    /// Whether the server speaks TLS only; then a browser must never send the cookie in the clear.
    var isSecure = false

    func allow(_ head: HTTPRequest.Head) -> Bool {
        if let authorization = head.headers["authorization"] {
            let parts = authorization.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == "bearer" else { return false }
            return token.matches(parts[1])
        }
        let name = Self.cookieName(head) + "="
        return head.headers.all("cookie").contains { header in
            header.split(separator: ";").contains { cookie in
                let cookie = cookie.drop { $0 == " " }
                return cookie.hasPrefix(name) && token.matches(cookie.dropFirst(name.count))
            }
        }
    }

    /// The header that hands the page its cookie. Scripts cannot read it, other sites cannot send it.
    func cookie(for head: HTTPRequest.Head) -> String {
        "\(Self.cookieName(head))=\(token.text); Path=/; HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
    }

    /// Cookies ignore ports; the port in the name keeps two inspectors on one machine apart.
    private static func cookieName(_ head: HTTPRequest.Head) -> String {
        guard let host = head.headers["host"], let colon = host.lastIndex(of: ":") else { return "daybook" }
        let port = host[host.index(after: colon)...]
        guard !port.isEmpty, port.count <= 5, port.allSatisfy({ $0.isASCII && $0.isNumber }) else { return "daybook" }
        return "daybook-\(port)"
    }
}
