import DaybookBase
import DaybookTools

/// Turns a name, an operator and values into an expression.
struct FilterTermReader {
    private static let second: Int64 = 1_000_000_000
    private static let units: [(name: String, nanoseconds: Int64)] = [
        ("ns", 1), ("us", 1_000), ("µs", 1_000), ("ms", 1_000_000), ("s", second), ("m", 60 * second),
        ("h", 3_600 * second), ("d", 86_400 * second), ("w", 604_800 * second),
    ]

    let name: String
    /// The column of a quoted name.
    let column: String?
    let sign: String
    /// The column of the name in the text, from 1.
    let start: Int
    let now: Int64
    /// Whether `last` has no end.
    let isLive: Bool

    private var isComparing: Bool { sign.hasPrefix("<") || sign.hasPrefix(">") }

    func expression(_ words: [FilterWord]) throws(FilterError) -> FilterExpression {
        if isComparing, words.count > 1 {
            throw FilterError(column: words[1].column, message: "`\(sign)` compares with one value")
        }
        var terms: [FilterExpression] = []
        for word in words {
            switch column == nil ? name : "" {
            case "last": terms.append(try last(word))
            case "time": terms.append(try implausible(word))
            default: terms.append(.term(try term(word)))
            }
        }
        return terms.count == 1 ? terms[0] : .any(terms)
    }

    private func term(_ word: FilterWord) throws(FilterError) -> FilterTerm {
        if let column { return .column(column, try test(word)) }
        switch name {
        case "has":
            try checkIsPlain(word)
            return try has(word)
        case "level": return .level(try levels(word))
        case "after": return .since(try time(word))
        case "before": return .until(try time(word))
        case "duration": return .number(.duration, try range(word, length))
        case "line": return .number(.line, try range(word, lineNumber))
        default:
            guard let field = FilterField(rawValue: name) else { return .column(name, try test(word)) }
            return .field(field, try test(word, of: field))
        }
    }

    /// The value of `has`: a name, quoted for a column that shares a built-in one.
    private func has(_ word: FilterWord) throws(FilterError) -> FilterTerm {
        let name = word.text
        guard !word.isQuoted else { return .has(name) }
        try Self.checkSpelling(name, at: word.column)
        switch name {
        case "level": return .level(1 ... .max)
        case "duration", "line": return .number(name == "line" ? .line : .duration, FilterRange(from: .int(0)))
        case _ where !FilterParser.names.contains(name): return .has(name)
        default: break
        }
        guard let field = FilterField(rawValue: name), ![.tag, .name, .kind, .uid].contains(field) else {
            throw FilterError(
                column: word.column,
                message: "every record has a \(name), or it is no value; a column of this name is has:\"\(name)\"")
        }
        return .field(field, .pattern(FilterPattern(parts: ["", ""])))
    }

    /// - Throws: ``FilterError`` for a misspelt built-in name, or another system's name for one.
    static func checkSpelling(_ name: String, at column: Int) throws(FilterError) {
        let plain = name.lowercased()
        guard !FilterParser.names.contains(name) else { return }
        let prefix = prefixes.first { plain.hasPrefix($0) && plain.utf8.count > $0.utf8.count }
        let stem = prefix.map { String(name.dropFirst($0.count)) }
        let bare = stem.map { FilterParser.names.contains($0) ? FilterTerm.quoted($0) : $0 }
        let meant = FilterParser.names.contains(plain) ? plain : others[plain] ?? bare
        guard let meant else { return }
        throw FilterError(
            column: column, message: "`\(name)` is written \(meant) here; a column of this name is written \"\(name)\"")
    }

    /// Names in other query languages, OpenTelemetry and SQL, and their names here.
    private static let others = [
        "since": "after", "until": "before", "timestamp": "after or before", "severity": "level",
        "severity_text": "level", "severitytext": "level", "severity_number": "level", "severitynumber": "level",
        "trace_id": "trace", "traceid": "trace", "span_id": "trace (all of its spans)",
        "spanid": "trace (all of its spans)", "parent_span_id": "trace (all of its spans)", "session.id": "session",
        WireName.uid: "uid", "\(WireName.tag)": "tag", "\(WireName.kind)": "kind", "\(WireName.module)": "module",
        "\(WireName.file)": "file", "\(WireName.olderFile)": "file", "\(WireName.function)": "function",
        "\(WireName.olderFunction)": "function", "\(WireName.line)": "line", "\(WireName.olderLine)": "line",
        WireName.olderEventName: "name",
    ]
    private static let prefixes = ["resource.attributes.", "attributes.", "attribute.", "context.", "resource."]
    static let taken = others.keys.sorted() + prefixes

    private func checkIsPlain(_ word: FilterWord) throws(FilterError) {
        guard sign == ":" || sign == "=", !word.isRange, !word.isPattern else {
            throw FilterError(column: start, message: "`\(name)` is written \(name):VALUE, with one plain value")
        }
    }

    // MARK: Texts and numbers

    private func test(_ word: FilterWord) throws(FilterError) -> FilterTest {
        if isComparing || word.isRange { return .range(try range(word, number)) }
        if word.isPattern { return .pattern(FilterPattern(parts: word.parts)) }
        return word.isQuoted ? .text(word.text) : .value(word.text)
    }

    private func number(_ text: String, _ word: FilterWord) throws(FilterError) -> FilterNumber {
        if !word.isQuoted, let number = FilterNumber(text) { return number }
        throw FilterError(
            column: word.column,
            message: word.isRange
                ? "a range goes from one number to another, such as \(name):100..200; quote a text that has two dots"
                : "`\(sign)` compares with a number, such as \(name)\(sign)100; texts are found with = and with stars")
    }

