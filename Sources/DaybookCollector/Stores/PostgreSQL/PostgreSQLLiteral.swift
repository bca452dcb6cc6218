import DaybookStore

/// Values as they stand in a statement. Connections have `standard_conforming_strings` on, so that a quotation mark is
/// all that needs care; zero characters, which no text of PostgreSQL can have, become U+FFFD as in stored records.
enum PostgreSQLLiteral {
    static func text(_ text: String) -> String {
        var result = "'"
        for scalar in text.unicodeScalars {
            if scalar == "'" { result.unicodeScalars.append(scalar) }
            result.unicodeScalars.append(scalar == "\0" ? "\u{FFFD}" : scalar)
        }
        return result + "'"
    }

    static func text(_ text: String?) -> String { text.map { Self.text($0) } ?? "NULL" }

    static func integer(_ number: Int64) -> String { "'\(number)'::bigint" }

    static func value(_ value: SQLValue) -> String {
        switch value {
        case .integer(let number): integer(number)
        case .text(let text): Self.text(text)
        }
    }

    /// The inside of `IN (…)`; not for an empty list.
    static func list(_ texts: some Sequence<String>) -> String { texts.map { text($0) }.joined(separator: ",") }

    static func identifier(_ name: String) -> String {
        "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}
