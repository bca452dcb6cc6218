import DaybookBase
import DaybookStore
import DaybookTools
import Foundation

/// An insight's answer for display: complete, sorted, with shares.
package struct InsightTable: Sendable, Hashable {
    package enum Cell: Sendable, Hashable {
        /// No value: no following event, nobody to compute a share or median from, or a period that has not begun.
        case none
        case text(String)
        case count(Int64)
        /// 0 to 1.
        case share(Double)
        /// In nanoseconds.
        case duration(Int64)
        case number(Double)
    }

    /// What an answer is divided by.
    private struct Division: Hashable {
        var version: String
        var value: ExactText
        /// The most frequent value has the smallest.
        var rank: Int
        var period: String

        /// In the order of ``columns(_:)``; versions in the order of their numbers.
        static func precedes(_ left: Self, _ right: Self) -> Bool {
            let (one, other) = (left.version.numericKey, right.version.numericKey)
            return (left.period, one, left.rank) < (right.period, other, right.rank)
        }
    }

    /// Machine-readable names: `version`, `day`, `step`, `event`, `sessions`, …
    package var columns: [String] = []
    package var rows: [[Cell]] = []
    /// How many values of the parameter are left out: those that are less frequent.
    package var moreValues: Int64 = 0
}

extension InsightTable {
    /// - Parameters:
    ///   - result: The result of ``Insight/sql(_:now:)``.
    ///   - now: Nanoseconds since 1970; periods that have not begun are empty rather than 0.
    package init(_ insight: Insight, _ result: QueryResult, now: Int64) {
        let answer = Answer(result)
        moreValues = answer.valuesLeftOut
        switch insight.question {
        case .funnel(let steps): readFunnel(insight, steps, answer)
        case .retention(_, _, let periods): readRetention(insight, periods, answer, now)
        case .path(_, let length): readPath(insight, length, answer)
        case .count: readCount(insight, answer)
        case .measure(let number, _) where insight.isInBuckets: readBuckets(insight, number, answer)
        case .measure(let number, _): readMeasure(insight, number, answer)
        case .differ: readDifference(answer)
        }
    }

    // MARK: Divisions

    /// The names of the columns that divide an answer. A parameter that is called like another column is
    /// `NAME_value`.
    private static func columns(_ insight: Insight) -> [String] {
        let value = insight.parameter.map { others.contains($0) ? "\($0)_value" : $0 }
        return (insight.isByVersion ? ["version"] : []) + [value, insight.period?.rawValue].compactMap(\.self)
    }

    private static let others: Set = [
        "step", "event", "sessions", "installations", "people", "of_first", "of_previous", "median", "next1", "next2",
        "next3", "times", "share", "min", "p50", "p90", "p95", "p99", "max", "from", "below",
    ]

    private static func division(_ insight: Insight, _ row: [QueryResult.Cell], _ answer: Answer) -> Division {
        let value = ExactText(answer.text(row, "app_value"))
        return Division(
            version: answer.text(row, "app_version"), value: value, rank: answer.ranks[value] ?? 0,
            period: answer.text(row, insight.period?.rawValue ?? ""))
    }

    private static func cells(_ insight: Insight, _ division: Division) -> [Cell] {
        (insight.isByVersion ? [.text(division.version)] : [])
            + (insight.parameter == nil ? [] : [.text(division.value.text)])
            + (insight.period == nil ? [] : [.text(division.period)])
    }

    private mutating func readFunnel(_ insight: Insight, _ steps: [Insight.Step], _ answer: Answer) {
        var found: [Division: [Int64: (people: Int64, median: Int64)]] = [:]
        for row in answer.rows {
            let division = Self.division(insight, row, answer)
            found[division, default: [:]][answer.number(row, "step")] = (
                answer.number(row, "people"), answer.number(row, "median_nanoseconds")
            )
        }
        // A requested version without records is shown with zeros.
        if insight.period == nil, insight.parameter == nil {
            for version in insight.isByVersion ? insight.versions : [""] {
                found[Division(version: version, value: "", rank: 0, period: ""), default: [:]][0] = (0, 0)
            }
        }
        columns =
            Self.columns(insight) + ["step", "event", insight.joining.counted, "of_first", "of_previous", "median"]
        for division in found.keys.sorted(by: Division.precedes) {
            let counts = found[division] ?? [:]
            let first = counts[1]?.people ?? 0
            for (index, step) in steps.enumerated() {
                let (people, median) = counts[Int64(index + 1)] ?? (0, 0)
                let previous = index == 0 ? first : counts[Int64(index)]?.people ?? 0
                let event = insight.isInAnyOrder ? "any \(index + 1) of \(steps.count)" : step.description
                rows.append(
                    Self.cells(insight, division) + [
                        .count(Int64(index + 1)), .text(event), .count(people),
                        Self.share(people, of: first), Self.share(people, of: previous),
                        index == 0 || people == 0 ? .none : .duration(median),
                    ])
            }
        }
    }

