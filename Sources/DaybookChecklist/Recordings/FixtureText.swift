import DaybookBase
import DaybookTools

/// Why a text is not a fixture.
public struct FixtureError: Error, Sendable, CustomStringConvertible {
    /// From 1; `nil` for the whole text.
    package let line: Int?
    package let message: String

    public var description: String { ((line.map { "line \($0): " } ?? "") + message).printable }
}

extension Fixture {
    /// Reads a fixture: `{"event": [{"column": "value"}]}`, or NDJSON with `tag` and `attributes` on each line.
    ///
    /// - Throws: ``FixtureError`` with the event or the line.
    public init(text: String) throws { self = try LocatedFixture(text: text).fixture }
}

package struct LocatedFixture: Sendable {
    package private(set) var fixture: Fixture
    /// Each record's line, from 1, by event and record.
    package private(set) var lines: [[Int]]
    /// The line that first names each event, from 1.
    package private(set) var eventLines: [Int] = []
    /// Members that are not compared.
    package private(set) var passedOver = Unread()

    /// Parses a fixture in either form.
    /// - Throws: ``FixtureError``.
    package init(text: String) throws {
        let bytes = Array(text.utf8)
        if case .object(let object)? = try? JSONReader.value(of: bytes), object["tag"] == nil {
            let places = try MemberLines(of: bytes).members
            lines = places.map(\.elements)
            eventLines = places.map(\.line)
            if let name = object.repeatedNames.first {
                let line = places.last { $0.name == name }?.line
                throw FixtureError(line: line, message: "`\(name)` is given twice: an event has one list of records")
            }
            fixture = Fixture(
                events: try zip(object.elements, places).map { try Self.expected($0, at: $1) })
        } else {
            (fixture, lines) = (Fixture(events: []), [])
            try read(lines: text)
        }
    }

    private mutating func read(lines text: String) throws {
        var places: [String: Int] = [:]
        for (index, line) in text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            let line = ByteOrderMark.skipped(Array(line))
            if line.allSatisfy({ $0 <= 0x20 }) { continue }
            let value: Value
            do {
                value = try JSONReader.value(of: Array(line))
            } catch {
                throw FixtureError(line: index + 1, message: "\(error)")
            }
            guard case .object(let object) = value, case .string(let tag)? = object["tag"] else {
                throw FixtureError(
                    line: index + 1,
                    message: "a record is an object with a tag: {\"tag\": \"category.event\"}")
            }
            try check(object, at: index + 1)
            let place = places[tag] ?? fixture.events.count
            if place == fixture.events.count {
                places[tag] = place
                fixture.events.append(.init(event: tag, records: []))
                lines.append([])
                eventLines.append(index + 1)
            }
            var columns: [String: ChecklistValue] = [:]
            switch object["attributes"] {
            case nil, .null?: break
            case .object(let attributes)?: columns = attributes.columns
            default: throw FixtureError(line: index + 1, message: "`attributes` is an object of columns")
            }
            fixture.events[place].records.append(columns)
            lines[place].append(index + 1)
        }
    }

    /// Rejects unknown members: they would be expectations that nothing checks.
    private mutating func check(_ record: Attributes, at line: Int) throws(FixtureError) {
        if let name = Value.object(record).repeatedNames.first {
            throw FixtureError(line: line, message: "`\(name)` is given twice")
        }
        for element in record.elements where !["tag", "attributes"].contains(element.key) && element.value != .null {
            guard RecordMembers.names.contains(element.key) else {
                let near = RecordMembers.member(meantBy: element.key).map { ": did you mean `\($0)`?" }
                let hint = near ?? ": an event's columns stand in `attributes`"
                throw FixtureError(line: line, message: "`\(element.key)` is no member of a record" + hint)
            }
            passedOver.add(element.key)
        }
    }

    private static func expected(
        _ element: Attributes.Element, at place: MemberLines.Member
    ) throws -> Fixture.Expected {
        guard case .array(let records) = element.value else {
            throw FixtureError(
                line: place.line,
                message: "`\(element.key)`: an event has a list of records: {\"\(element.key)\": [{…}, {…}]}")
        }
        return Fixture.Expected(
            event: element.key,
            records: try zip(records, place.elements).map { record, line in
                guard case .object(let columns) = record else {
                    throw FixtureError(line: line, message: "`\(element.key)`: a record is an object of columns")
                }
                if let name = record.repeatedNames.first {
                    throw FixtureError(line: line, message: "`\(element.key)`: `\(name)` is given twice")
                }
                return columns.columns
            })
    }
}

package enum FixtureLine {
    /// Without a line end.
    package static func text(tag: String, columns: [(String, ChecklistValue)]) -> String {
        let attributes = Attributes(columns.map { ($0, $1.json) })
        return JSONWriter.text(.object(["tag": .string(tag), "attributes": .object(attributes)]))
    }
}
