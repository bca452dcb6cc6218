import DaybookBase
import DaybookChecklist

/// A funnel, retention, path, count, measure or difference of many records, as text. Format: docs/formats/insight.md. A value; safe to
/// share between threads.
package struct Insight: Sendable, Hashable {
    /// A step's event, optionally with conditions: `search.search(order = "popular")`.
    package struct Step: Sendable, Hashable, CustomStringConvertible {
        package var pattern: TagPattern
        /// All must hold; empty for every such event.
        package var tests: [ColumnTest]

        package var description: String {
            tests.isEmpty ? pattern.text : "\(pattern.text)(\(tests.map(\.text).joined(separator: " and ")))"
        }
    }

    package enum Question: Sendable, Hashable {
        /// How many continue from each step to the next.
        case funnel([Step])
        /// Who does `returning` in each of `periods` periods after their first `first`.
        case retention(first: Step, returning: Step, periods: Int)
        /// Sequences of `length` events.
        case path(after: Step, length: Int)
        /// How often an event occurs.
        case count(Step)
        /// How large a number of an event is.
        case measure(Number, of: Step)
        /// Which values of these columns two events have most unequally.
        case differ(Step, from: Step, by: [String])

        var isPath: Bool { if case .path = self { true } else { false } }

        /// Whether the answer is about events, and not about who had them.
        package var isOfEvents: Bool {
            switch self {
            case .measure, .differ: true
            case .funnel, .retention, .path, .count: false
            }
        }
    }

    /// A number that records have.
    package enum Number: Sendable, Hashable, CustomStringConvertible {
        /// Of a span or a request, in nanoseconds.
        case duration
        case column(String)

        package var description: String {
            switch self {
            case .duration: Self.durationName
            case .column(let name): name
            }
        }

        package static let durationName = "_duration"
    }

    package enum JoinKey: Sendable, Hashable, CustomStringConvertible {
        case session
        case installation
        case column(String)

        package var description: String {
            switch self {
            case .session: "session"
            case .installation: "installation"
            case .column(let name): name
            }
        }

        /// What is counted, as a column name of the answer.
        package var counted: String {
            switch self {
            case .session: "sessions"
            case .installation: "installations"
            case .column: "people"
            }
        }
    }

    /// Divides answers by time; starts at midnight in the insight's zone.
    package enum Period: String, Sendable, Hashable { case day, week }

    package static let mostSteps = 10
    package static let mostPeriods = 60
    package static let mostPathSteps = 3
    /// That a difference looks at.
    package static let mostColumns = 20
    /// The largest ``top``.
    package static let mostTop = 1_000
    /// The name of a record's app version among columns that divide.
    package static let version = "version"

    package var question: Question
    package var joining: JoinKey
    /// The longest time from the first step to the last, or from an event to the next, in nanoseconds; `nil` for any.
    package var within: Int64?
    /// Whether a funnel's steps may come in any order.
    package var isInAnyOrder = false
    /// Whether a measure counts the numbers by their size, instead of telling their percentiles.
    package var isInBuckets = false
    /// An event that ends each way through a funnel.
    package var excluded: Step?
    package var isByVersion = false
    /// Only these versions; empty for all.
    package var versions: [String] = []
    /// Divided by the values of this column, in the event that a way or a path begins with.
    package var parameter: String?
    /// How many paths, differences, or values of the parameter are shown: those with the most.
    package var top = 20
    package var period: Period?
    /// In nanoseconds since 1970: `since` inclusive, `until` exclusive.
    package var since: Int64?
    package var until: Int64?
    /// Only the last nanoseconds, instead of ``since``.
    package var last: Int64?
    /// Offset from UTC in seconds.
    package var zone: Int = 0

    package var steps: [Step] {
        switch question {
        case .funnel(let steps): steps
        case .retention(let first, let returning, _): [first, returning]
        case .differ(let first, let second, _): [first, second]
        case .path(let step, _), .count(let step), .measure(_, let step): [step]
        }
    }

    /// The events that it reads: its steps, and then the excluded one.
    package var events: [Step] { steps + [excluded].compactMap(\.self) }

    /// Whether records of other kinds count as well: events have no durations, spans and requests have.
    package var readsAllKinds: Bool {
        if case .measure(.duration, _) = question { true } else { false }
    }

    /// Columns whose values it tests or shows, besides the built-in ones.
    package var readColumns: [String] {
        var names = events.flatMap { $0.tests.map(\.column) }.filter { !$0.hasPrefix("_") }
        if let parameter { names.append(parameter) }
        if case .measure(.column(let name), _) = question { names.append(name) }
        if case .differ(_, _, let columns) = question { names += columns.filter { $0 != Self.version } }
        return names
    }
}

