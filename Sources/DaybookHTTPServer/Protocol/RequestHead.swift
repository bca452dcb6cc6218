import DaybookBase
import DaybookHTTP

/// A parsed request target (RFC 9112 §3.2): origin form, absolute form and `*`.
///
/// Not parsed by the C library, whose strings end at a decoded NUL: `/a%00b` would be routed as `/a`.
struct RequestTarget {
    /// Percent-decoded, without dot segments.
    var path: String
    var query: [(name: String, value: String)]
    /// From the absolute form; overrides the `Host` header.
    var authority: String?

    /// `nil` if malformed: a bad escape, control characters, not UTF-8, a fragment, a dot segment.
    init?(_ bytes: some Collection<UInt8>) {
        var rest = Array(bytes)[...]
        if rest.elementsEqual("*".utf8) {
            path = "*"
            query = []
            return
        }
        if rest.first != UInt8(ascii: "/") {
            guard let split = Self.splitAbsolute(rest) else { return nil }
            authority = split.authority
            rest = split.rest
        }
        guard rest.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "#") }) else { return nil }
        let parts = rest.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        let rawPath = parts.first.map { $0.isEmpty ? Array("/".utf8)[...] : $0 } ?? Array("/".utf8)[...]
        guard let path = Self.decode(rawPath, plusIsSpace: false), Self.isPlain(path) else { return nil }
        guard let query = Self.parseQuery(parts.count > 1 ? parts[1] : []) else { return nil }
        self.path = path
        self.query = query
    }

    private static func splitAbsolute(_ bytes: ArraySlice<UInt8>) -> (authority: String, rest: ArraySlice<UInt8>)? {
        let text = String(decoding: bytes.prefix(8), as: UTF8.self).lowercased()
        guard let scheme = ["http://", "https://"].first(where: { text.hasPrefix($0) }) else { return nil }
        let afterScheme = bytes.dropFirst(scheme.utf8.count)
        let authority = afterScheme.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        guard !authority.isEmpty, !authority.contains(UInt8(ascii: "@")) else { return nil }
        return (String(streamSafe: authority), afterScheme.dropFirst(authority.count))
    }

    /// No control characters, and no `.` or `..` segments: browsers resolve these, so a remaining one is an attempt to
    /// bypass a route's prefix.
    private static func isPlain(_ path: String) -> Bool {
        guard path.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return false }
        return !path.utf8.split(separator: UInt8(ascii: "/")).contains { segment in
            segment.elementsEqual(".".utf8) || segment.elementsEqual("..".utf8)
        }
    }

    private static func parseQuery(_ bytes: ArraySlice<UInt8>) -> [(name: String, value: String)]? {
        var result: [(name: String, value: String)] = []
        for pair in bytes.split(separator: UInt8(ascii: "&")) {
            let sides = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = decode(sides[0], plusIsSpace: true),
                let value = decode(sides.count > 1 ? sides[1] : [], plusIsSpace: true)
            else { return nil }
            result.append((name: name, value: value))
        }
        return result
    }

    private static func decode(_ bytes: ArraySlice<UInt8>, plusIsSpace: Bool) -> String? {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "+") && plusIsSpace {
                result.append(0x20)
            } else if byte == UInt8(ascii: "%") {
                guard index + 1 < bytes.endIndex, let high = Hex.value(of: bytes[index]),
                    let low = Hex.value(of: bytes[index + 1])
                else { return nil }
                result.append(high << 4 | low)
                index += 2
            } else {
                result.append(byte)
            }
        }
        return String(wellFormed: result)?.streamSafe
    }
}

extension HTTPHeaders {
    /// Whether all names are tokens, and no value has control characters (RFC 9110, sections 5.5 and 5.6.2).
    var areWellFormed: Bool {
        fields.allSatisfy { field in
            Self.isToken(field.name) && field.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
        }
    }

    private static func isToken(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }
}

/// How a request's body is delimited (RFC 9112 §6).
///
/// Stricter than the C library, which takes the first of several lengths: ambiguous framing enables request smuggling
/// past a proxy, so it is refused.
struct RequestFraming: Equatable {
    enum Body: Equatable {
        case none
        case length(Int)
        case chunked
    }

    var body: Body
    /// The client waits for `100 Continue` before it sends the body.
    var expectsContinue: Bool

    /// No body.
    static let none = RequestFraming(body: .none, expectsContinue: false)

    private init(body: Body, expectsContinue: Bool) {
        self.body = body
        self.expectsContinue = expectsContinue
    }

    struct Malformed: Error {
        var response: HTTPResponse
    }

    /// Non-list headers (RFC 9110, 6265, 6454; Fetch): of duplicates, some parties take the first and others the last.
    /// Lengths, transfer encodings and hosts are checked separately.
    static let singular: Set = [
        "authorization", "content-location", "content-range", "content-type", "cookie", "date", "expect", "from",
        "if-modified-since", "if-range", "if-unmodified-since", "last-event-id", "max-forwards", "mcp-protocol-version",
        "mcp-session-id", "origin", "proxy-authorization", "range", "referer", "sec-fetch-dest", "sec-fetch-mode",
        "sec-fetch-site", "sec-fetch-user", "user-agent",
    ]

    /// - Parameter version: of the request line.
    /// - Throws: `Malformed` with the response: a duplicate singular header, several or invalid lengths, a length with
    ///   a transfer encoding, a transfer encoding other than `chunked` or in HTTP/1.0 (RFC 9112 §6.1), an expectation
    ///   other than `100-continue`.
    init(_ headers: HTTPHeaders, version: String) throws(Malformed) {
        var names: Set<String> = []
        for name in headers.fields.lazy.map({ $0.name.lowercased() }) where Self.singular.contains(name) {
            guard names.insert(name).inserted else {
                throw Malformed(response: .problem(400, code: "framing", "Send \(name) once: it has one value."))
            }
        }
        let lengths = headers.all("content-length")
        let encodings = headers.all("transfer-encoding")
        if let encoding = encodings.first {
            guard version == "HTTP/1.1" else {
                throw Malformed(
                    response: .problem(400, code: "framing", "\(version) has no Transfer-Encoding: send HTTP/1.1."))
            }
            guard encodings.count == 1, encoding.lowercased() == "chunked" else {
                throw Malformed(
                    response: .problem(501, code: "transfer_encoding", "The only transfer encoding is chunked."))
            }
            guard lengths.isEmpty else {
                throw Malformed(
                    response: .problem(400, code: "framing", "Send Content-Length or Transfer-Encoding, not both."))
            }
            body = .chunked
        } else if let text = lengths.first {
            guard lengths.count == 1, !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let length = Int(text)
            else {
                throw Malformed(response: .problem(400, code: "framing", "Send one Content-Length in decimal digits."))
            }
            body = length == 0 ? .none : .length(length)
        } else {
            body = .none
        }
        let expectation = headers["expect"]
        guard expectation == nil || expectation?.lowercased() == "100-continue" else {
            throw Malformed(response: .problem(417, code: "expectation", "The only expectation is 100-continue."))
        }
        expectsContinue = expectation != nil && body != .none
    }
}
