import Daybook
import DaybookBase
import DaybookDefinitions
import DaybookHTTP
import DaybookStore
import DaybookTestTraits
import DaybookTesting
import DaybookTools
import DaybookTrials
import Foundation
import Testing

@testable import DaybookChecklist
@testable import DaybookInspector

/// The same JSON rules on every way out: docs/decisions/0042-one-rule-for-json.md.
@Suite(.temporaryDirectory) struct JSONRuleTests {
    /// Logged values and their JSON.
    private static let rule: [(name: String, value: Value, json: String)] = [
        ("infinite", .double(.infinity), #""Infinity""#), ("negative", .double(-.infinity), #""-Infinity""#),
        ("nan", .double(.nan), #""NaN""#), ("tenth", 0.1, "0.1"), ("whole", 1.0, "1.0"), ("large", 1e300, "1e+300"),
        ("controls", "\0\u{1}\u{8}\u{B}\u{C}\u{1F}\n\r\t", #""\u0000\u0001\u0008\u000b\u000c\u001f\n\r\t""#),
        ("quotes", #""\/'"#, #""\"\\/'""#), ("markup", "</script>&", #""</script>&""#),
        ("lines", "\u{2028}\u{2029}\u{7F}\u{9B}", "\"\u{2028}\u{2029}\u{7F}\u{9B}\""), ("astral", "🥚𝄞", "\"🥚𝄞\""),
        (
            // The bytes of a lone surrogate: none of the three is UTF-8.
            "surrogate", .string(String(decoding: [0xED, 0xA0, 0xBD] as [UInt8], as: UTF8.self)),
            "\"\u{FFFD}\u{FFFD}\u{FFFD}\""
        ),
        ("exact", 9_007_199_254_740_991, "9007199254740991"), ("big", 9_007_199_254_740_993, "9007199254740993"),
        ("least", .int(.min), "-9223372036854775808"),
    ]
    private static let attributes = Attributes(rule.map { ($0.name, $0.value) })
    private static let json = "{" + rule.map { "\"\($0.name)\":\($0.json)" }.joined(separator: ",") + "}"
    private static let texts = rule.compactMap { entry in entry.value.text.map { (text: $0, json: entry.json) } }

    /// The object under a name in a JSON text, written anew.
    private func member(_ name: String, of text: String) throws -> String {
        guard case .object(let object) = try JSONReader.value(of: Array(text.utf8)) else { return "" }
        return JSONWriter.text(object[name] ?? .null)
    }

    @Test(
        "Every POST route rejects invalid JSON",
        arguments: Bench().handler.routes.filter { $0.methods == ["POST"] }.map(\.path.description))
    func routesRefuseBadJSON(_ path: String) async {
        let path = path.replacing(/{id…?}/, with: "1")
        for body in ["{\"a\":0,}", "{\"checklist\":\"x\",}", "{\"sql\":\"SELECT 1\",}", "{} {}", "{\"a\":01}"] {
            let response = await Bench().send("POST", path, body: body)
            #expect((400..<500).contains(response.status), "\(path) \(body)")
        }
    }

    @Test("The JSON writer follows the common rules and round-trips") func writerFollowsJSONRule() throws {
        #expect(JSONWriter.text(Self.attributes) == Self.json)
        #expect(JSONWriter.text(try JSONReader.value(of: Array(Self.json.utf8))) == Self.json)
        var builder = JSONBuilder()
        builder.object { builder in
            for (name, value, _) in Self.rule {
                builder.key(name)
                switch value {
                case .double(let number): builder.real(number)
                case .int(let number): builder.integer(number)
                default: builder.string(value.text)
                }
            }
        }
        #expect(String(decoding: builder.bytes, as: UTF8.self) == Self.json)
    }

    @Test("Log lines follow the JSON rules and escape terminal controls") func logLinesFollowJSONRule() throws {
        let record = Record(time: 0, kind: .event, level: .info, tag: "a.b", attributes: Self.attributes)
        let line = TextFormat.json.text(of: record)
        #expect(try member("attributes", of: line) == Self.json)
        #expect(line.contains(#""lines":"\u2028\u2029\u007f\u009b""#))
        for (name, _, json) in Self.rule where name != "lines" { #expect(line.contains("\"\(name)\":\(json)")) }
    }

    @Test("Stores and exports follow the common JSON rules") func exportsFollowJSONRule() async throws {
        let record = Record(time: 0, kind: .event, level: .info, tag: "a.b", attributes: Self.attributes)
        let path = TemporaryDirectory.current.file("store.sqlite")
        let row = try RecordLine.row(TextFormat.json.text(of: record).utf8, defaults: .init(time: 0, position: 1))
        for store in [MemoryStore(), try SQLiteStore(path: path)] as [any EventStore] {
            try await store.append(RecordBatch(rows: [row]))
            let stored = try #require(try await store.page(RecordQuery()).first)
            // No store can keep NUL.
            let json = Self.json.replacingOccurrences(of: "\\u0000", with: "\u{FFFD}")
            #expect(stored.row.attributes == json)
            #expect(RecordLine.text(stored).contains("\"attributes\": \(json)"))
            await store.close()
        }
        for (text, json) in Self.texts {
            var row = row
            row.message = text
            #expect(RecordLine.text(row).contains("\"message\": \(json)"))
        }
    }

    @Test("Inspector answers follow the JSON rules except for large integers") func answersFollowJSONRule() async {
        let response = await Bench(rows: [.event("a.b", Self.json)]).send("GET", "/api/v1/records")
        let rounded = ["big", "least"]
        let expected = Self.rule.map { "\"\($0.name)\":" + (rounded.contains($0.name) ? "\"\($0.json)\"" : $0.json) }
        #expect(response.text.contains("\"attributes\":{\(expected.joined(separator: ","))}"))
    }

    @Test("Error messages are safe in HTML and keep their text") func errorsAreSafeInMarkup() throws {
        for (text, _) in Self.texts {
            let response = HTTPResponse.problem(400, code: "bad_request", text)
            #expect(!response.bytes.contains { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: ">") || $0 == 0x7F })
            #expect(!response.text.unicodeScalars.contains { $0 == "\u{2028}" || $0 == "\u{2029}" })
            guard case .object(let error)? = try JSONReader.value(of: response.bytes)["error"] else {
                Issue.record("no error: \(response.text)")
                continue
            }
            #expect(error["message"] == .string(text))
        }
    }

    @Test("Checklist reports follow the common JSON rules") func reportsFollowJSONRule() throws {
        struct Tap: ChecklistRecord {
            let tag = "a.b"
            let number: Int64 = 1
            let time: Int64 = 0
            func value(of column: String) -> ChecklistValue? { nil }
            func commonValue(of column: String) -> ChecklistValue? { nil }
        }
        let checklist = try Checklist(markdown: "## s\n- [ ] a.b\n", file: "t.md")
        var run = try ChecklistRun(checklist)
        run.observe(Tap())
        var verdicts = run.verdicts(finished: true)
        verdicts[0].items[0].evidence[0].values = Self.rule.map { name, value, _ in
            let found: ChecklistValue =
                switch value {
                case .double(let number): .number(number)
                case .int(let number): .integer(number)
                default: .text(value.text ?? "")
                }
            return Evidence.Value(column: name, value: found)
        }
        verdicts[0].items[0].evidence[0].values.append(.init(column: "all", value: .structure(Self.json)))
        let report = verdicts.jsonReport(of: checklist)
        let json = Self.json.printableJSON
        #expect(report.contains("\"values\":\(json.dropLast()),\"all\":\(json)}"))
    }

    @Test("Definition dumps follow the common JSON rules") func dumpsFollowJSONRule() {
        let place = SourceLocation(file: "a.md", line: 1, column: 1)
        let values = Self.texts.map { Column.DeclaredValue(value: $0.text) }
        let column = Column(name: "c", type: .custom("C"), values: values, location: place)
        let definitions = Definitions(
            categories: [Category(name: "a", columns: [column], location: place)])
        let dump = DefinitionsDump.run(definitions, []).output
        for (_, json) in Self.texts { #expect(dump.contains("\n          \(json)")) }
    }
}
