import DaybookAPI
import DaybookBase
import DaybookHTTP

/// The secret that opens the inspector: 128 random bits, shown once in the address that `daybook serve` prints.
///
/// Value semantics; safe to share between threads. Its description does not reveal it.
public struct AccessToken: Sendable, CustomStringConvertible {
    /// 32 lowercase hexadecimal digits.
    public let text: String

    /// Creates a token from a random source that is suitable for secrets.
    ///
    /// ```swift
    /// var source = SystemRandomNumberGenerator()
    /// let token = AccessToken(using: &source)
    /// ```
    public init(using source: inout some RandomNumberGenerator) {
        text = Hex.text(source.next()) + Hex.text(source.next())
    }

    /// Creates a token from the system's random numbers.
    ///
    /// ```swift
    /// let token = AccessToken()
    /// print("http://127.0.0.1:4318/#token=\(token.text)")
    /// ```
    public init() {
        var source = SystemRandomNumberGenerator()
        self.init(using: &source)
    }

    /// Creates a token from stored text: 32 lowercase hexadecimal digits, otherwise `nil`.
    ///
    /// ```swift
    /// let kept = try? String(contentsOf: folder.appendingPathComponent("token"), encoding: .utf8)
    /// let token = kept.flatMap(AccessToken.init(text:)) ?? AccessToken()
    /// ```
    public init?(text: String) {
        guard text.utf8.count == 32, text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { return nil }
        self.text = text
    }

    public var description: String { "AccessToken(…)" }

    /// Whether `candidate` equals this token, in constant time.
    func matches(_ candidate: some StringProtocol) -> Bool {
        let own = Array(text.utf8)
        let other = Array(candidate.utf8.prefix(own.count + 1))
        var difference = UInt8(own.count == other.count ? 0 : 1)
        for index in own.indices { difference |= own[index] ^ (index < other.count ? other[index] : 0) }
        return difference == 0
    }
}

/// What a request's key allows, or its other purpose.
package enum InspectorAccess: Sendable {
    /// Read masked data, and run read-only statements.
    case reading
    /// Everything: also see private values, store, erase and write files.
    case everything
    /// Nothing here: a key for sending records.
    case sending
    /// Nothing here: a key for reading metrics.
    case measuring
}

/// Authenticates a request by `Authorization: Bearer …`. No cookies: a browser would send them to every port of the
/// host, and so to other programs on this machine.
package struct Credentials: Sendable {
    /// POST requests that change nothing.
    private static let readingPosts: Set = [
        Endpoints.sql.path, Endpoints.definitionCheck.path, Endpoints.checklistCheck.path,
    ]

    /// A header field that restricts a request to reading, whatever its key allows. Its value is ignored.
    package static let readingField = "daybook-reading"

    private let token: AccessToken
    private let keys: @Sendable (HTTPHeaders) -> InspectorAccess?

    /// - Parameter keys: What a server's key allows; `nil` for an unknown key.
    package init(token: AccessToken, keys: @escaping @Sendable (HTTPHeaders) -> InspectorAccess?) {
        (self.token, self.keys) = (token, keys)
    }

    func check(_ head: HTTPRequest.Head) throws(Problem) {
        guard let access = access(head.headers) else {
            throw Problem(.unauthorized, "The token is missing or wrong: open the address that daybook printed.")
        }
        switch access {
        case .everything: return
        case .sending: throw Self.otherPurpose("send records")
        case .measuring: throw Self.otherPurpose("read metrics")
        case .reading: try checkReading(head)
        }
    }

    /// Only for known keys, so that the answer reveals nothing new to the holder.
    private static func otherPurpose(_ purpose: String) -> Problem {
        Problem(.forbidden, "This key may only \(purpose); make one with `daybook keys add --for read`.")
    }

    private func checkReading(_ head: HTTPRequest.Head) throws(Problem) {
        guard ["GET", "HEAD"].contains(head.method) || Self.readingPosts.contains(head.path) else {
            throw Problem(
                .forbidden, "This key can only read. Use the inspector's token, or a key made with --for manage.")
        }
        guard !head.query.contains(where: { $0.name == "private" }) else {
            throw Problem(
                .forbidden,
                "This key cannot show private values. Use the inspector's token, or a key made with --for manage.")
        }
    }

    func audience(_ head: HTTPRequest.Head) -> VerdictAudience {
        if case .everything? = access(head.headers) { .managers } else { .readers }
    }

    /// What a request's key allows; `nil` without a valid key.
    package func access(_ headers: HTTPHeaders) -> InspectorAccess? {
        guard let authorization = headers["authorization"] else { return nil }
        let parts = authorization.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        let access = token.matches(parts[1]) ? .everything : keys(headers)
        return access == .everything && headers[Self.readingField] != nil ? .reading : access
    }
}
