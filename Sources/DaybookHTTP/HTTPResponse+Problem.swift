extension HTTPResponse {
    /// The one shape of every error: `{"error":{"code":"not_found","message":"…"}}`, one line of JSON.
    ///
    /// - Parameters:
    ///   - status: 400–599.
    ///   - code: a stable word for programs, in snake case.
    ///   - message: what happened and what to do, for people.
    public static func problem(_ status: Int, code: String, _ message: String) -> HTTPResponse {
        let text = "{\"error\":{\"code\":\(jsonString(code)),\"message\":\(jsonString(message))}}\n"
        return HTTPResponse(status: status, contentType: "application/json", text: text)
    }

    /// A JSON string literal (RFC 8259 §7), also safe inside HTML: `<` and `>` are escaped.
    private static func jsonString(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "<", ">", "\u{0}"..."\u{1F}", "\u{7F}", "\u{2028}", "\u{2029}":
                let hex = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
