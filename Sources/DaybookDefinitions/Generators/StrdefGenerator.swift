/// Writes the wide table's columns in strdef, bricolage's stream definitions, like daifuku: the common columns, then
/// each category's, with unique names. `id`, `log_id`, `event_category` and `event_name` are bricolage's own.
public enum StrdefGenerator {
    /// The whole definition.
    ///
    /// - Parameter definitions: Free of errors.
    public static func generate(_ definitions: Definitions) -> String {
        "columns:\n" + columns(of: definitions).map { "  - \($0.line)\n" }.joined()
    }

    /// The columns that a strdef lacks, as list items to add to it; empty if it lacks none.
    ///
    /// - Returns: The items, and a sentence with anything else to know.
    public static func difference(of definitions: Definitions, from current: String) -> (text: String, notes: [String])
    {
        let present = names(in: current)
        let known = Set(present)
        let columns = columns(of: definitions)
        let new = columns.filter { !known.contains($0.name) }
        var notes = new.isEmpty ? ["no new column"] : []
        let generated = Set(columns.map(\.name)).union(predefined)
        notes += present.filter { !generated.contains($0) }.map { "the column \($0) is no longer defined" }
        return (new.map { "- \($0.line)\n" }.joined(), notes)
    }

    private static let predefined = ["id", "log_id", "event_category", "event_name"]

    private static func columns(of definitions: Definitions) -> [(name: String, line: String)] {
        let all =
            definitions.common + definitions.categories.flatMap { $0.columns + $0.events.flatMap(\.columns) }
        var names = Set<String>()
        return all.filter { names.insert($0.name).inserted }.map { ($0.name, "\($0.name): \(type(of: $0))") }
    }

    /// A team's own type is the bricolage type of the same name: `!SearchOrder`. A sensitive value is its hash's
    /// digits.
    private static func type(of column: Column) -> String {
        if column.classification == .sensitive { return "!string 32" }
        return column.type.isCustom ? "!\(column.type.name)" : column.type.source
    }

    /// The names in list items `- name: !type`.
    private static func names(in strdef: String) -> [String] {
        strdef.split(whereSeparator: \.isNewline).compactMap { line in
            let item = line.drop(while: \.isWhitespace)
            guard item.first == "-", item.dropFirst().first?.isWhitespace == true else { return nil }
            let rest = item.dropFirst().drop(while: \.isWhitespace)
            guard let colon = rest.firstIndex(of: ":") else { return nil }
            let name = rest[..<colon]
            let isName = !name.isEmpty && name.utf8.allSatisfy { $0.isWordByte }
            let type = rest[rest.index(after: colon)...].drop(while: \.isWhitespace)
            return isName && type.first == "!" ? String(name) : nil
        }
    }
}

extension UInt8 {
    fileprivate var isWordByte: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A: true
        default: false
        }
    }
}
