import DaybookBase
import DaybookTools

extension StatementReader {
    /// What is wrong with a comparison of what stands here, in words.
    func warnings(_ operand: Operand, _ sign: String, _ other: Other, at index: Int) -> [StatementWarning] {
        guard let (what, hint) = fault(operand, sign, other) else { return [] }
        let token = tokens[index]
        return [
            StatementWarning(
                line: token.line, column: token.column, message: "`\(operand.written)` is \(what) (\(hint))")
        ]
    }

    private func fault(_ operand: Operand, _ sign: String, _ other: Other) -> (what: String, hint: String)? {
        switch operand.sort {
        case .number, .bareNumber: number(operand, sign, other)
        case .moment: moment(operand, sign, other)
        case .levelName: levelName(operand, sign, other)
        case .other: nil
        }
    }

    private func number(_ operand: Operand, _ sign: String, _ other: Other) -> (what: String, hint: String)? {
        let isTime = operand.name == "time" || operand.name?.hasSuffix("_time") == true
        switch other {
        case .text(let text):
            let told = "a number and is compared with the text '\(text.clipped)'"
            guard Self.isNumber(text) else { return (told, hint(operand, sign, text)) }
            guard operand.sort == .bareNumber else { return nil }
            return (told, "SQLite takes it for no number: write \(text.trimmed) without quotation marks")
        case .moment(let function):
            return ("a number and is compared with what `\(function)` answers", hint(operand, sign, nil))
        case .seconds(let function) where isTime:
            return ("in nanoseconds and is compared with the seconds of `\(function)`", hint(operand, sign, nil))
        case .seconds, .number: return nil
        }
    }

    private func moment(_ operand: Operand, _ sign: String, _ other: Other) -> (what: String, hint: String)? {
        let hint =
            "write `\(operand.written) \(sign) strftime('%Y-%m-%dT%H:%M:%S', 'now', '-1 hour')`, or a text such as "
            + "'2026-11-20T10:00'"
        switch other {
        // Of another store these may be right.
        case .number, .text, .moment("now"), .moment("current_timestamp"), .moment("localtimestamp"):
            if tables.dialect == nil { return nil }
        default: break
        }
        switch other {
        case .number: return ("a text and is compared with a number", hint)
        case .seconds(let function): return ("a text and is compared with the seconds of `\(function)`", hint)
        case .moment("date"),
            .moment("current_date") where !["=", "==", "!=", "<>"].contains(sign):
            return nil
        case .moment(let function):
            return ("a text with `T` between date and time, and `\(function)` answers with another form", hint)
        case .text(let text):
            let scalars = Array(text.unicodeScalars)
            if Self.isNumber(text), scalars.count > 4 { return ("a text and is compared with a number", hint) }
            guard scalars.count > 10, scalars[10] == " ", scalars[4] == "-", scalars[0].isASCIIDigit else { return nil }
            return ("a text with `T` between date and time", "write `T` for the space in '\(text.clipped)'")
        }
    }

    private func levelName(_ operand: Operand, _ sign: String, _ other: Other) -> (what: String, hint: String)? {
        let names = Level.allCases.map(\.name)
        guard case .text(let text) = other else {
            guard case .number = other else { return nil }
            return ("a level's name and is compared with a number", "write `_level \(sign) …`")
        }
        let level = Severity.number(of: text).map(Level.init(severityNumber:))
        if ["<", "<=", ">", ">="].contains(sign) {
            return (
                "a name, and names are compared by the alphabet",
                "write `_level \(sign) \((level ?? .error).rawValue)`"
            )
        }
        guard !names.contains(text) else { return nil }
        let meant = level?.name ?? NearestName.of(text, among: names)
        return (
            "never '\(text.clipped)'",
            meant.map { "write '\($0)'" } ?? "it is one of \(names.joined(separator: ", "))"
        )
    }

    /// Decimal digits, as each store reads them.
    private static func isNumber(_ text: String) -> Bool {
        let text = text.trimmed
        return text.unicodeScalars.allSatisfy { $0.isASCIIDigit || "+-.eE".unicodeScalars.contains($0) }
            && Double(text) != nil
    }

    private func hint(_ operand: Operand, _ sign: String, _ text: String?) -> String {
        let name = operand.written
        if ["level", "_level"].contains(operand.name) {
            guard let level = text.flatMap({ Severity.number(of: $0) }).map(Level.init(severityNumber:)) else {
                return "levels are 1 to 24: write `\(name) >= \(Level.error.rawValue)` for errors"
            }
            let write = "write `\(name) \(sign) \(level.rawValue)`"
            // A name is no order.
            guard ["=", "==", "!=", "<>"].contains(sign) else { return write }
            return "\(write), or `level_name \(sign) '\(level.name)'` in the views messages, errors and requests"
        }
        if operand.name == "time" || operand.name?.hasSuffix("_time") == true {
            let example =
                switch tables.dialect {
                case .sqlite: ": write `\(name) \(sign) unixepoch('2026-11-20') * 1000000000`"
                case .postgresql:
                    ": write `\(name) \(sign) extract(epoch FROM timestamptz '2026-11-20')::bigint * 1000000000`"
                case .clickhouse:
                    ": write `\(name) \(sign) toUnixTimestamp(toDateTime('2026-11-20 00:00:00')) * 1000000000`"
                case .redshift, nil: ""
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