    private func test(_ word: FilterWord, of field: FilterField) throws(FilterError) -> FilterTest {
        guard !isComparing, !word.isRange else {
            throw FilterError(
                column: start, message: "`\(name)` is a text: write \(name)=VALUE, or a pattern such as \(name)=2.*")
        }
        if field == .kind {
            guard !word.isPattern, Kind(rawValue: word.text) != nil else {
                throw FilterError(
                    column: word.column,
                    message: "`kind` is one of \(Kind.allCases.map(\.rawValue).joined(separator: ", "))")
            }
        }
        guard word.isPattern else { return .text(word.text) }
        return .pattern(FilterPattern(parts: word.parts, isTag: field == .tag || field == .name))
    }

    // MARK: Levels

    private func levels(_ word: FilterWord) throws(FilterError) -> ClosedRange<Int> {
        if let upper = word.upper {
            let lower = word.text.isEmpty ? Int.min : try numbers(word.text, word).lowerBound
            let last = upper.isEmpty ? Int.max : try numbers(upper, word).upperBound
            guard lower <= last else {
                throw FilterError(column: word.column, message: "the first level of a range is the lower one")
            }
            return lower...last
        }
        let numbers = try numbers(word.text, word)
        guard sign != "<" || numbers.lowerBound > 0, sign != ">" || numbers.upperBound < 24 else {
            throw FilterError(column: word.column, message: "no level is beyond \(word.text)")
        }
        switch sign {
        case ">=": return numbers.lowerBound ... .max
        case ">": return numbers.upperBound + 1 ... .max
        case "<=": return .min...numbers.upperBound
        case "<": return .min...numbers.lowerBound - 1
        default: return numbers
        }
    }

    /// The severity numbers of a level. A missing level, 0, is below all; `fatal` includes numbers beyond 24.
    private func numbers(_ text: String, _ word: FilterWord) throws(FilterError) -> ClosedRange<Int> {
        guard !word.isPattern, let numbers = Severity.numbers(of: text) else {
            throw FilterError(
                column: word.column, message: "`level` is one of \(Severity.description), such as level>=warning")
        }
        return numbers == 21...24 ? 21 ... .max : numbers
    }

    // MARK: Times

    /// From that long ago, exclusive, to now; records with later times are excluded unless live.
    private func last(_ word: FilterWord) throws(FilterError) -> FilterExpression {
        try checkIsPlain(word)
        guard let length = Self.nanoseconds(word.text), length > 0 else {
            throw FilterError(column: word.column, message: "`last` takes a time such as last:30m, last:2h or last:7d")
        }
        let (start, isBeyond) = now.subtractingReportingOverflow(length - 1)
        let since = FilterExpression.term(.since(isBeyond ? .min : start))
        return isLive || now == .max ? since : .all([since, .term(.until(now + 1))])
    }

    /// Times that no correctly set clock has.
    private func implausible(_ word: FilterWord) throws(FilterError) -> FilterExpression {
        try checkIsPlain(word)
        guard word.text == "implausible" else {
            throw FilterError(
                column: word.column,
                message: "`time` takes `implausible`; a time is chosen by after:, before: and last:, a column of this "
                    + "name by \"time\":VALUE")
        }
        let times = PlausibleTime.range(at: now)
        return .any([.term(.until(times.lowerBound)), .term(.since(times.upperBound))])
    }

    private func time(_ word: FilterWord) throws(FilterError) -> Int64 {
        try checkIsPlain(word)
        if let time = ReadTime.nanoseconds(ofQuestion: word.text) { return time }
        throw FilterError(
            column: word.column,
            message: "`\(name)` takes a day or a time, such as \(name):2026-11-20 or \(name):2026-11-20T10:30+09:00")
    }

    private func range(
        _ word: FilterWord, _ number: (String, FilterWord) throws(FilterError) -> FilterNumber
    ) throws(FilterError) -> FilterRange {
        if let upper = word.upper {
            let range = FilterRange(
                from: try word.text.isEmpty ? nil : number(word.text, word),
                to: try upper.isEmpty ? nil : number(upper, word))
            guard !range.isReversed else {
                throw FilterError(column: word.column, message: "the first number of a range is the lower one")
            }
            return range
        }
        let number = try number(word.text, word)
        switch sign {
        case ">=", ">": return FilterRange(from: number, includesLower: sign == ">=")
        case "<=", "<": return FilterRange(to: number, includesUpper: sign == "<=")
        default: return FilterRange(from: number, to: number)
        }
    }

    private func lineNumber(_ text: String, _ word: FilterWord) throws(FilterError) -> FilterNumber {
        if let number = FilterNumber(text), case .int = number { return number }
        throw FilterError(
            column: word.column,
            message: "`line` takes the number of a line of the source, such as line=42; a column of this name is "
                + "written \"line\"")
    }

    private func length(_ text: String, _ word: FilterWord) throws(FilterError) -> FilterNumber {
        if let nanoseconds = Self.nanoseconds(text) { return .int(nanoseconds) }
        throw FilterError(
            column: word.column, message: "`duration` takes a whole number and a unit, such as duration>=300ms or 2s")
    }

    /// Parses `2h` or `300ms`; `nil` for other texts and overflow.
    private static func nanoseconds(_ text: String) -> Int64? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let count = Int64(digits), let unit = units.first(where: { $0.name == text[digits.endIndex...] }) else {
            return nil
        }
        let (product, overflows) = count.multipliedReportingOverflow(by: unit.nanoseconds)
        return overflows ? nil : product
    }
}
