import DaybookBase

/// A column's definition, prepared for validation.
struct ColumnValidator: Sendable {
    let name: String
    let nameBytes: [UInt8]
    /// Whether a record must have it.
    let isRequired: Bool
    private let type: ColumnType
    private let isObsolete: Bool
    private let classification: Column.Classification
    private let declared: Set<[UInt8]>
    private let declaredText: String

    init(_ column: Column, declared: [String: [String]]) {
        name = column.name
        nameBytes = Array(column.name.utf8)
        isRequired = !column.isOptional && !column.isObsolete
        type = column.type
        isObsolete = column.isObsolete
        classification = column.classification
        let values = column.type.isCustom ? declared[column.type.name] ?? [] : []
        self.declared = Set(values.map { Array($0.utf8) })
        declaredText = values.map { "`\($0)`" }.joined(separator: ", ")
    }

    /// A value's violation, or `nil`. Null counts as absent.
    func violation(of value: JSONScanner.Token, in bytes: [UInt8], tag: String) -> Violation? {
        if case .null = value { return nil }
        if isObsolete { return Violation(.obsoleteColumn, tag: tag, column: name) }
        // A masked value cannot be checked.
        if case .string(let text) = value,
            [Record.mask, CredentialScrubber.replacement].contains(where: { bytes[text.range].elementsEqual($0.utf8) })
        {
            return nil
        }
        if classification == .sensitive {
            guard case .string(let text) = value, isHash(bytes[text.range]) else {
                return Violation(.sensitiveInClear, tag: tag, column: name)
            }
            return nil
        }
        func wrongType() -> Violation {
            Violation(
                .wrongType, tag: tag, column: name, expected: "`\(type.source)`", found: kind(of: value, in: bytes))
        }
        switch (type, value) {
        case (_, .number(let number)): return violation(of: number, in: bytes, tag: tag)
        case (.boolean, .boolean): return nil
        case (.real, .string(let text)), (.double, .string(let text)):
            return ["NaN", "Infinity", "-Infinity"].contains(text.text(in: bytes)) ? nil : wrongType()
        case (.string(let limit?), .string(let text)):
            let count = text.utf8Count(in: bytes)
            guard count > limit else { return nil }
            return Violation(.tooLong, tag: tag, column: name, expected: "\(limit)", found: "\(count)")
        case (.string(nil), .string): return nil
        case (.date, .string(let text)): return DateText.isDay(bytes[text.range]) ? nil : wrongType()
        case (.timestamp, .string(let text)): return DateText.isMoment(bytes[text.range]) ? nil : wrongType()
        case (.timestamptz, .string(let text)):
            return DateText.isMoment(bytes[text.range], needsZone: true) ? nil : wrongType()
        case (.smallint, .string(let text)), (.integer, .string(let text)), (.bigint, .string(let text)):
            let numeral = text.text(in: bytes)
            guard Self.isBeyondIntegers(numeral) else { return wrongType() }
            return Violation(
                .outOfRange, tag: tag, column: name, expected: "`\(type.source)`", found: shown(numeral.clipped))
        case (.custom, .string(let text)):
            guard !declared.isEmpty else { return nil }
            let raw = text.hasEscapes ? Array(text.text(in: bytes).utf8) : Array(bytes[text.range])
            guard !declared.contains(raw) else { return nil }
            return Violation(
                .undeclaredValue, tag: tag, column: name, expected: declaredText,
                found: shown("`\(text.text(in: bytes).clipped)`"))
        case (.custom, _): return declared.isEmpty ? nil : wrongType()
        default: return wrongType()
        }
    }

