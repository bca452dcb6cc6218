import DaybookBase
import DaybookTools

extension StatementReader {
    func text(_ kind: SQLKind, _ other: SQLKind, _ comparison: Comparison) -> Fault? {
        let told = "a text and is compared with a number"
        switch kind {
        case .moment: return ("a time and is compared with a number", hint(.number(.nanoseconds), comparison, nil))
        case .form(.record): return (told, moment(comparison))
        case .text(let text):
            if comparison.subject.name == "level_name" {
                return ("a level's name and is compared with a number", "write `_level \(comparison.sign) …`")
            }
            guard !Self.isNumber(text) else { return nil }
            return ("never a number", names(of: comparison))
        default: break
        }
        // SQLite compares as texts if a column or cast has text affinity, and as numbers if one is numeric.
        guard tables.isSQLite, comparison.subject.affinity != .text, comparison.other.affinity != .number else {
            return nil
        }
        switch kind {
        case .json: return ("JSON and is compared with a number", extract(comparison))
        case .form(let form):
            guard case .literal(let number) = other, let whole = Int64(exactly: number), form.isDigits else {
                let cast = form.isDigits ? "CAST(\(comparison.written) AS INTEGER)" : nil
                return (
                    told,
                    cast.map { "write `\($0) \(comparison.sign) \(comparison.otherWritten)`" }
                        ?? "write a text such as '\(form.example)'"
                )
            }
            return (told, "write '\(String(whole).zeroPadded(to: form.marks.count))', in quotation marks")
        default:
            guard case .literal = other else {
                return (
                    told, "write `CAST(\(comparison.written) AS REAL) \(comparison.sign) \(comparison.otherWritten)`"
                )
            }
            return (
                told + ", which SQLite takes for no text",
                "write '\(comparison.otherWritten)' in quotation marks, or "
                    + "`CAST(\(comparison.written) AS REAL) \(comparison.sign) \(comparison.otherWritten)`"
            )
        }
    }

    func texts(_ kind: SQLKind, _ other: SQLKind, _ comparison: Comparison) -> Fault? {
        switch (kind, other) {
        case (.form(let form), .text(let text)): return time(form, text, comparison)
        case (.text(let text), .form(let form)): return time(form, text, comparison)
        case (.form(let form), .form(let another)):
            let isMet =
                comparison.isOrder ? form.stranger(in: another.marks) == nil : form.meets(another)
            return isMet
                ? nil
                : (
                    "a text like \(form.example), and `\(comparison.otherWritten)` is one like \(another.example)",
                    form == .record ? moment(comparison) : "write both in one form"
                )
        case (.text(let name), .text(let text)): return word(name, text, comparison)
        case (.json, .text(let text)):
            guard (try? JSONReader.value(of: Array(text.utf8))) == nil else { return nil }
            return (
                "JSON, a text in quotation marks, and is compared with '\(text.clipped)'", extract(comparison)
            )
        case (.digits, .text(let text)) where !Self.isNumber(text):
            return (
                "the digits of a number and is compared with the text '\(text.clipped)'", digits(comparison, text)
            )
        case (.small, .text(let text)) where !comparison.isOrder && text != text.lowercased():
            return ("a text without capitals and is compared with '\(text.clipped)'", "write '\(text.lowercased())'")
        case (.capital, .text(let text)) where !comparison.isOrder && text != text.uppercased():
            return ("a text in capitals and is compared with '\(text.clipped)'", "write '\(text.uppercased())'")
        default: return nil
        }
    }

    /// One of few names.
    private func word(_ name: String, _ text: String, _ comparison: Comparison) -> Fault? {
        let isLevel = comparison.subject.name == "level_name"
        let level = isLevel ? Severity.number(of: text).map(Level.init(severityNumber:)) : nil
        if comparison.isOrder {
            guard isLevel, comparison.other.isConstant else { return nil }
            return (
                "a name, and names are compared by the alphabet",
                "write `_level \(comparison.sign) \((level ?? .error).rawValue)`"
            )
        }
        let isCaseless = comparison.subject.isCaseless || comparison.other.isCaseless
        guard name != text, !isCaseless || name.lowercased() != text.lowercased() else { return nil }
        // An always-true condition hides nothing.
        if text.isEmpty, comparison.sign != "=" { return nil }
        guard comparison.other.isConstant, comparison.other.kinds?.count == 1 else {
            return ("never what `\(comparison.otherWritten)` answers", names(of: comparison))
        }
        return ("never '\(text.clipped)'", level.map { "write '\($0.name)'" } ?? nearest(text, comparison))
    }

