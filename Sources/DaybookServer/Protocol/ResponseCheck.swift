import DaybookHTTP

/// What is left of a handler's response before it is sent: the transport frames the body itself, and a field that
/// could split the response (CR, LF, NUL) turns the whole into a 500 instead of being dropped in silence.
enum ResponseCheck {
    private static let ownedByTransport: Set<String> = ["content-length", "transfer-encoding", "connection", "upgrade"]

    static func checked(_ response: HTTPResponse) -> HTTPResponse {
        guard (200...599).contains(response.status) else { return broken("the status \(response.status)") }
        var headers: HTTPHeaders = [:]
        for field in response.headers.fields where !ownedByTransport.contains(field.name.lowercased()) {
            guard isToken(field.name), isValue(field.value) else { return broken("a malformed header") }
            headers.add(field.name, field.value)
        }
        var result = response
        result.headers = headers
        return result
    }

    private static func broken(_ what: String) -> HTTPResponse {
        .problem(500, code: "invalid_response", "The handler answered with \(what); this is a defect of the server.")
    }

    /// RFC 9110 §5.6.2.
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

    private static func isValue(_ value: String) -> Bool {
        value.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
    }
}
