import DaybookBase
import DaybookHTTP
import DaybookOTLP
import DaybookRequests
import DaybookTrials
import Testing

@testable import DaybookCollector

@Suite(.timeLimit(.minutes(5))) struct DecodingCostTests {
    /// Documents with all of JSON's punctuation inside strings, and white space wherever allowed.
    private struct Documents {
        var random: SeededGenerator

        mutating func space(_ marks: String = " \t\r\n") -> String {
            String((0..<Int.random(in: 0...2, using: &random)).compactMap { _ in marks.randomElement(using: &random) })
        }

        mutating func text() -> String {
            let parts = [
                "a", "{", "}", "[", "]", ",", ":", "\\\"", "\\\\", "\\n", "\\u005B", "é", "\u{1F600}", "&", "%", " ",
            ]
            let count = Int.random(in: 0...6, using: &random)
            return "\"" + (0..<count).map { _ in parts.randomElement(using: &random) ?? "" }.joined() + "\""
        }

        /// A value, and the number of values in it.
        mutating func value(_ depth: Int, spaces: String = " \t\r\n") -> (text: String, count: Int) {
            let kind = Int.random(in: 0...(depth > 0 ? 5 : 3), using: &random)
            guard kind > 3 else {
                return (["1", "-2.5e3", "null", text()][kind], 1)
            }
            var (parts, count): ([String], Int) = ([], 1)
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                let (inner, more) = value(depth - 1, spaces: spaces)
                count += more
                let name = kind == 4 ? "" : space(spaces) + text() + space(spaces) + ":"
                parts.append(name + space(spaces) + inner + space(spaces))
            }
            let inner = parts.isEmpty ? space(spaces) : parts.joined(separator: ",")
            return (kind == 4 ? "[\(inner)]" : "{\(inner)}", count)
        }
    }

    @Test("Estimates the number of values from a document's punctuation", arguments: [1, 2, 3] as [UInt64])
    func costCountsValues(seed: UInt64) throws {
        var documents = Documents(random: SeededGenerator(seed: seed))
        for _ in 0..<500 {
            let (text, count) = documents.value(6)
            _ = try JSONReader.value(of: Array(text.utf8))
            #expect(DecodingCost.json(Array(text.utf8)).values == count, "\(text)")
            var lines: [(text: String, count: Int)] = []
            for _ in 0..<Int.random(in: 1...4, using: &documents.random) {
                lines.append(documents.value(4, spaces: " \t"))
            }
            let cost = DecodingCost.lines(Array(lines.map(\.text).joined(separator: "\n").utf8))
            #expect(cost.values == lines.map(\.count).max() && cost.records == lines.count)
            #expect(cost.atOnce == lines.map(\.text.utf8.count).max())
        }
    }

    /// No request yields more or larger rows than estimated.
    @Test("The cost estimate is never below the actual records", arguments: 1...20) func costBoundsRecords(count: Int)
        throws
    {
        let resources = (0..<count % 4 + 1).map { number in
            ResourceLogs(
                resource: ["a": .array((0..<number).map { .int(Int64($0)) })],
                scopes: (0..<2).map { _ in
                    ScopeLogs(records: (0..<count).map { Sender.record(Int64($0), ["b": ["c": .int(1)]]) })
                })
        }
        let request = ExportLogsRequest(resources: resources)
        let records = resources.count * 2 * count
        let protobuf = DecodingCost.protobuf(request.protobuf())
        #expect(protobuf.records >= records && protobuf.records <= records + 3 * resources.count)
        // Values of resources are as deep.
        #expect((records...records + 40).contains(DecodingCost.json(request.json()).records))
        let bodies = [request.protobuf(), request.json()]
        for (body, cost) in zip(bodies, [DecodingCost.protobuf, DecodingCost.json]) {
            // Cut at any point, the part costs no more.
            #expect(cost(body).total >= cost(Array(body.prefix(body.count / 2))).total)
            #expect(cost(body).total >= DecodingCost.row * records + 2 * body.count)
        }
    }

    @Test("An ordinary body is estimated as small") func ordinaryBodyIsCheap() {
        let records = (0..<512).map { number in
            Sender.record(Int64(number), ["screen": "recipes", "count": 3, "name": "a dish of the season"])
        }
        let request = ExportLogsRequest(resources: [ResourceLogs(scopes: [ScopeLogs(records: records)])])
        for cost in [DecodingCost.protobuf(request.protobuf()), DecodingCost.json(request.json())] {
            #expect(cost.refusal == nil && cost.total < DecodingRoom.small)
        }
    }

    @Test("Bounds the values of a request in every format") func boundsValuesInAnyFormat() async throws {
        let collector = try Collector()
        func numbers(_ count: Int) -> [UInt8] { Array(("0" + String(repeating: ",0", count: count - 1)).utf8) }
        func body(_ before: String, _ count: Int, _ after: String) -> [UInt8] {
            Array(before.utf8) + numbers(count) + Array(after.utf8)
        }
        func field(_ number: Int, _ bytes: [UInt8]) -> [UInt8] {
            var (length, rest): ([UInt8], Int) = ([], bytes.count)
            while rest > 0x7F {
                length.append(UInt8(rest & 0x7F | 0x80))
                rest >>= 7
            }
            return [UInt8(number << 3 | 2)] + length + [UInt8(rest)] + bytes
        }
        let most = DecodingBudget.maximumValues
        for (more, status) in [(0, 200), (1, 413)] {
            // Besides the list, a line has an object, a tag and attributes.
            let line = body("{\"tag\":\"a\",\"attributes\":{\"b\":[", most - 4 + more, "]}}")
            let lines = await collector.post(
                "/v1/events", Array("{\"tag\":\"c\"}\n".utf8) + line, type: "application/x-ndjson")
            #expect(lines.status == status)
            #expect(status == 200 || lines.text.contains("More than \(most) values in line 2"))
            // Besides its values, a document has itself and two lists.
            let document = body(
                "{\"resourceLogs\":[],\"b\":[", DecodingBudget.maximumJSONValues - 3 + more, "]}")
            let json = await collector.post("/v1/logs", document, type: "application/json")
            #expect(json.status == status)
            #expect(status == 200 || json.text.contains("More than \(DecodingBudget.maximumJSONValues) values"))
            // The request itself takes a few.
            let elements = [[UInt8]](repeating: [0x0A, 0], count: more == 0 ? most - 100 : most + 1).flatMap(\.self)
            let list = field(6, field(1, [UInt8(ascii: "a")]) + field(2, field(5, elements)))
            let padding = field(5, field(1, [UInt8](repeating: UInt8(ascii: "x"), count: 4 * most)))
            let protobuf = await collector.post(
                "/v1/logs", field(1, field(2, field(2, padding + list))), type: "application/x-protobuf")
            #expect(protobuf.status == status && (status == 200 || protobuf.text.contains("at most \(most)")))
        }
        #expect(
            DecodingCost.request(Array(String(repeating: "a&", count: DecodingBudget.maximumJSONValues).utf8)).refusal
                != nil)
    }
}
