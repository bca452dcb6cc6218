import DaybookBase
import DaybookTools

/// A condition on records in the language of `docs/formats/filters.md`: a tree of terms.
public indirect enum FilterExpression: Sendable, Hashable {
    case term(FilterTerm)
    case not(FilterExpression)
    /// All parts hold; an empty list matches every record.
    case all([FilterExpression])
    /// At least one part holds; an empty list matches no record.
    case any([FilterExpression])

    public static let everything = FilterExpression.all([])

    /// All parts, flattened.
    package static func every(_ parts: [FilterExpression]) -> FilterExpression {
        let parts = parts.flatMap(\.conjuncts)
        return parts.count == 1 ? parts[0] : .all(parts)
    }

    /// The parts of a conjunction, flattened because database engines limit nesting.
    package var conjuncts: [FilterExpression] {
        if case .all(let parts) = self { parts.flatMap(\.conjuncts) } else { [self] }
    }
}

extension FilterExpression {
    /// Text in tag, message or attributes, compared by `TextFolding`: ignoring case, width and composition.
    public static func text(_ text: String) -> FilterExpression { .term(.text(text)) }

    /// A tag, or a pattern as in routes: `feed.*` for one more term, `feed.**` for any number; a star elsewhere matches
    /// any characters. Write `\*` for a literal star.
    public static func tag(_ tag: String) -> FilterExpression {
        if tag.contains("\\*") { return .field(.tag, tag.replacing("\\*", with: "*")) }
        guard tag.contains("*") else { return .field(.tag, tag) }
        let parts = tag.split(separator: "*", omittingEmptySubsequences: false).map(String.init)
        return .term(.field(.tag, .pattern(FilterPattern(parts: parts, isTag: true))))
    }

    /// An exact text. Kinds are `event`, `error` and so on; a trace is 32 lowercase hexadecimal digits.
    public static func field(_ field: FilterField, _ text: String) -> FilterExpression {
        .term(.field(field, .text(text)))
    }

    /// Any of these kinds.
    public static func kinds(_ kinds: [String]) -> FilterExpression {
        kinds.count == 1 ? .field(.kind, kinds[0]) : .any(kinds.map { .field(.kind, $0) })
    }

    /// This severity number or higher.
    public static func level(atLeast level: Int) -> FilterExpression { .term(.level(level ... .max)) }

    /// At or after this time, in nanoseconds since 1970.
    public static func since(_ time: Int64) -> FilterExpression { .term(.since(time)) }

    /// Before this time, in nanoseconds since 1970.
    public static func until(_ time: Int64) -> FilterExpression { .term(.until(time)) }
}

extension FilterExpression {
    /// The time range of all matches: `since` inclusive, `until` exclusive; `nil` for an open end.
    package var times: (since: Int64?, until: Int64?) {
        conjuncts.reduce(into: (nil, nil)) { times, part in
            switch part {
            case .term(.since(let time)): times.since = max(times.since ?? time, time)
            case .term(.until(let time)): times.until = min(times.until ?? time, time)
            default: break
            }
        }
    }

    package var isTime: Bool {
        switch self {
        case .term(.since), .term(.until): true
        default: false
        }
    }

    package func allTerms(_ test: (FilterTerm) -> Bool) -> Bool {
        var passes = true
        forEachTerm { term, _ in passes = passes && test(term) }
        return passes
    }
}

public enum FilterTerm: Sendable, Hashable {
    /// Text in tag, message or attributes; see ``FilterExpression/text(_:)``.
    case text(String)
    /// A test of one of the built-in text fields.
    case field(FilterField, FilterTest)
    case level(ClosedRange<Int>)
    /// At or after this time, in nanoseconds since 1970.
    case since(Int64)
    /// Before this time, in nanoseconds since 1970.
    case until(Int64)
    /// A test of a built-in number, which a record may lack.
    case number(FilterMeasure, FilterRange)
    /// A test of a column's value, in the attributes or the context.
    case column(String, FilterTest)
    /// Whether a column has a value, in the attributes or the context.
    case has(String)
}

/// A record's texts with built-in names in filters.
public enum FilterField: String, Sendable, Hashable, CaseIterable {
    /// The full tag: `category.event`.
    case tag
    /// The tag, or its last term, which is an event's name in its definition.
    case name
    case kind, session, installation, version, device, module, file, function, trace, uid, message
}

/// A record's numbers with built-in names in filters.
public enum FilterMeasure: String, Sendable, Hashable, CaseIterable {
    /// The duration of a span or a request, in nanoseconds.
    case duration
    case line
}

public enum FilterTest: Sendable, Hashable {
    /// This text; a number does not match.
    case text(String)
    /// This text, or the number or boolean written like it.
    case value(String)
    /// A text that matches the pattern.
    case pattern(FilterPattern)
    case range(FilterRange)
}

/// A number in a filter: `30`, `30.0` and `3e1` are equal. Whole numbers are compared exactly.
public enum FilterNumber: Sendable, Hashable {
    case int(Int64)
    case double(Double)

    /// Parses a JSON number; `nil` for other texts and numbers beyond `Double`.
    package init?(_ text: String) {
        guard let first = text.utf8.first(where: { $0 != UInt8(ascii: "-") }), (0x30...0x39).contains(first) else {
            return nil
        }
        if let number = Int64(text) {
            self = .int(number)
        } else if let number = Double(text), number.isFinite, !text.utf8.contains(UInt8(ascii: "x")) {
            self.init(number)
        } else {
            return nil
        }
    }

    /// - Parameter number: Finite.
    package init(_ number: Double) { self = Int64(exactly: number).map { .int($0) } ?? .double(number) }

    /// The canonical text, for filters, SQL and counts by value.
    package var text: String {
        switch self {
        case .int(let number): "\(number)"
        case .double(let number): "\(number)"
        }
    }

