import DaybookBase
import DaybookTools

extension StatementReader {
    func units(_ kind: SQLKind, _ other: SQLKind, _ comparison: Comparison) -> Fault? {
        switch (kind, other) {
        case (.number(let unit?), .number(let another?)) where unit != another:
            let converted = Self.converted(comparison.otherWritten, from: another, to: unit)
            return (
                "in \(unit.words) and is compared with the \(another.words) of `\(comparison.otherWritten)`",
                converted == comparison.otherWritten
                    ? hint(kind, comparison, nil) : times(comparison, converted)
            )
        case (.number(let unit?), .literal(let number)): return wrongUnit(unit, number, comparison)
        default: return nil
        }
    }

    /// A number whose size suggests another time unit.
    private func wrongUnit(_ unit: SQLUnit, _ number: Double, _ comparison: Comparison) -> Fault? {
        guard let another = SQLUnit.read(from: abs(number)), another != unit, case .since1970 = unit else { return nil }
        let digits = number.magnitude < 1e18 && number.rounded() == number ? String(Int64(number)) : "\(number)"
        return (
            "in \(unit.words) and is compared with \(digits), a number of \(another.words)",
            times(comparison, Self.converted(digits, from: another, to: unit))
        )
    }

    func times(_ comparison: Comparison, _ converted: String) -> String {
        "write `\(comparison.written) \(comparison.sign) \(converted)`"
    }

    func number(_ kind: SQLKind, _ other: SQLKind, _ comparison: Comparison) -> Fault? {
        let affinity = comparison.subject.affinity
        switch other {
        case .text(let text):
            let told = "a number and is compared with the text '\(text.clipped)'"
            guard Self.isNumber(text), let value = Double(text.trimmed) else {
                return (told, hint(kind, comparison, text))
            }
            if affinity == .number {
                guard case .number(let unit?) = kind else { return nil }
                return wrongUnit(unit, value, comparison)
            }
            guard tables.isSQLite, comparison.other.affinity != .text else { return nil }
            return (told, "SQLite takes it for no number: write \(text.trimmed) without quotation marks")
        case .moment:
            return (
                "a number and is compared with what `\(comparison.otherWritten)` answers", hint(kind, comparison, nil)
            )
        case .form(let form) where form.isDigits:
            if affinity == .number {
                guard form == .seconds, case .number(let unit?) = kind, unit != .seconds else { return nil }
                return units(kind, .number(.seconds), comparison)
            }
            let cast = "CAST(\(comparison.otherWritten) AS INTEGER)"
            let unit: SQLUnit? = if case .number(let unit) = kind { unit } else { nil }
            let converted = form == .seconds ? unit.map { Self.converted(cast, from: .seconds, to: $0) } ?? cast : cast
            return (
                "a number and is compared with the text of `\(comparison.otherWritten)`, and every text is above it",
                times(comparison, converted)
            )
        case .form:
            return (
                "a number and is compared with the text of `\(comparison.otherWritten)`", hint(kind, comparison, nil)
            )
        case .digits, .anyText, .small, .capital, .json, .object:
            guard tables.isSQLite, affinity == .none, comparison.other.affinity == .none else { return nil }
            return (
                "a number and is compared with the text of `\(comparison.otherWritten)`, and every text is above it",
                times(
                    comparison,
                    other == .json
                        ? comparison.otherWritten.replacing("->", with: "->>")
                        : "CAST(\(comparison.otherWritten) AS REAL)")
            )
        case .number, .level, .literal: return nil
        }
    }

    // MARK: Hints

    /// A decimal number as all stores parse it.
    static func isNumber(_ text: String) -> Bool {
        let text = text.trimmed
        return text.unicodeScalars.allSatisfy { $0.isASCIIDigit || "+-.eE".unicodeScalars.contains($0) }
            && Double(text) != nil
    }

    func hint(_ kind: SQLKind, _ comparison: Comparison, _ text: String?) -> String {
        let (name, sign) = (comparison.written, comparison.sign)
        if kind == .level {
            guard let level = text.flatMap({ Severity.number(of: $0) }).map(Level.init(severityNumber:)) else {
                return "levels are 1 to 24: write `\(name) >= \(Level.error.rawValue)` for errors"
            }
            let write = "write `\(name) \(sign) \(level.rawValue)`"
            // Names are not ordered.
            guard ["=", "==", "!=", "<>"].contains(sign) else { return write }
            return "\(write), or `level_name \(sign) '\(level.name)'` in the views messages, errors and requests"
        }
        if case .number(.seconds?) = kind { return "write `\(name) \(sign) unixepoch('2026-11-20')`" }
        if case .number(.julianDays?) = kind { return "write `\(name) \(sign) julianday('2026-11-20')`" }
        if case .number(.nanoseconds?) = kind {
            let example =
                switch tables.dialect {
                case .sqlite: ": write `\(name) \(sign) unixepoch('2026-11-20') * 1000000000`"
                case .postgresql:
                    ": write `\(name) \(sign) extract(epoch FROM timestamptz '2026-11-20')::bigint * 1000000000`"
                case .clickhouse:
                    ": write `\(name) \(sign) toUnixTimestamp(toDateTime('2026-11-20 00:00:00')) * 1000000000`"
                case .redshift: ""
                }
            return "times are nanoseconds since 1970\(example), or compare `_time` of a view with a text such as "
                + "'2026-11-20T10:00'"
        }
        if let text, ["true", "false"].contains(text.lowercased()) {
            return "write `\(name) \(sign) \(text.lowercased() == "true" ? 1 : 0)`"
        }
        return "write a number, without quotation marks"
    }
}