    private static func share(_ part: Int64, of whole: Int64) -> Cell {
        whole > 0 ? .share(Double(part) / Double(whole)) : .none
    }

    private mutating func readRetention(_ insight: Insight, _ periods: Int, _ answer: Answer, _ now: Int64) {
        var cohorts: [Division: [Int64: Int64]] = [:]
        for row in answer.rows {
            cohorts[Self.division(insight, row, answer), default: [:]][answer.number(row, "age")] =
                answer.number(row, "people")
        }
        columns = Self.columns(insight) + [insight.joining.counted] + (1...periods).map { "after_\($0)" }
        let length = Insight.nanosecondsOfDay * (insight.period == .week ? 7 : 1)
        for (cohort, counts) in cohorts.sorted(by: { Division.precedes($0.key, $1.key) }) {
            let zone = Insight.text(ofZone: insight.zone)
            let begin = Timestamp(rfc3339: "\(cohort.period)T00:00:00\(zone)")?.nanoseconds ?? 0
            rows.append(
                Self.cells(insight, cohort) + [.count(counts[0] ?? 0)]
                    + (1...periods).map { age in
                        let (time, isBeyond) = begin.addingReportingOverflow(length * Int64(age))
                        return isBeyond || time > now && counts[Int64(age)] == nil
                            ? .none : .count(counts[Int64(age)] ?? 0)
                    })
        }
    }

    private mutating func readPath(_ insight: Insight, _ length: Int, _ answer: Answer) {
        let nexts = (1...length).map { "next\($0)" }
        columns = Self.columns(insight) + nexts + ["times", insight.joining.counted, "share"]
        let sorted = answer.rows.map { row in
            let division = Self.division(insight, row, answer)
            let names = nexts.map { answer.optionalText(row, $0) }
            let (times, all) = (answer.number(row, "times"), answer.number(row, "all_times"))
            return (
                division: division, times: times, names: names,
                cells: Self.cells(insight, division) + names.map { $0.map { .text($0) } ?? .none }
                    + [.count(times), .count(answer.number(row, "people")), Self.share(times, of: all)]
            )
        }.sorted { left, right in
            if left.division != right.division { return Division.precedes(left.division, right.division) }
            if left.times != right.times { return left.times > right.times }
            return left.names.map { ExactText($0 ?? "") }.lexicographicallyPrecedes(
                right.names.map { ExactText($0 ?? "") })
        }
        rows = sorted.map(\.cells)
    }

    private mutating func readCount(_ insight: Insight, _ answer: Answer) {
        columns = Self.columns(insight) + ["times", insight.joining.counted]
        readDivided(insight, answer) { row in
            [.count(answer.number(row, "times")), .count(answer.number(row, "people"))]
        }
    }

    /// Each division from its first bucket to its last, the empty ones between them too.
    private mutating func readBuckets(_ insight: Insight, _ number: Insight.Number, _ answer: Answer) {
        columns = Self.columns(insight) + ["from", "below", "times", "share"]
        var counts: [Division: [Int: Int64]] = [:]
        for row in answer.rows {
            let place = answer.optionalNumber(row, "least").map(NumberBuckets.place) ?? 0
            counts[Self.division(insight, row, answer), default: [:]][place] = answer.number(row, "times")
        }
        func cell(_ bound: Double?) -> Cell { bound.map { Self.cell($0, number) } ?? .none }
        for (division, found) in counts.sorted(by: { Division.precedes($0.key, $1.key) }) {
            guard let first = found.keys.min(), let last = found.keys.max() else { continue }
            let all = found.values.reduce(0, +)
            for place in first...last {
                let count = found[place] ?? 0
                rows.append(
                    Self.cells(insight, division) + [
                        cell(NumberBuckets.least(place)), cell(NumberBuckets.end(place)), .count(count),
                        Self.share(count, of: all),
                    ])
            }
        }
    }