    /// Negative, 0 or positive; exact even between an `Int64` and a `Double` that cannot represent it.
    static func order(_ left: Self, _ right: Self) -> Int {
        switch (left, right) {
        case (.int(let left), .int(let right)): left < right ? -1 : left == right ? 0 : 1
        case (.double(let left), .double(let right)): left < right ? -1 : left == right ? 0 : 1
        case (.int(let left), .double(let right)): order(left, right)
        case (.double(let left), .int(let right)): -order(right, left)
        }
    }

    private static func order(_ whole: Int64, _ number: Double) -> Int {
        if number >= 0x1p63 { return -1 }
        if number < -0x1p63 { return 1 }
        let floor = number.rounded(.down)
        let other = Int64(floor)
        if whole != other { return whole < other ? -1 : 1 }
        return number > floor ? -1 : 0
    }
}

/// A range of numbers; `nil` is an open end.
public struct FilterRange: Sendable, Hashable {
    public var lower: FilterNumber?
    public var includesLower: Bool
    public var upper: FilterNumber?
    public var includesUpper: Bool

    /// Creates a range; both ends are included by default.
    public init(
        from lower: FilterNumber? = nil, includesLower: Bool = true, to upper: FilterNumber? = nil,
        includesUpper: Bool = true
    ) {
        self.lower = lower
        self.includesLower = includesLower
        self.upper = upper
        self.includesUpper = includesUpper
    }

    var isReversed: Bool {
        guard let lower, let upper else { return false }
        return FilterNumber.order(lower, upper) > 0
    }

    func contains(_ number: FilterNumber) -> Bool {
        if let lower {
            let order = FilterNumber.order(number, lower)
            if order < 0 || order == 0 && !includesLower { return false }
        }
        if let upper {
            let order = FilterNumber.order(number, upper)
            if order > 0 || order == 0 && !includesUpper { return false }
        }
        return true
    }

    package var bounds: [(comparison: String, number: FilterNumber)] {
        [lower.map { (includesLower ? ">=" : ">", $0) }, upper.map { (includesUpper ? "<=" : "<", $0) }]
            .compactMap(\.self)
    }
}

/// A text with stars, each of which matches any characters or none. Compared by bytes.
public struct FilterPattern: Sendable, Hashable {
    /// The texts before, between and after the stars; at least two.
    package let parts: [String]

    /// The tag pattern, if it is one, such as `feed.*` or `feed.**`.
    package let tagPattern: TagPattern?

    init(parts: [String], isTag: Bool = false) {
        self.parts = parts
        let hasStars = parts.contains { $0.unicodeScalars.contains("*") }
        tagPattern = isTag && !hasStars ? try? TagPattern(parts.joined(separator: "*")) : nil
    }

    func matches(_ text: String) -> Bool {
        if let tagPattern { return tagPattern.matches(text) }
        guard let first = parts.first, let last = parts.last, parts.count > 1 else { return text == parts.first }
        let bytes = Array(text.utf8)
        guard bytes.count >= first.utf8.count + last.utf8.count, bytes.starts(with: first.utf8) else { return false }
        var rest = bytes[first.utf8.count...]
        guard rest.suffix(last.utf8.count).elementsEqual(last.utf8) else { return false }
        rest = rest.dropLast(last.utf8.count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let place = rest.firstRange(of: Array(part.utf8)) else { return false }
            rest = rest[place.upperBound...]
        }
        return true
    }

    /// For SQL's LIKE, with `\` as the escape character.
    package var like: String {
        parts.map { part in
            String(
                String.UnicodeScalarView(
                    part.unicodeScalars.flatMap { "\\%_".unicodeScalars.contains($0) ? ["\\", $0] : [$0] }))
        }.joined(separator: "%")
    }
}

extension FilterExpression {
    package var comparedColumns: Set<String> {
        var names: Set<String> = []
        forEachTerm { term, _ in
            if case .column(let name, _) = term { names.insert(name) }
        }
        return names
    }

    /// Whether a term depends on values that masking may change; a value's presence is never masked.
    package var asksForMasked: Bool {
        !allTerms { !$0.asksForMasked }
    }

    /// Whether a term asks for the collector's own records by tag.
    package var asksForOwn: Bool {
        var asks = false
        forEachTerm { term, isNegated in
            guard !isNegated, case .field(let field, let test) = term, field == .tag || field == .name else { return }
            switch test {
            case .text(let tag), .value(let tag): asks = asks || OwnRecords.have(tag)
            case .pattern(let pattern): asks = asks || OwnRecords.have(pattern.parts[0] + "x")
            case .range: break
            }
        }
        return asks
    }

    /// Visits every term; the flag is true below an odd number of negations.
    private func forEachTerm(isNegated: Bool = false, _ body: (FilterTerm, Bool) -> Void) {
        switch self {
        case .term(let term): body(term, isNegated)
        case .not(let part): part.forEachTerm(isNegated: !isNegated, body)
        case .all(let parts), .any(let parts):
            for part in parts { part.forEachTerm(isNegated: isNegated, body) }
        }
    }

    package func mapped(_ body: (FilterTerm) -> FilterTerm) -> FilterExpression {
        switch self {
        case .term(let term): .term(body(term))
        case .not(let part): .not(part.mapped(body))
        case .all(let parts): .all(parts.map { $0.mapped(body) })
        case .any(let parts): .any(parts.map { $0.mapped(body) })
        }
    }
}

extension FilterTerm {
    /// Whether it depends on what masking may change: text search, the message, and columns' values.
    package var asksForMasked: Bool {
        switch self {
        case .text, .column, .field(.message, _): true
        case .field, .level, .since, .until, .number, .has: false
        }
    }
}
