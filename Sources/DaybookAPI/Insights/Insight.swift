import DaybookBase
import DaybookChecklist

/// A question about many records at once, as a line of text has it: how many go from step to step, who comes back, what
/// comes next. The text and its meaning are docs/formats/insight.md. A value; safe to share between threads.
package struct Insight: Sendable, Hashable {
    /// An event that counts, perhaps only with some values: `search.search(order = "popular")`.
    package struct Step: Sendable, Hashable, CustomStringConvertible {
        package var pattern: TagPattern
        /// All must hold; empty where every such event counts.
        package var tests: [ColumnTest]

        package var description: String {
            tests.isEmpty ? pattern.text : "\(pattern.text)(\(tests.map(\.text).joined(separator: " and ")))"
        }
    }

    /// What is asked.
    package enum Question: Sendable, Hashable {
        /// How many go from each step to the next.
        case funnel([Step])
        /// Who comes back to `returning` in the periods after the first `first`; so many periods.
        case retention(first: Step, returning: Step, periods: Int)
        /// Which events come next after an event: so many in a row, and the most frequent so many of them.
        case path(after: Step, length: Int, top: Int)
    }

    /// Whose records belong together.
    package enum Joining: Sendable, Hashable, CustomStringConvertible {
        case session
        case installation
        /// Those with the same value in a column.
        case column(String)

        package var description: String {
            switch self {
            case .session: "session"
            case .installation: "installation"
            case .column(let name): name
            }
        }

        /// What is counted then, as the name of a column of the answer.
        package var counted: String {
            switch self {
            case .session: "sessions"
            case .installation: "installations"
            case .column: "people"
            }
        }
    }

    /// A stretch of time by which answers are divided; it begins at midnight of the insight's zone.
    package enum Period: String, Sendable, Hashable { case day, week }

    package static let mostSteps = 10
    package static let mostPeriods = 60
    package static let mostPathSteps = 3
    package static let mostPaths = 100

    package var question: Question
    package var joining: Joining
    /// The longest time from the first step to the last, or from the event to what comes next: nanoseconds; `nil` for any.
    package var within: Int64?
    package var isByVersion = false
    /// Of these versions alone; empty for all.
    package var versions: [String] = []
    package var period: Period?
    /// Nanoseconds since 1970: the first that count, and the first that do not.
    package var since: Int64?
    package var until: Int64?
    /// The last so many nanoseconds before the question is asked, in place of ``since``.
    package var last: Int64?
    /// Seconds by which the zone's midnight comes before that of UTC.
    package var zone: Int = 0

    /// The steps, in the order of the text.
    package var steps: [Step] {
        switch question {
        case .funnel(let steps): steps
        case .retention(let first, let returning, _): [first, returning]
        case .path(let step, _, _): [step]
        }
    }

    /// The columns of records that it looks at, besides those that every record has.
    package var columns: [String] {
        var names = steps.flatMap { $0.tests.map(\.column) }.filter { !$0.hasPrefix("_") }
        if case .column(let name) = joining { names.append(name) }
        return names
    }
}

/// A place in the text of an insight, and what is wrong there.
package struct InsightError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The character's number, from 1.
    package var column: Int
    package var message: String
    package var hint: String?

    package var description: String { "column \(column): \(message)" + (hint.map { " (\($0))" } ?? "") }
}

/// The text in its one canonical form: reading it again gives the same insight.
extension Insight: CustomStringConvertible {
    package var description: String {
        var words: [String] = []
        switch question {
        case .funnel(let steps): words.append(steps.map(\.description).joined(separator: " -> "))
        case .retention(let first, let returning, let periods):
            words.append("retention \(first)" + (returning == first ? "" : " returning \(returning)"))
            words.append("for \(periods)")
        case .path(let step, let length, let top):
            words.append("path after \(step)")
            if length > 1 { words.append("steps \(length)") }
            words.append("top \(top)")
        }
        if let within { words.append("within \(Self.text(ofDuration: within))") }
        words.append("joining \(joining)")
        var groups: [String] = []
        if isByVersion {
            let list = versions.map { "\"\(Self.escaped($0))\"" }.joined(separator: ", ")
            groups.append(versions.isEmpty ? "version" : "version in (\(list))")
        }
        if let period { groups.append(period.rawValue) }
        if !groups.isEmpty { words.append("by \(groups.joined(separator: ", "))") }
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

    /// `+09:00`.
    package static func text(ofZone seconds: Int) -> String {
        let minutes = abs(seconds) / 60
        let padded = { (number: Int) in (number < 10 ? "0" : "") + String(number) }
        return "\(seconds < 0 ? "-" : "+")\(padded(minutes / 60)):\(padded(minutes % 60))"
    }
}