    private static func cell(_ value: Double, _ number: Insight.Number) -> Cell {
        number == .duration ? .duration(Int64(exactly: value.rounded()) ?? .max) : .number(value)
    }

    private mutating func readMeasure(_ insight: Insight, _ number: Insight.Number, _ answer: Answer) {
        let percentiles = Insight.percentiles.map { "p\($0)" }
        columns = Self.columns(insight) + ["times", "min"] + percentiles + ["max"]
        readDivided(insight, answer) { row in
            [.count(answer.number(row, "times"))]
                + (["least"] + percentiles + ["most"]).map { name in
                    answer.optionalNumber(row, name).map { Self.cell($0, number) } ?? .none
                }
        }
    }

    /// In the order of the answer: the largest difference first.
    private mutating func readDifference(_ answer: Answer) {
        columns = ["parameter", "value", "first", "second", "of_first", "of_second", "difference"]
        rows = answer.rows.map { row in
            let counts = ["of_first", "of_second"].map { answer.number(row, $0) }
            let all = ["all_first", "all_second"].map { answer.number(row, $0) }
            let shares = zip(counts, all).map { Self.share($0, of: $1) }
            var difference = Cell.none
            if case (.share(let first), .share(let second)) = (shares[0], shares[1]) {
                difference = .share(first - second)
            }
            return [.text(answer.text(row, "name")), .text(answer.text(row, "value"))]
                + counts.map { .count($0) } + shares + [difference]
        }
    }

    private mutating func readDivided(
        _ insight: Insight, _ answer: Answer, _ cells: ([QueryResult.Cell]) -> [Cell]
    ) {
        let divided = answer.rows.map { (division: Self.division(insight, $0, answer), cells: cells($0)) }
        rows = divided.sorted { Division.precedes($0.division, $1.division) }
            .map { Self.cells(insight, $0.division) + $0.cells }
    }
}

private struct Answer {
    let rows: [[QueryResult.Cell]]
    /// Of the parameter's values: the rows of the most frequent one come first.
    private(set) var ranks: [ExactText: Int] = [:]
    private let places: [String: Int]

    init(_ result: QueryResult) {
        rows = result.rows
        places = Dictionary(result.columns.enumerated().map { ($1, $0) }) { first, _ in first }
        for value in rows.map({ ExactText(text($0, "app_value")) }) where ranks[value] == nil {
            ranks[value] = ranks.count
        }
    }

    var valuesLeftOut: Int64 {
        rows.first.map { max(0, number($0, Insight.allValues) - Int64(ranks.count)) } ?? 0
    }

    func number(_ row: [QueryResult.Cell], _ column: String) -> Int64 {
        switch places[column].map({ row[$0] }) {
        case .integer(let number): number
        // Servers return wider integer types as text.
        case .text(let text): Int64(text) ?? 0
        case .real(let number): Int64(exactly: number.rounded()) ?? 0
        case .blob, .null, nil: 0
        }
    }

    func optionalNumber(_ row: [QueryResult.Cell], _ column: String) -> Double? {
        switch places[column].map({ row[$0] }) {
        case .integer(let number): Double(number)
        case .text(let text): Double(text)
        case .real(let number): number
        case .blob, .null, nil: nil
        }
    }

    func optionalText(_ row: [QueryResult.Cell], _ column: String) -> String? {
        switch places[column].map({ row[$0] }) {
        case .text(let text): text
        case .integer(let number): String(number)
        case .real(let number): String(number)
        case .blob, .null, nil: nil
        }
    }

    func text(_ row: [QueryResult.Cell], _ column: String) -> String { optionalText(row, column) ?? "" }
}

extension String {
    /// A sort key with `4.9` before `4.10`: numbers are padded to equal length.
    fileprivate var numericKey: String {
        var key = ""
        var digits = ""
        for character in self + "." {
            if character.isASCII, character.isNumber {
                digits.append(character)
                continue
            }
            key += String(repeating: "0", count: max(0, 20 - digits.count)) + digits
            digits = ""
            key.append(character)
        }
        return key
    }
}

// MARK: Printing

package enum InsightFormat: String, CaseIterable { case text, markdown, csv, json }

