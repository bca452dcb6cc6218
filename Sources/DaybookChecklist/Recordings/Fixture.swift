import DaybookBase
import DaybookTools

/// Records that a recording must equal: for each event, its records in order.
///
/// An expected text may be a matcher: `@any`, `@uuid`, `@int` (a whole number, or a text of one), `@timestamp` (RFC
/// 3339). If a text is expected, other values are compared as written; this lets fixtures that contain only texts,
/// shared between platforms, be compared with typed records.
public struct Fixture: Sendable, Hashable {
    /// One event and its expected records.
    public struct Expected: Sendable, Hashable {
        /// `category.event`, or only the event's name, if a single category has it.
        public var event: String
        /// The columns of each record, in order.
        public var records: [[String: ChecklistValue]]

        /// Creates an event with its records.
        public init(event: String, records: [[String: ChecklistValue]]) {
            self.event = event
            self.records = records
        }

        /// Whether a record with this tag is meant; the collector's own records only by their full tag.
        func covers(_ tag: String) -> Bool {
            tag == event || !event.contains(".") && !OwnRecords.have(tag) && tag.hasSuffix("." + event)
        }
    }

    /// The events, in the order of the fixture.
    public var events: [Expected]

    /// Creates a fixture.
    public init(events: [Expected]) {
        self.events = events
    }

    /// Whether it names the event with a tag.
    public func expects(_ tag: String) -> Bool { events.contains { $0.covers(tag) } }
}

/// A record as a fixture sees it: all its own columns.
public struct FixtureRecord: Sendable, Hashable {
    public var tag: String
    /// The number that identifies it in a difference.
    public var number: Int64
    public var columns: [String: ChecklistValue]

    /// Creates a record.
    public init(tag: String, number: Int64, columns: [String: ChecklistValue]) {
        self.tag = tag
        self.number = number
        self.columns = columns
    }
}

extension ChecklistValue {
    func isExpected(by expected: ChecklistValue) -> Bool {
        guard case .text(let text) = expected else {
            if case .structure(let left) = expected, case .structure(let right) = self { return left == right }
            return equals(expected)
        }
        switch text {
        case "@any": return true
        case "@uuid": return Self.uuid.matches(plainText)
        case "@int": return Self.integer.matches(plainText)
        case "@timestamp": return Self.timestamp.matches(plainText)
        default: return plainText == text
        }
    }

    var plainText: String {
        if case .text(let text) = self { text } else { description }
    }

    /// Cannot fail: the three expressions below are constant and covered by a test.
    private static func pattern(_ text: String) -> TextPattern {
        do throws(TextPattern.Problem) { return try TextPattern(text) } catch { preconditionFailure(error.message) }
    }

    private static let uuid = pattern("^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$")
    private static let integer = pattern("^-?\\d+$")
    private static let timestamp = pattern(
        "^\\d{4}-\\d\\d-\\d\\d[Tt ]\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?([Zz]|[+-]\\d\\d:?\\d\\d)$")
}
