import DaybookBase

/// One way in which a recorded event differs from its definition.
///
/// It contains no value of a `[private]` or `[sensitive]` column, so that it can be shown and counted anywhere.
public struct Violation: Sendable, Hashable, CustomStringConvertible {
    /// What is wrong. The raw values are stable: stores and reports use them.
    public enum Kind: String, Sendable, CaseIterable {
        /// No definition has this tag.
        case undefinedEvent = "undefined_event"
        /// The event is marked `[obsolete]`.
        case obsoleteEvent = "obsolete_event"
        /// A column that is not optional has no value.
        case missingColumn = "missing_column"
        /// The event has an attribute that its definition does not name.
        case undefinedColumn = "undefined_column"
        /// The column is marked `[obsolete]`.
        case obsoleteColumn = "obsolete_column"
        /// The value is of another type.
        case wrongType = "wrong_type"
        /// The number is outside the type's range.
        case outOfRange = "out_of_range"
        /// The text has more bytes than the definition allows.
        case tooLong = "too_long"
        /// The value is none of those that the definition lists.
        case undeclaredValue = "undeclared_value"
        /// A `[sensitive]` column contains something other than a hash: it was sent in the clear.
        case sensitiveInClear = "sensitive_in_clear"
        /// The attributes are not a JSON object.
        case unreadable
    }

    public var kind: Kind
    /// The record's tag.
    public var tag: String
    /// The column, if the violation concerns one.
    public var column: String?
    /// What the definition requires: `!string 256`, or the declared values as code; `nil` if that adds nothing.
    public var expected: String?
    /// What was found: a type, a length, a value (at most 80 characters, never of a column that is private or
    /// sensitive); `nil` if that adds nothing.
    public var found: String?

    /// Creates a violation.
    public init(_ kind: Kind, tag: String, column: String? = nil, expected: String? = nil, found: String? = nil) {
        self.kind = kind
        self.tag = tag
        self.column = column
        self.expected = expected
        self.found = found
    }

    /// A sentence for people, without a full stop.
    public var message: String {
        let name = "`\(column ?? "")`"
        let isFound = found.map { ", not \($0)" } ?? ""
        return switch kind {
        case .undefinedEvent: "no definition has the event `\(tag.clipped)`"
        case .obsoleteEvent: "the event `\(tag)` is obsolete"
        case .missingColumn: "the column \(name) is missing"
        case .undefinedColumn: "the definition has no column \(name)"
        case .obsoleteColumn: "the column \(name) is obsolete"
        case .wrongType: "\(name) should be \(expected ?? "of another type")\(isFound)"
        case .outOfRange: "\(name) is outside the range of \(expected ?? "its type")" + (found.map { ": \($0)" } ?? "")
        case .tooLong: "\(name) has \(found ?? "more") bytes; at most \(expected ?? "fewer") are allowed"
        case .undeclaredValue: "\(name) should be one of \(expected ?? "the declared values")\(isFound)"
        case .sensitiveInClear: "\(name) is sensitive, but was not hashed"
        case .unreadable: "the attributes are not a JSON object"
        }
    }

    /// `recipe_search.search: the column `keyword` is missing`.
    public var description: String { "\(tag.clipped): \(message)" }
}

/// The violations of a recording's events, collected record by record.
public struct ValidationReport: Sendable {
    /// The most violations kept with their line; all are counted.
    public static let greatestListing = 1_000

    private let validator: RecordValidator
    private var events = 0
    private var total = 0
    private var found: [(line: Int, violation: Violation)] = []

    /// Creates an empty report.
    public init(_ validator: RecordValidator) { self.validator = validator }

    /// Validates one event.
    ///
    /// - Parameter line: The event's line, from 1.
    public mutating func observe(line: Int, tag: String, attributes: String, context: String?) {
        events += 1
        let violations = validator.violations(tag: tag, attributes: attributes, context: context)
        total += violations.count
        found += violations.prefix(Swift.max(0, ValidationReport.greatestListing - found.count)).map { (line, $0) }
    }

    /// The outcome: exit code 0 if every event is as defined, else 1.
    ///
    /// - Parameter json: One JSON object instead of a line for each violation and a summary.
    public func outcome(file: String, json: Bool) -> CommandOutcome {
        CommandOutcome(output: json ? self.json : text(file: file), exitCode: total == 0 ? 0 : 1)
    }

    private func hint(_ violation: Violation) -> String? {
        violation.kind == .undefinedEvent ? validator.nearestTag(to: violation.tag) : nil
    }

    private func text(file: String) -> String {
        let lines = found.map { line, violation in
            let near = hint(violation).map { " (did you mean `\($0)`?)" } ?? ""
            return "\(file):\(line): \(violation)\(near)".printable + "\n"
        }
        let more = total > found.count ? "and \(total - found.count) more\n" : ""
        let summary = "\(events) event\(events == 1 ? "" : "s"), \(total) violation\(total == 1 ? "" : "s")\n"
        return lines.joined() + more + summary
    }

    private var json: String {
        JSONWriter.indentedText([
            "ok": .bool(total == 0), "events": Value(events), "violations": Value(total),
            "listed": .array(
                found.map { line, violation in
                    [
                        "line": Value(line), "event": .string(violation.tag),
                        "violation": .string(violation.kind.rawValue), "column": Value(violation.column),
                        "expected": Value(violation.expected), "found": Value(violation.found),
                        "message": .string(violation.message), "nearest": Value(hint(violation)),
                    ]
                }),
        ]).printableJSON
    }
}
