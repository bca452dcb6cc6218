import DaybookBase
import DaybookHTTP

/// The secret that opens the inspector: 128 random bits, shown once in the address that `daybook serve` prints.
///
/// Value semantics; safe to share between threads. Its description does not show it.
public struct AccessToken: Sendable, CustomStringConvertible {
    /// 32 lowercase hexadecimal digits.
    public let text: String

    /// A token from a source of random numbers that is fit for secrets.
    public init(using source: inout some RandomNumberGenerator) {
        text = Hex.text(source.next()) + Hex.text(source.next())
    }

    /// A token from the system's random numbers.
    public init() {
        var source = SystemRandomNumberGenerator()
        self.init(using: &source)
    }

    /// A token that was kept: 32 lowercase hexadecimal digits; anything else is `nil`.
    public init?(text: String) {
        guard text.utf8.count == 32, text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { return nil }
        self.text = text
    }

    public var description: String { "AccessToken(…)" }

    /// Whether `candidate` is this token. Takes the same time wherever the two differ.
    func matches(_ candidate: some StringProtocol) -> Bool {
        let own = Array(text.utf8)
        let other = Array(candidate.utf8.prefix(own.count + 1))
        var difference = UInt8(own.count == other.count ? 0 : 1)
        for index in own.indices { difference |= own[index] ^ (index < other.count ? other[index] : 0) }
        return difference == 0
    }
}

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

/// Hands the page its cookie.
struct SessionAPI: Sendable {
    private struct Body: Decodable { var token: String }

    let credentials: Credentials

    /// Open: the token is in the body.
    var routes: [HTTPRoute] {
        [HTTPRoute("POST", "/api/v1/session", bodyLimit: 1_024, isOpen: true) { try open($0.request) }]
    }

    private func open(_ request: HTTPRequest) throws -> HTTPResponse {
        let body = try RequestBody.read(
            Body.self, request.body, "The body is a JSON object with the token: {\"token\": \"…\"}.")
        guard credentials.token.matches(body.token) else {
            throw Problem(.unauthorized, "The token is wrong: open the address that daybook printed at its last start.")
        }
        var response = Envelope.success { $0.object { _ in } }
        response.headers["set-cookie"] = credentials.cookie(for: request.head)
        return response
    }
}
