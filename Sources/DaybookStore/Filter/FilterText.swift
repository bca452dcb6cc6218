import DaybookBase

/// A filter as text that parses to the same filter.
extension FilterExpression: CustomStringConvertible {
    public var description: String {
        switch self {
        case .term(let term): term.description
        case .not(let part):
            if case .term = part { "-\(part)" } else { "-(\(part))" }
        case .all(let parts): parts.map { $0.isCompound ? "(\($0))" : $0.description }.joined(separator: " ")
        case .any(let parts): parts.map { $0.isCompound ? "(\($0))" : $0.description }.joined(separator: " OR ")
        }
    }

    private var isCompound: Bool {
        switch self {
        case .all, .any: true
        case .term, .not: false
        }
    }
}

extension FilterTerm: CustomStringConvertible {
    public var description: String {
        switch self {
        case .text(let text): Self.quoted(text)
        case .field(let field, let test): "\(field.rawValue)\(test)"
        case .column(let name, let test): "\(Self.quoted(name))\(test)"
        case .has(let name): "has:\(Self.quoted(name))"
        case .number(let measure, let range):
            "\(measure.rawValue)\(range.text(unit: measure == .duration ? "ns" : ""))"
        case .level(let range):
            switch (range.lowerBound, range.upperBound) {
            case (.min, let upper): "level<=\(Self.level(endingAt: upper))"
            case (let lower, let upper) where lower == upper: "level=\(lower)"
            case (let lower, .max): "level>=\(Self.level(beginningAt: lower))"
            case (let lower, let upper): "level:\(Self.level(beginningAt: lower))..\(Self.level(endingAt: upper))"
            }
        case .since(let time): "after:\(Timestamp(nanoseconds: time).rfc3339(fractionDigits: 9))"
        case .until(let time): "before:\(Timestamp(nanoseconds: time).rfc3339(fractionDigits: 9))"
        }
    }

    /// The name of the level that starts at a number, otherwise the number.
    private static func level(beginningAt number: Int) -> String {
        UInt8(exactly: number).flatMap(Level.init(rawValue:))?.name ?? String(number)
    }

    private static func level(endingAt number: Int) -> String {
        if number == .max { return Level.fatal.name }
        // The name `fatal` would include numbers beyond 24.
        if number == 24 { return "24" }
        return UInt8(exactly: number - 3).flatMap(Level.init(rawValue:))?.name ?? String(number)
    }

    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\":
                result += "\\"
                result.unicodeScalars.append(scalar)
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

extension FilterTest: CustomStringConvertible {
    /// With the operator before it.
    public var description: String {
        switch self {
        case .text(let text): "=\(FilterTerm.quoted(text))"
        case .value(let text): "=\(Self.bare(text))"
        case .pattern(let pattern): "=\(pattern.parts.map(Self.bare).joined(separator: "*"))"
        case .range(let range): range.text(unit: "")
        }
    }

    private static func bare(_ text: String) -> String {
        // Unescaped, the word has another meaning.
        if text == "null" { return "nul\\l" }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "." where result.unicodeScalars.last == ".": result += "\\."
            case "\"", "\\", "(", ")", ",", "*", "&", "|", "…": result += "\\\(scalar)"
            case _ where result.isEmpty && FilterMistake.hasMeaning(first: scalar): result += "\\\(scalar)"
            case _ where scalar.properties.isWhitespace || FilterMistake.isInvisible(scalar): result += "\\\(scalar)"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

extension FilterRange {
    fileprivate func text(unit: String) -> String {
        if let lower, let upper { return ":\(lower.text)\(unit)..\(upper.text)\(unit)" }
        return bounds.map { "\($0.comparison)\($0.number.text)\(unit)" }.joined()
    }
}
