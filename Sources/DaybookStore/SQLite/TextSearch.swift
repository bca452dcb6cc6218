import Daybook

/// The condition that tag, message or attributes contain a text, in any case.
///
/// `LIKE` is the faster way, but knows the case of ASCII letters only; a text with other cased letters (é, Ж, full-width
/// Ａ) goes through a function of ours. Japanese has no case, so `LIKE` finds it at any length.
struct TextSearch {
    let condition: String
    /// One for each question mark of the condition.
    let values: [String]

    init(_ text: String) {
        // Attributes are JSON: there a quotation mark or a line end in a value stands escaped.
        var quoted: [UInt8] = []
        JSONWriter.write(text, into: &quoted)
        let escaped = String(decoding: quoted.dropFirst().dropLast(), as: UTF8.self)
        let columns = ["tag", "message", "attributes"] + (escaped == text ? [] : ["attributes"])
        let texts = [text, text, text] + (escaped == text ? [] : [escaped])

        let hasOtherCase = text.unicodeScalars.contains { scalar in
            !scalar.isASCII && (scalar.properties.changesWhenLowercased || scalar.properties.changesWhenUppercased)
        }
        if hasOtherCase {
            condition = "(" + columns.map { "daybook_contains(\($0), ?)" }.joined(separator: " OR ") + ")"
            values = texts.map { $0.lowercased() }
        } else {
            condition = "(" + columns.map { "\($0) LIKE ? ESCAPE '\\'" }.joined(separator: " OR ") + ")"
            values = texts.map { "%" + Self.escapeWildcards($0) + "%" }
        }
    }

    private static func escapeWildcards(_ text: String) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            if character == "%" || character == "_" || character == "\\" { escaped.unicodeScalars.append("\\") }
            escaped.unicodeScalars.append(character)
        }
        return escaped
    }
}
