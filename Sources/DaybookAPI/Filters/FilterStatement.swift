import DaybookBase
import DaybookStore

/// A filter as a readable SQL condition, to continue with on the SQL screen, over a SQLite store's table `records`.
package enum FilterStatement {
    /// `nil` if it is nested too deeply.
    package static func condition(_ expression: FilterExpression) -> String? {
        expression.sql(dialect) { value in
            switch value {
            case .integer(let number): "\(number)"
            case .text(let text): quoted(text)
            }
        }
    }

    private static let dialect = FilterDialect(
        version: text("service.version"), tags: { FilterTermSQL(condition($0, "tag")) },
        negated: { "NOT coalesce(\($0), 0)" },
        occurrence: { text in
            let like = "LIKE \(quoted("%" + escaped(text) + "%")) ESCAPE '\\'"
            return FilterTermSQL("(tag \(like) OR message \(like) OR attributes \(like))")
        },
        term: { term in
            switch term {
            case .field(let field, let test): FilterTermSQL(condition(field, test))
            case .has(let name):
                FilterTermSQL(
                    "coalesce(\(columns.map { Member(name, of: $0).value }.joined(separator: ", "))) IS NOT NULL")
            case .column(let name, let test):
                FilterTermSQL(
                    "(" + columns.map { condition(Member(name, of: $0), test) }.joined(separator: " OR ") + ")")
            case .text, .level, .since, .until, .number: nil
            }
        })

    private static let columns = ["attributes", "context"]

    private static func condition(_ field: FilterField, _ test: FilterTest) -> String {
        let column =
            switch field {
            case .name: "tag"
            case .version: text("service.version")
            case .device: "coalesce(\(text("device.model.name")), \(text("device.model.identifier")))"
            case .trace: "trace_id"
            default: field.rawValue
            }
        switch test {
        case .text(let text), .value(let text):
            return both(field, column) { "\($0) = \(quoted(text))" }
        case .pattern(let pattern):
            return both(field, column) { column in
                pattern.tagPattern.map { condition($0, column) } ?? "\(column) GLOB \(quoted(glob(pattern)))"
            }
        // Text is in no numeric range.
        case .range: return "1 = 0"
        }
    }

    private static func condition(_ pattern: TagPattern, _ column: String) -> String {
        let stem = String(pattern.text.prefix { $0 != "*" }.dropLast())
        let isDeep = pattern.text.hasSuffix("**")
        if stem.isEmpty { return isDeep ? "1 = 1" : "(\(column) <> '' AND \(column) NOT GLOB '*.*')" }
        let below = "\(column) GLOB \(quoted(globbed(stem) + ".*"))"
        return isDeep
            ? "(\(column) = \(quoted(stem)) OR \(below))"
            : "(\(below) AND \(column) NOT GLOB \(quoted(globbed(stem) + ".*.*")))"
    }

    /// A name also matches the tag's last term.
    private static func both(_ field: FilterField, _ column: String, _ test: (String) -> String) -> String {
        guard field == .name else { return test(column) }
        return "(\(test(column)) OR \(test("substr(tag, length(rtrim(tag, replace(tag, '.', ''))) + 1)")))"
    }

    /// A text or whole number in the context, as text.
    private static func text(_ name: String) -> String {
        let member = Member(name, of: "context")
        return "CASE WHEN \(member.type) IN ('text', 'integer') THEN CAST(\(member.value) AS TEXT) END"
    }

    private struct Member {
        /// Booleans are 1 and 0.
        let value: String
        /// From `json_type`.
        let type: String
        /// The text of an integer beyond 64 bits.
        let digits: String
        /// A number, except an integer beyond 64 bits.
        var isNumber: String { "(\(type) = 'real' OR \(type) = 'integer' AND typeof(\(value)) = 'integer')" }
        var isLong: String { "\(type) = 'integer' AND typeof(\(value)) = 'real'" }

        init(_ name: String, of json: String) {
            // JSON paths cannot contain these characters, and compare escaped names as written.
            let isPlain = name.unicodeScalars.allSatisfy { !"\"\\".unicodeScalars.contains($0) && $0.value >= 0x20 }
            let path = quoted("$.\"\(name)\"")
            let from = "FROM json_each(\(json)) WHERE key = \(quoted(name)) LIMIT 1)"
            value = isPlain ? "json_extract(\(json), \(path))" : "(SELECT value \(from)"
            digits = isPlain ? "\(json) -> \(path)" : value
            type = isPlain ? "json_type(\(json), \(path))" : "(SELECT type \(from)"
        }
    }

    private static func condition(_ member: Member, _ test: FilterTest) -> String {
        let (value, type) = (member.value, member.type)
        switch test {
        case .text(let text): return isText(member, text)
        case .value(let text):
            if text == "true" || text == "false" { return "(\(isText(member, text)) OR \(type) = '\(text)')" }
            guard let number = FilterNumber(text) else { return isText(member, text) }
            return "(\(isText(member, text)) OR \(member.isNumber) AND \(value) = \(number.text))"
        case .pattern(let pattern):
            let glob = "GLOB \(quoted(glob(pattern)))"
            let test = "\(type) = 'text' AND \(value) \(glob)"
            let mayBeDigits = pattern.parts.allSatisfy { isDigits($0) }
            return mayBeDigits ? "(\(test) OR \(member.isLong) AND \(member.digits) \(glob))" : "(\(test))"
        case .range(let range): return "(\(member.isNumber) AND \(compared(value, range)))"
        }
    }

    private static func isText(_ member: Member, _ text: String) -> String {
        let test = "\(member.type) = 'text' AND \(member.value) = \(quoted(text))"
        guard isDigits(text), text.utf8.count > 18 else { return "(\(test))" }
        return "(\(test) OR \(member.isLong) AND \(member.digits) = \(quoted(text)))"
    }

    private static func isDigits(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { $0 == "-" || ("0"..."9").contains($0) }
    }

    private static func compared(_ column: String, _ range: FilterRange) -> String {
        let bounds = range.bounds.map { "\(column) \($0.comparison) \($0.number.text)" }
        return bounds.isEmpty ? "\(column) IS NOT NULL" : bounds.joined(separator: " AND ")
    }

    private static func glob(_ pattern: FilterPattern) -> String { pattern.parts.map(globbed).joined(separator: "*") }

    private static func globbed(_ text: String) -> String {
        escaped(text, "*?[") { ["[", $0, "]"] }
    }

    private static func escaped(_ text: String) -> String { escaped(text, "\\%_") { ["\\", $0] } }

    private static func quoted(_ text: String) -> String { "'" + escaped(text, "'") { [$0, $0] } + "'" }

    /// By scalars: to SQL, a quote with an accent is still a quote.
    private static func escaped(
        _ text: String, _ signs: String, _ escape: (Unicode.Scalar) -> [Unicode.Scalar]
    ) -> String {
        var view = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            view.append(contentsOf: signs.unicodeScalars.contains(scalar) ? escape(scalar) : [scalar])
        }
        return String(view)
    }
}