    private func known(_ comparison: Comparison) -> [String] {
        (comparison.subject.kinds ?? []).compactMap { if case .text(let name) = $0 { name } else { nil } }
    }

    func names(of comparison: Comparison) -> String {
        "it is one of \(known(comparison).joined(separator: ", "))"
    }

    private func nearest(_ text: String, _ comparison: Comparison) -> String {
        let known = known(comparison)
        let near = known.first { $0.lowercased() == text.lowercased() } ?? NearestName.of(text, among: known)
        return near.map { "write '\($0)'" } ?? names(of: comparison)
    }

    /// The hint for comparing a level's digits with its name.
    private func digits(_ comparison: Comparison, _ text: String) -> String {
        guard let name = comparison.subject.name, name == "level" || name == "_level",
            let number = Severity.number(of: text)
        else { return "write digits" }
        return "write `\(name) \(comparison.sign) \(Level(severityNumber: number).rawValue)`"
    }

    private func extract(_ comparison: Comparison) -> String {
        "write `->>`, which answers with the value itself: `\(comparison.written.replacing("->", with: "->>")) "
            + "\(comparison.sign) \(comparison.otherWritten)`"
    }

    // MARK: Times

    private func moment(_ comparison: Comparison) -> String {
        // No written time equals a record's nanoseconds, so suggest `>=`.
        "write `\(comparison.written) \(comparison.isOrder ? comparison.sign : ">=") strftime('%Y-%m-%dT%H:%M:%S', 'now', '-1 hour')`, or a text such as "
            + "'2026-11-20T10:00'"
    }

    private func time(_ form: SQLForm, _ text: String, _ comparison: Comparison) -> Fault? {
        let example = form.example
        if comparison.isOrder {
            guard let (index, stranger) = form.stranger(in: text) else { return nil }
            guard form == .record else {
                return (
                    "a text like \(example) and is compared with '\(text.clipped)'", "write a text such as '\(example)'"
                )
            }
            return record(text, index, stranger, comparison)
        }
        guard !form.holds(text), !text.isEmpty || comparison.sign == "=" else { return nil }
        if form == .record {
            if let (index, stranger) = form.stranger(in: text),
                let fault = record(text, index, stranger, comparison)
            {
                return fault
            }
            let part = String(text.prefix(19))
            let isNegated = ["!=", "<>"].contains(comparison.sign)
            return (
                "a text with nine digits behind the seconds and a Z, and is never '\(text.clipped)'",
                "write `\(comparison.written) \(isNegated ? "NOT LIKE" : "LIKE") '\(part)%'`"
            )
        }
        let isShort = form.isDigits && Self.isNumber(text) && text.count < form.marks.count
        let padded = text.zeroPadded(to: form.marks.count)
        return (
            "a text like \(example) and never '\(text.clipped)'",
            isShort ? "write '\(padded)'" : "write a text such as '\(example)'"
        )
    }

    /// The fault of a text compared with `_time`, by its first wrong character.
    private func record(_ text: String, _ index: Int, _ stranger: Character, _ comparison: Comparison) -> Fault? {
        let told = "a text with `T` between date and time"
        let rest = text.dropFirst(index)
        if index == 10, stranger == " " || stranger == "t" {
            return (told, "write `T` for the \(stranger == " " ? "space" : "t") in '\(text.clipped)'")
        }
        if index >= 16 {
            // Within a second the suffix does not matter.
            if index >= 19, ["Z", "+00:00", "-00:00", "+0000", "+00"].contains(String(rest)) { return nil }
            if rest == "Z" { return ("a text with seconds", "write '\(text.dropLast())', without the Z") }
            if stranger == "+" || stranger == "-", let time = Timestamp(rfc3339: Self.whole(text)) {
                return (
                    "a text in UTC, and the offset of '\(text.clipped)' is compared letter by letter",
                    "write '\(time.rfc3339(fractionDigits: 0).dropLast())'"
                )
            }
            return index > 19 ? nil : (told + ", in UTC", moment(comparison))
        }
        if Self.isNumber(text) { return ("a text and is compared with a number", moment(comparison)) }
        return (
            "a text like 2026-11-20T10:00:00.000000000Z and is compared with '\(text.clipped)'", moment(comparison)
        )
    }

    /// Adds the seconds that RFC 3339 requires.
    private static func whole(_ text: String) -> String {
        text.dropFirst(16).first == ":" ? text : text.prefix(16) + ":00" + text.dropFirst(16)
    }
}
