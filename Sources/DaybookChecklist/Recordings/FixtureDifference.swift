import DaybookBase
import DaybookTools

/// How a recording differs from a fixture: for each event, record by record.
public struct FixtureDifference: Sendable, Hashable {
    /// One record that is not as expected.
    public enum Entry: Sendable, Hashable {
        /// Expected, as the `position`-th record of its event (from 1), but missing.
        case missing(position: Int, columns: [String: ChecklistValue])
        /// Present, but not expected.
        case unexpected(FixtureRecord)
        /// The fixture's bare name may be any of these tags, which were recorded.
        case ambiguous([String])
        /// Present, with other columns than expected.
        case changed(position: Int, FixtureRecord, [ColumnDifference])
    }

    /// One column that is not as expected; `nil` if there is no such column.
    public struct ColumnDifference: Sendable, Hashable {
        public var column: String
        public var expected: ChecklistValue?
        public var found: ChecklistValue?
    }

    /// One event and what is wrong with its records.
    public struct EventDifference: Sendable, Hashable {
        public var event: String
        public var expectedCount: Int
        public var foundCount: Int
        /// A recorded tag that nothing expects and that resembles this one.
        public var nearMiss: String?
        public var entries: [Entry]

        var lines: [String] {
            let near = nearMiss.map { "; near miss \($0)" } ?? ""
            return ["✗ \(event): expected \(expectedCount), got \(foundCount)\(near)"]
                + entries.flatMap(\.lines).map { "  " + $0 }
        }
    }

    /// Events that differ, in the order of the fixture, then those that the fixture does not name.
    public var events: [EventDifference]

    /// Whether everything is as expected.
    public var isEmpty: Bool { events.isEmpty }

    /// The difference, one line per record and column.
    public var description: String {
        events.flatMap(\.lines).map { $0.printable + "\n" }.joined()
    }
}

extension FixtureDifference.Entry {
    fileprivate var lines: [String] {
        switch self {
        case .missing(let position, let columns):
            return ["- \(position). missing: \(Self.text(columns))"]
        case .unexpected(let record):
            return ["+ #\(record.number) not expected: \(Self.text(record.columns))"]
        case .ambiguous(let tags):
            return ["the name may be \(tags.joined(separator: " or ")): write the full name into the fixture"]
        case .changed(let position, let record, let columns):
            return ["~ \(position). #\(record.number)"]
                + columns.map { difference in
                    "    \(difference.column): expected \(difference.expected?.description ?? "nothing"), got "
                        + (difference.found?.description ?? "nothing")
                }
        }
    }

    private static func text(_ columns: [String: ChecklistValue]) -> String {
        "{" + columns.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ") + "}"
    }
}

extension Fixture {
    /// Compares a recording with the fixture.
    ///
    /// A bare name denotes one event: if records of two categories have it, the difference names both. Records are
    /// paired in order so that as few as possible are changed, missing or unexpected; more than 2,000 records of one
    /// event are paired one by one.
    ///
    /// - Parameter listedOnly: whether events that the fixture does not name are allowed.
    public func difference(to records: [FixtureRecord], listedOnly: Bool = false) -> FixtureDifference {
        var result = FixtureDifference(events: [])
        let others = records.filter { record in
            !OwnRecords.have(record.tag) && !events.contains { $0.covers(record.tag) }
        }
        for event in events {
            let found = records.filter { event.covers($0.tag) }
            let tags = Set(found.map(\.tag)).sorted()
            let entries = tags.count > 1 ? [.ambiguous(tags)] : Self.entries(event.records, found)
            guard !entries.isEmpty else { continue }
            result.events.append(
                FixtureDifference.EventDifference(
                    event: event.event, expectedCount: event.records.count, foundCount: found.count,
                    nearMiss: found.isEmpty ? NearestName.of(event.event, among: others.map(\.tag)) : nil,
                    entries: entries))
        }
        guard !listedOnly else { return result }
        for (tag, records) in Dictionary(grouping: others, by: \.tag).sorted(by: { $0.key < $1.key }) {
            result.events.append(
                FixtureDifference.EventDifference(
                    event: tag, expectedCount: 0, foundCount: records.count, entries: records.map { .unexpected($0) }))
        }
        return result
    }

    private static func entries(
        _ expected: [[String: ChecklistValue]], _ found: [FixtureRecord]
    ) -> [FixtureDifference.Entry] {
        var entries: [FixtureDifference.Entry] = []
        var (nextExpected, nextFound) = (0, 0)
        for (row, column) in pairs(expected, found) + [(expected.count, found.count)] {
            for index in nextExpected..<row {
                entries.append(.missing(position: index + 1, columns: expected[index]))
            }
            for index in nextFound..<column { entries.append(.unexpected(found[index])) }
            (nextExpected, nextFound) = (row + 1, column + 1)
            guard row < expected.count, column < found.count else { break }
            let columns = columnDifferences(expected[row], found[column].columns)
            if !columns.isEmpty { entries.append(.changed(position: row + 1, found[column], columns)) }
        }
        return entries
    }

    /// Aligns records by the shortest edit (Wagner–Fischer); pairs are equal or changed.
    private static func pairs(
        _ expected: [[String: ChecklistValue]], _ found: [FixtureRecord]
    ) -> [(Int, Int)] {
        guard expected.count <= 2_000, found.count <= 2_000 else {
            return (0..<min(expected.count, found.count)).map { ($0, $0) }
        }
        let differs = expected.map { expected in
            found.map { columnDifferences(expected, $0.columns).isEmpty ? 0 : 1 }
        }
        // The number of edits from each position to the end.
        var edits = Array(repeating: Array(repeating: 0, count: found.count + 1), count: expected.count + 1)
        for row in (0...expected.count).reversed() {
            for column in (0...found.count).reversed() {
                guard row < expected.count, column < found.count else {
                    edits[row][column] = expected.count - row + found.count - column
                    continue
                }
                edits[row][column] = min(
                    edits[row + 1][column + 1] + differs[row][column], edits[row + 1][column] + 1,
                    edits[row][column + 1] + 1)
            }
        }
        var result: [(Int, Int)] = []
        var (row, column) = (0, 0)
        while row < expected.count, column < found.count {
            if edits[row][column] == edits[row + 1][column + 1] + differs[row][column] {
                result.append((row, column))
                (row, column) = (row + 1, column + 1)
            } else if edits[row][column] == edits[row + 1][column] + 1 {
                row += 1
            } else {
                column += 1
            }
        }
        return result
    }

    private static func columnDifferences(
        _ expected: [String: ChecklistValue], _ found: [String: ChecklistValue]
    ) -> [FixtureDifference.ColumnDifference] {
        Set(expected.keys).union(found.keys).sorted().compactMap { column in
            if let wanted = expected[column], let value = found[column], value.isExpected(by: wanted) { return nil }
            return FixtureDifference.ColumnDifference(column: column, expected: expected[column], found: found[column])
        }
    }
}
