import DaybookStore

/// Values as they stand in a statement.
enum ClickHouseLiteral {
    static func text(_ text: String) -> String {
        var result = "'"
        for scalar in text.unicodeScalars {
            if scalar == "'" || scalar == "\\" { result += "\\" }
            result.unicodeScalars.append(scalar)
        }
        return result + "'"
    }

    /// The least number has no literal of its own: behind a minus it would be one too large.
    static func integer(_ number: Int64) -> String { number == .min ? "toInt64('\(number)')" : "\(number)" }

    static func value(_ value: SQLValue) -> String {
        switch value {
        case .integer(let number): integer(number)
        case .text(let text): Self.text(text)
        }
    }

    /// The inside of `IN (…)`; not for an empty list.
    static func list(_ texts: some Sequence<String>) -> String { texts.map { text($0) }.joined(separator: ",") }

    static func identifier(_ name: String) -> String {
        var result = "\""
        for scalar in name.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { result += "\\" }
            result.unicodeScalars.append(scalar)
        }
        return result + "\""
    }
}
