import DaybookStore

/// A filter as a condition that a person may go on with on the SQL screen, over the table `records` of a SQLite store.
enum FilterStatement {
    static func condition(_ expression: FilterExpression) -> String {
        switch expression {
        case .term(let term): condition(term)
        case .not(let part): "NOT coalesce(\(condition(part)), 0)"
        case .all(let parts): "(" + parts.map(condition).joined(separator: " AND ") + ")"
        case .any(let parts): "(" + parts.map(condition).joined(separator: " OR ") + ")"
        }
    }

    private static func condition(_ term: FilterTerm) -> String {
        switch term {
        case .text(let text):
            let like = "LIKE \(quoted("%" + escaped(text) + "%")) ESCAPE '\\'"
            return "(tag \(like) OR message \(like) OR attributes \(like))"
        case .field(let field, let test): return condition(field, test)
        case .level(let levels):
            let bounds = [
                levels.lowerBound == .min ? nil : "level >= \(levels.lowerBound)",
                levels.upperBound == .max ? nil : "level <= \(levels.upperBound)",
            ]
            return "(" + (bounds.compactMap(\.self) + ["1 = 1"]).prefix(2).joined(separator: " AND ") + ")"
        case .since(let time): return "time >= \(time)"
        case .until(let time): return "time < \(time)"
        case .number(let measure, let range): return compared(measure.rawValue, range)
        case .has(let name): return "coalesce(\(value("attributes", name)), \(value("context", name))) IS NOT NULL"
        case .column(let name, let test):
            return "(" + ["attributes", "context"].map { column(name, test, $0) }.joined(separator: " OR ") + ")"
        }
    }

    private static func condition(_ field: FilterField, _ test: FilterTest) -> String {
        let column =
            switch field {
            case .name: "tag"
            case .version: value("context", "service.version")
            case .device:
                "coalesce(\(value("context", "device.model.name")), \(value("context", "device.model.identifier")))"
            case .trace: "trace_id"
            default: field.rawValue
            }
        switch test {
        case .text(let text), .value(let text):
            let same = "\(column) = \(quoted(text))"
            return field == .name ? "(\(same) OR \(column) GLOB \(quoted("*." + globbed(text))))" : same
        case .pattern(let pattern):
            if let tag = pattern.tagPattern?.text {
                let stem = String(tag.prefix { $0 != "*" }.dropLast())
                if stem.isEmpty { return tag == "*" ? "tag NOT GLOB '*.*'" : "1 = 1" }
                let below = "tag GLOB \(quoted(globbed(stem) + ".*"))"
                return tag.hasSuffix("**")
                    ? "(tag = \(quoted(stem)) OR \(below))"
                    : "(\(below) AND tag NOT GLOB \(quoted(globbed(stem) + ".*.*")))"
            }
            let glob = quoted(glob(pattern))
            return field == .name
                ? "(\(column) GLOB \(glob) OR \(column) GLOB \(quoted("*." + self.glob(pattern))))"
                : "\(column) GLOB \(glob)"
        case .range(let range): return compared(column, range)
        }
    }

    private static func column(_ name: String, _ test: FilterTest, _ json: String) -> String {
        let value = value(json, name)
        switch test {
        case .text(let text): return "\(value) = \(quoted(text))"
        case .value(let text):
            return FilterNumber(text).map { "\(value) IN (\($0.text), \(quoted(text)))" }
                ?? "\(value) = \(quoted(text))"
        case .pattern(let pattern): return "\(value) GLOB \(quoted(glob(pattern)))"
        case .range(let range): return "(typeof(\(value)) <> 'text' AND \(compared(value, range)))"
        }
    }

    private static func compared(_ column: String, _ range: FilterRange) -> String {
        range.bounds.map { "\(column) \($0.comparison) \($0.number.text)" }.joined(separator: " AND ")
    }

    private static func value(_ json: String, _ name: String) -> String {
        "json_extract(\(json), \(quoted("$.\"\(name)\"")))"
    }

    private static func glob(_ pattern: FilterPattern) -> String { pattern.parts.map(globbed).joined(separator: "*") }

    private static func globbed(_ text: String) -> String {
        String(text.flatMap { "*?[".contains($0) ? ["[", $0, "]"] : [$0] })
    }

    private static func escaped(_ text: String) -> String {
        String(text.flatMap { "\\%_".contains($0) ? ["\\", $0] : [$0] })
    }

    private static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "''") + "'" }
}
