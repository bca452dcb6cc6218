import DaybookHTTP

/// A whole reply in bytes, for the one case in which the library cannot send it: in the middle of a body that is
/// larger than what is discarded. The connection ends with it.
enum ReplyAhead {
    static func bytes(_ response: HTTPResponse) -> [UInt8] {
        let body: [UInt8] = if case .bytes(let bytes) = response.body { bytes } else { [] }
        var text = "HTTP/1.1 \(response.status) Refused\r\n"
        for field in response.headers.fields { text += "\(field.name): \(field.value)\r\n" }
        text += "Content-Length: \(body.count)\r\nConnection: close\r\n\r\n"
        return Array(text.utf8) + body
    }
}
