import DaybookHTTP

/// How a request's body is delimited (RFC 9112 §6).
///
/// Stricter than the C library, which takes the first of several lengths: whatever two parties could read
/// differently is how requests are smuggled past a proxy, and is refused.
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

    /// - Throws: `Malformed` with the answer: several or unreadable lengths, a length beside a transfer encoding, a
    ///   transfer encoding other than `chunked`, an expectation other than `100-continue`.
    init(_ headers: HTTPHeaders) throws(Malformed) {
        let lengths = headers.all("content-length")
        let encodings = headers.all("transfer-encoding")
        if let encoding = encodings.first {
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
