import DaybookBase

/// Why a text is no fixture.
public struct FixtureError: Error, Sendable, CustomStringConvertible {
    public let description: String
}

extension Fixture {
    /// Reads a fixture: `{"event": [{"column": "value"}]}`, or NDJSON with `tag` and `attributes` in each line.
    ///
    /// - Throws: ``FixtureError`` with the event or the line.
    public init(text: String) throws {
        if case .object(let object)? = try? JSONReader.value(of: Array(text.utf8)), object["tag"] == nil {
            self.init(events: try object.elements.map(Self.expected))
            return
        }
        var tags: [String] = []
        var records: [String: [[String: ChecklistValue]]] = [:]
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            if line.allSatisfy(\.isWhitespace) { continue }
            let value: Value
            do {
                value = try JSONReader.value(of: Array(line.utf8))
            } catch {
                throw FixtureError(description: "line \(index + 1): \(error)")
            }
            guard case .object(let object) = value, case .string(let tag)? = object["tag"] else {
                throw FixtureError(
                    description: "line \(index + 1): a record is an object with a tag: {\"tag\": \"category.event\"}")
            }
            if records[tag] == nil { tags.append(tag) }
            var columns: [String: ChecklistValue] = [:]
            if case .object(let attributes)? = object["attributes"] { columns = attributes.columns }
            records[tag, default: []].append(columns)
        }
        self.init(events: tags.map { Expected(event: $0, records: records[$0] ?? []) })
    }

    private static func expected(_ element: Attributes.Element) throws -> Expected {
        guard case .array(let records) = element.value else {
            throw FixtureError(
                description: "`\(element.key)`: an event has a list of records: {\"\(element.key)\": [{…}, {…}]}")
        }
        return Expected(
            event: element.key,
            records: try records.enumerated().map { index, record in
                guard case .object(let columns) = record else {
                    throw FixtureError(description: "`\(element.key)`: record \(index + 1) is no object of columns")
                }
                return columns.columns
            })
    }
}

/// A fixture's record as a line of NDJSON.
package enum FixtureLine {
    /// The line, without its end.
    package static func text(tag: String, columns: [(String, ChecklistValue)]) -> String {
        let attributes = Attributes(
            columns.map { name, value -> (String, Value) in
                switch value {
                case .boolean(let value): (name, .bool(value))
                case .integer(let value): (name, .int(value))
                case .number(let value): (name, .double(value))
                case .text(let value): (name, .string(value))
                case .structure(let json): (name, (try? JSONReader.value(of: Array(json.utf8))) ?? .string(json))
                }
            })
        return JSONWriter.text(.object(["tag": .string(tag), "attributes": .object(attributes)]))
    }
}