/// A problem at a position in an insight's text.
package struct InsightError: Error, Sendable, Hashable, CustomStringConvertible {
    /// In characters, from 1.
    package var column: Int
    package var message: String
    package var hint: String?

    package var description: String { "column \(column): \(message)" + (hint.map { " (\($0))" } ?? "") }
}

/// The canonical text; parsing it gives the same insight.
extension Insight: CustomStringConvertible {
    package var description: String {
        var words: [String] = []
        switch question {
        case .funnel(let steps): words.append(steps.map(\.description).joined(separator: " -> "))
        case .retention(let first, let returning, let periods):
            words.append("retention \(first)" + (returning == first ? "" : " returning \(returning)"))
            words.append("for \(periods)")
        case .path(let step, let length):
            words.append("path after \(step)")
            if length > 1 { words.append("steps \(length)") }
            words.append("top \(top)")
        case .count(let step): words.append("count \(step)")
        case .measure(let number, let step): words.append("measure \(number) of \(step)")
        case .differ(let first, let second, let columns):
            words.append("differ \(first) from \(second) by \(columns.joined(separator: ", ")) top \(top)")
        }
        if isInAnyOrder { words.append("in any order") }
        if isInBuckets { words.append("in buckets") }
        if let excluded { words.append("without \(excluded)") }
        if let within { words.append("within \(Self.text(ofDuration: within))") }
        if !question.isOfEvents { words.append("joining \(joining)") }
        var groups: [String] = []
        if isByVersion {
            let list = versions.map { "\"\(Self.escaped($0))\"" }.joined(separator: ", ")
            groups.append(versions.isEmpty ? "version" : "version in (\(list))")
        }
        if let parameter { groups.append(parameter) }
        if let period { groups.append(period.rawValue) }
        if !groups.isEmpty { words.append("by \(groups.joined(separator: ", "))") }
        if parameter != nil, !question.isPath { words.append("top \(top)") }
        if let last { words.append("last \(Self.text(ofDuration: last))") }
        for (word, time) in [("since", since), ("until", until)] {
            guard let time else { continue }
            words.append("\(word) \"\(Timestamp(nanoseconds: time).rfc3339(fractionDigits: 9))\"")
        }
        if zone != 0 { words.append("zone \"\(Self.text(ofZone: zone))\"") }
        return words.joined(separator: " ")
    }

    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            if character == "\"" || character == "\\" { result.append("\\") }
            result.append(character)
        }
    }

    /// In the largest unit that gives a whole number.
    package static func text(ofDuration nanoseconds: Int64) -> String {
        for (unit, size) in [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000)] as [(String, Int64)] {
            let size = size * 1_000_000
            if nanoseconds % size == 0 { return "\(nanoseconds / size)\(unit)" }
        }
        return nanoseconds % 1_000_000 == 0 ? "\(nanoseconds / 1_000_000)ms" : "\(Double(nanoseconds) / 1e6)ms"
    }

    package static func text(ofZone seconds: Int) -> String {
        let minutes = abs(seconds) / 60
        let padded = { (number: Int) in (number < 10 ? "0" : "") + String(number) }
        return "\(seconds < 0 ? "-" : "+")\(padded(minutes / 60)):\(padded(minutes % 60))"
    }
}