extension InsightTable {
    /// Ends with a line end. JSON includes `insight` and `sql`.
    package func text(as format: InsightFormat, of insight: Insight, sql: String) -> String {
        switch format {
        case .text: aligned + (leftOut(of: insight).map { $0 + "\n" } ?? "")
        case .markdown: markdown + (leftOut(of: insight, named: Markdown.text).map { "\n\($0)\n" } ?? "")
        case .csv:
            ([columns] + rows.map { $0.map(Self.plain) }).map { $0.map(Self.quoted).joined(separator: ",") + "\n" }
                .joined()
        case .json:
            {
                var builder = JSONBuilder(integers: .stringsBeyondJavaScript)
                builder.object {
                    $0.key("insight")
                    $0.string(insight.description)
                    $0.key("sql")
                    $0.string(sql)
                    $0.key("columns")
                    Form<[String]>.list(.text).write(columns, to: &$0)
                    $0.key("rows")
                    Self.rows.write(rows, to: &$0)
                    if moreValues > 0 {
                        $0.key("more_values")
                        $0.integer(moreValues)
                    }
                }
                return String(decoding: builder.bytes, as: UTF8.self) + "\n"
            }()
        }
    }

    /// A sentence about the values that are not shown; `nil` if all are. CSV has no place for it.
    /// - Parameter name: Writes the parameter's name.
    package func leftOut(
        of insight: Insight, named name: (String) -> String = { $0.printable }
    ) -> String? {
        guard moreValues > 0, let parameter = insight.parameter else { return nil }
        let (verb, values) = moreValues == 1 ? ("is", "value") : ("are", "values")
        return "There \(verb) \(moreValues) more \(values) of \(name(parameter)): top N shows the N most frequent "
            + "ones, at most \(Insight.mostTop)."
    }

    private var aligned: String {
        let lines = [columns] + rows.map { $0.map { Self.shown($0).printable } }
        let widths = columns.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        let isNumber = columns.indices.map { column in
            !rows.contains { if case .text = $0[column] { true } else { false } }
        }
        return lines.map { line in
            let cells = columns.indices.map { column in
                let blanks = String(repeating: " ", count: widths[column] - line[column].count)
                return isNumber[column] ? blanks + line[column] : line[column] + blanks
            }
            var text = cells.joined(separator: "  ")
            while text.last == " " { text.removeLast() }
            return text + "\n"
        }.joined()
    }

    private var markdown: String {
        func shown(_ cell: Cell) -> String {
            if case .text(let text) = cell, !text.isEmpty { Markdown.cell(text) } else { Self.shown(cell) }
        }
        let rule = columns.indices.map { column in
            rows.contains { if case .text = $0[column] { true } else { false } } ? "---" : "---:"
        }
        return ([columns, rule] + rows.map { $0.map(shown) })
            .map { "| " + $0.joined(separator: " | ") + " |\n" }.joined()
    }

    /// For people: `41.2 %`, `3.4 s`.
    private static func shown(_ cell: Cell) -> String {
        switch cell {
        case .none: "–"
        case .text(let text): text.isEmpty ? "(none)" : text
        case .count(let number): String(number)
        case .share(let share): decimals(share * 100, 1) + " %"
        case .number(let number): number == number.rounded() ? decimals(number, 0) : String(number)
        case .duration(let nanoseconds):
            switch Double(nanoseconds) / 1e9 {
            case ..<0.000_001: "\(nanoseconds) ns"
            case ..<0.001: "\(nanoseconds / 1_000) µs"
            case ..<1: "\(nanoseconds / 1_000_000) ms"
            case let seconds where seconds < 120: decimals(seconds, 1) + " s"
            case let seconds where seconds < 7_200: decimals(seconds / 60, 1) + " min"
            case let seconds where seconds < 172_800: decimals(seconds / 3_600, 1) + " h"
            case let seconds: decimals(seconds / 86_400, 1) + " d"
            }
        }
    }

    private static func decimals(_ number: Double, _ digits: Int) -> String { String(format: "%.\(digits)f", number) }

    /// For programs: shares from 0 to 1, durations in seconds, empty text for no value.
    private static func plain(_ cell: Cell) -> String {
        switch cell {
        case .none: ""
        case .text(let text): text
        case .count(let number): String(number)
        case .share(let share): String(share)
        case .number(let number): String(number)
        case .duration(let nanoseconds): String(Double(nanoseconds) / 1e9)
        }
    }

    private static func quoted(_ text: String) -> String {
        guard text.contains(where: { $0 == "," || $0 == "\"" || $0.isNewline }) else { return text }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
}
