/// A parsed `Content-Type`: `application/json; charset="utf-8"`.
struct ContentType {
    /// Lowercase, without spaces.
    let name: String
    /// Lowercase, unquoted.
    private let parameters: [(name: String, value: String)]

    init(_ text: String) {
        var parts = [""]
        var isQuoted = false
        for character in text {
            if character == "\"" { isQuoted.toggle() }
            if character == ";", !isQuoted { parts.append("") } else { parts[parts.count - 1].append(character) }
        }
        let plain = parts.map { $0.lowercased().filter { !" \t\"'".contains($0) } }
        name = plain[0]
        parameters = plain.dropFirst().map { part in
            let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            // RFC 2231 appends a star and a number to the name.
            return (String(halves[0].prefix { $0 != "*" }), halves.count > 1 ? String(halves[1]) : "")
        }
    }

    /// A parameter that changes the body's meaning to one we do not read: another charset, a further encoding, or
    /// delimited messages. Usually `nil`.
    var unreadable: String? {
        let found = parameters.first { parameter in
            switch parameter.name {
            case "charset", "encoding":
                // ASCII is a subset of UTF-8.
                !["", "utf-8", "utf8", "us-ascii", "ascii"].contains(parameter.value)
            case "delimited": parameter.value != "false"
            default: false
            }
        }
        return found.map { "\($0.name)=\($0.value)" }
    }
}