    private func violation(of number: JSONNumber, in bytes: [UInt8], tag: String) -> Violation? {
        func wrongType() -> Violation {
            Violation(
                .wrongType, tag: tag, column: name, expected: "`\(type.source)`",
                found: kind(of: .number(number), in: bytes))
        }
        func outOfRange(_ found: String) -> Violation {
            Violation(.outOfRange, tag: tag, column: name, expected: "`\(type.source)`", found: shown(found))
        }
        switch type {
        case .real, .double: return nil
        case .custom: return declared.isEmpty ? nil : wrongType()
        case .smallint, .integer, .bigint:
            // A sender without integers writes 3 as 3.0.
            let double = number.double(in: bytes)
            guard let exact = number.integer(in: bytes) ?? Int64(exactly: double) else {
                return double.rounded() == double ? outOfRange("\(double)") : wrongType()
            }
            let fits =
                switch type {
                case .smallint: Int16(exactly: exact) != nil
                case .integer: Int32(exactly: exact) != nil
                default: true
                }
            return fits ? nil : outOfRange("\(exact)")
        default: return wrongType()
        }
    }

    /// Whether a text is an integer beyond 64 bits: records keep a sender's large number as text.
    private static func isBeyondIntegers(_ text: String) -> Bool {
        let digits = text.utf8.drop { $0 == UInt8(ascii: "-") }
        return text.utf8.count - digits.count < 2 && !digits.isEmpty && digits.allSatisfy(\.isDigit)
            && Int64(text) == nil
    }

    /// A value as far as it may be shown.
    private func shown(_ found: String) -> String? { classification == .plain ? found : nil }

    /// A SipHash-2-4 of 128 bits, as written by the client: 32 hexadecimal digits.
    private func isHash(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.count == 32 && bytes.allSatisfy { $0.isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0) }
    }

    private func kind(of value: JSONScanner.Token, in bytes: [UInt8]) -> String {
        switch value {
        case .null: "null"
        case .boolean: "a truth value"
        case .number(let number): number.integer(in: bytes) == nil ? "a number with a fraction" : "a whole number"
        case .string(let text) where Self.isBeyondIntegers(text.text(in: bytes)): "a whole number beyond 64 bits"
        case .string: type.isDateLike ? "other text" : "text"
        case .beginObject: "an object"
        case .beginArray: "a list"
        }
    }
}

/// Date formats in records: RFC 3339, also with a space for the `T` or without a zone.
enum DateText {
    /// `2026-11-20`.
    static func isDay(_ text: ArraySlice<UInt8>) -> Bool { day(text)?.isEmpty == true }

    /// A date, a time to the second or finer, and a zone if required.
    static func isMoment(_ text: ArraySlice<UInt8>, needsZone: Bool = false) -> Bool {
        guard var rest = day(text), let separator = rest.popFirst(),
            separator == UInt8(ascii: "T") || separator == UInt8(ascii: "t") || separator == .space,
            number(&rest, 2, in: 0...23), skip(":", &rest), number(&rest, 2, in: 0...59), skip(":", &rest),
            number(&rest, 2, in: 0...60)
        else { return false }
        if skip(".", &rest) {
            guard rest.first?.isDigit == true else { return false }
            rest = rest.drop(while: \.isDigit)
        }
        if rest.isEmpty { return !needsZone }
        if skip("Z", &rest) || skip("z", &rest) { return rest.isEmpty }
        guard skip("+", &rest) || skip("-", &rest), number(&rest, 2, in: 0...23), skip(":", &rest),
            number(&rest, 2, in: 0...59)
        else { return false }
        return rest.isEmpty
    }

    /// What follows a leading date, or `nil` without one.
    private static func day(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var rest = text
        guard number(&rest, 4, in: 0...9999), skip("-", &rest), number(&rest, 2, in: 1...12), skip("-", &rest),
            number(&rest, 2, in: 1...31)
        else { return nil }
        return rest
    }

    private static func number(_ rest: inout ArraySlice<UInt8>, _ digits: Int, in range: ClosedRange<Int>) -> Bool {
        let prefix = rest.prefix(digits)
        guard prefix.count == digits, prefix.allSatisfy(\.isDigit) else { return false }
        rest = rest.dropFirst(digits)
        return range.contains(prefix.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) })
    }

    private static func skip(_ mark: Unicode.Scalar, _ rest: inout ArraySlice<UInt8>) -> Bool {
        guard rest.first == UInt8(ascii: mark) else { return false }
        rest = rest.dropFirst()
        return true
    }
}
