import DaybookBase
import DaybookChecklist
import DaybookOTLP
import DaybookStore
import DaybookTools
import DaybookTrials
import Testing

@testable import DaybookCollector

/// A stored context has each name once: the value nearest to the record wins, and the others are reported.
@Suite struct ContextNamesTests {
    /// A request with one resource and scope, in both encodings and for both signals.
    private struct Sample {
        var resource: [Attributes.Element] = []
        var scope: [Attributes.Element] = []
        var name = ""
        var version = ""
        var resourceSchema = ""
        var scopeSchema = ""
        var keys: [String] = []
        var records: [[Attributes.Element]] = [[]]

        private var scopeAttributes: [Attributes.Element] {
            scope + [.init(WireName.contextKeys, .array(keys.map { .string($0) }))]
        }

        func json(_ signal: OTLPSignal) -> [UInt8] {
            func pairs(_ elements: [Attributes.Element]) -> Value {
                .array(
                    elements.map { element in
                        let kind = if case .array = element.value { "arrayValue" } else { "intValue" }
                        guard case .array(let items) = element.value else {
                            return ["key": .string(element.key), "value": [kind: element.value]]
                        }
                        let values = items.map { Value.object(["stringValue": $0]) }
                        return ["key": .string(element.key), "value": [kind: ["values": .array(values)]]]
                    })
            }
            let records: Value = .array(
                self.records.map { record in
                    let time = signal == .logs ? "timeUnixNano" : "startTimeUnixNano"
                    return .object([time: "1800000000000000000", "attributes": pairs(record)])
                })
            let scopes: Attributes = [
                "scope": ["name": .string(name), "version": .string(version), "attributes": pairs(scopeAttributes)],
                signal == .logs ? "logRecords" : "spans": records, "schemaUrl": .string(scopeSchema),
            ]
            let resource: Attributes = [
                "resource": ["attributes": pairs(self.resource)], "schemaUrl": .string(resourceSchema),
                signal == .logs ? "scopeLogs" : "scopeSpans": [.object(scopes)],
            ]
            let request: Attributes = [signal == .logs ? "resourceLogs" : "resourceSpans": [.object(resource)]]
            return Array(JSONWriter.text(request).utf8)
        }

        func protobuf(_ signal: OTLPSignal) -> [UInt8] {
            func fields(_ number: Int, _ elements: [Attributes.Element]) -> [UInt8] {
                elements.flatMap { AnyValue.keyValueField(UInt8(number << 3 | 2), $0.key, $0.value) }
            }
            let records = self.records.map { record in
                Wire.fixed64(signal == .logs ? 1 : 7, 1_800_000_000_000_000_000)
                    + fields(signal == .logs ? 6 : 9, record)
            }
            let scope = Wire.text(1, name) + Wire.text(2, version) + fields(3, scopeAttributes)
            let scopes = Wire.bytes(1, scope) + records.flatMap { Wire.bytes(2, $0) } + Wire.text(3, scopeSchema)
            return Wire.bytes(
                1, Wire.bytes(1, fields(1, resource)) + Wire.bytes(2, scopes) + Wire.text(3, resourceSchema))
        }

        /// The expected contexts, and how often each name's value is overridden.
        var expected: (contexts: [[String: Value]], told: [String: Int]) {
            var told: [String: Int] = [:]
            var shared: [String: Value] = [:]
            func add(_ elements: [Attributes.Element], to context: inout [String: Value]) {
                for element in elements where context.updateValue(element.value, forKey: element.key) != nil {
                    told["\(element.key) given twice", default: 0] += 1
                }
            }
            let own = [
                ("otel.resource.schema_url", resourceSchema), ("otel.scope.schema_url", scopeSchema),
                ("otel.scope.name", name), ("otel.scope.version", version),
            ].filter { !$0.1.isEmpty }.map { Attributes.Element($0.0, .string($0.1)) }
            add(resource + scope + own, to: &shared)
            let contexts = records.map { record in
                var (context, others) = (shared, [String: Value]())
                add(record.filter { keys.contains($0.key) }, to: &context)
                add(record.filter { !keys.contains($0.key) }, to: &others)
                for element in own { context[element.key] = element.value }
                return context
            }
            return (contexts, told)
        }
    }

    private func read(
        _ sample: Sample, _ signal: OTLPSignal, isJSON: Bool
    ) throws -> (rows: [RecordRow], told: [String: Int]) {
        var unread = Unread()
        let batches =
            isJSON
            ? try OTLPRequest.batches(ofJSON: sample.json(signal), signal, now: 7, unread: &unread)
            : try OTLPRequest.batches(ofProtobuf: sample.protobuf(signal), signal, now: 7, unread: &unread)
        return (batches.flatMap(\.rows), unread.counts)
    }

    private func check(_ sample: Sample) throws {
        let (contexts, told) = sample.expected
        var texts: Set<[String]> = []
        for signal in [OTLPSignal.logs, .traces] {
            for isJSON in [true, false] {
                let (rows, unread) = try read(sample, signal, isJSON: isJSON)
                #expect(unread == told, "\(sample)")
                for (row, context) in zip(rows, contexts) {
                    guard case .object(let stored) = try JSONReader.value(of: Array(row.context.utf8)) else {
                        Issue.record("\(row.context)")
                        continue
                    }
                    #expect(stored.repeatedNames.isEmpty, "\(row.context)")
                    #expect(
                        Dictionary(stored.elements.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 }) == context,
                        "\(sample)")
                    // An export reads back unchanged.
                    let line = RecordLine.text(row)
                    let again = try RecordLine.row(line.utf8, defaults: .init(time: 0, position: 1))
                    #expect(again.context == row.context && again.attributes == row.attributes, "\(line)")
                }
                #expect(rows.count == contexts.count)
                texts.insert(rows.map(\.context))
            }
        }
        #expect(texts.count == 1, "\(texts)")
    }

    /// Few names, so that they collide: plain ones, the collector's own, spellings of one, and what JSON escapes.
    private static let names = [
        "x", "y", "service.version", "otel.scope.name", "otel.scope.version", "otel.scope.schema_url",
        "otel.resource.schema_url", "caf\u{E9}", "cafe\u{301}", "q\"uote", "device.daybook.owner",
        String(repeating: "long", count: 18),
    ]

    @Test("Each name occurs once in a context", arguments: 1...UInt64(TestLength.trials(20, long: 60)))
    func contextNamesAreUnique(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var value: Int64 = 0
        let names = Self.names.shuffled(using: &random).prefix(.random(in: 2...6, using: &random))
        func attributes(_ most: Int) -> [Attributes.Element] {
            (0..<Int.random(in: 0...most, using: &random)).map { _ in
                // Sometimes the same value: nothing is lost, but it is reported.
                value += .random(in: 0...1, using: &random)
                return Attributes.Element(names.randomElement(using: &random) ?? "x", .int(value))
            }
        }
        func text(_ text: String) -> String { Bool.random(using: &random) ? text : "" }
        for _ in 1...8 {
            var sample = Sample(resource: attributes(4), scope: attributes(4))
            (sample.name, sample.version) = (text("s"), text("2"))
            (sample.resourceSchema, sample.scopeSchema) = (text("r"), text("c"))
            sample.keys = names.filter { _ in Bool.random(using: &random) }
            sample.records = (0..<5).map { _ in attributes(3) }
            try check(sample)
        }
    }

    @Test("The value nearest to the record wins") func nearestScopeWins() throws {
        let sample = Sample(
            resource: [.init("x", 1), .init("service.version", 10), .init("otel.scope.name", 11)],
            scope: [.init("x", 2), .init("service.version", 20)], name: "s", keys: ["x"],
            records: [[.init("x", 3)], [], [.init("x", 3), .init("x", 4)]])
        let (rows, told) = try read(sample, .logs, isJSON: false)
        #expect(
            rows.map(\.context) == [
                #"{"service.version":20,"otel.scope.name":"s","x":3}"#,
                #"{"x":2,"service.version":20,"otel.scope.name":"s"}"#,
                #"{"service.version":20,"otel.scope.name":"s","x":4}"#,
            ])
        #expect(
            told == ["x given twice": 4, "service.version given twice": 1, "otel.scope.name given twice": 1])
        try check(sample)
    }

    /// The column takes the record's own value; the resource's stays in the context.
    @Test("A value stored in a column does not replace one in the context") func columnKeepsContextValue() throws {
        let sample = Sample(
            resource: [.init("session.id", 1)], keys: ["session.id"], records: [[.init("session.id", "s")]])
        var unread = Unread()
        let row = try OTLPRequest.batches(ofProtobuf: sample.protobuf(.logs), .logs, now: 7, unread: &unread)[0].rows[0]
        #expect(row.context == #"{"session.id":1}"# && row.session == "s" && unread.isEmpty)
    }

    /// A device may claim a name of the collector and also have an attribute of that name.
    @Test("Reports a device's claim that collides with an attribute") func reportsCollidingClaim() async throws {
        let collector = try Collector()
        let sample = Sample(
            resource: [.init("daybook.owner", 1), .init("device.daybook.owner", 2)])
        let answer = await collector.post("/v1/logs", sample.json(.logs), type: "application/json")
        #expect(answer.text.contains("device.daybook.owner given twice (1)"), "\(answer.text)")
        #expect(try await collector.rows().map(\.context) == [#"{"device.daybook.owner":2}"#])
    }

    /// A context rebuilt for a record counts in full, so that alternating records cannot make the collector copy a
    /// large scope again and again.
    @Test("Bounds the copies of a large scope") func boundsScopeCopies() throws {
        let x = Attributes.Element("x", 1)
        var sample = Sample(keys: ["x"])
        sample.scope = (0..<4_000).map { Attributes.Element("n\($0)", 1) } + [x]
        sample.records = (0..<4_000).map { $0 % 2 == 0 ? [x] : [] }
        let error = #expect(throws: OTLPError.self) { try read(sample, .logs, isJSON: false) }
        #expect(error?.isLimit == true)
    }

    // MARK: Names that become equal

    /// Different bytes that become one name by repair or in a database's comparison.
    @Test(
        "Names that become equal after repair count as one",
        arguments: [
            [[0x6B, 0xFF], [0x6B, 0xFE]], [[0x6B, 0xC3], [0x6B, 0xEF, 0xBF, 0xBD]], [[0x6B, 0x00], [0x6B, 0xFF]],
            [Array("caf\u{E9}".utf8), Array("cafe\u{301}".utf8)], [[0xFF, 0x6B, 0xC0], [0x80, 0x6B, 0xC1]],
            [Array(repeating: 0x6B, count: 80) + [0xFF], Array(repeating: 0x6B, count: 80) + [0xFE]],
        ] as [[[UInt8]]]) func mergesEqualNames(keys: [[UInt8]]) throws
    {
        func pair(_ key: [UInt8], _ value: UInt64) -> [UInt8] {
            Wire.bytes(1, key) + Wire.bytes(2, Wire.number(3, value))
        }
        let name = String(decoding: keys[1], as: UTF8.self).storable
        let told = "\(name) given twice"
        let own = Wire.number(2, 9)
        func request(_ number: Int, _ nested: Bool) -> [UInt8] {
            let pairs = [pair(keys[0], 1), pair(keys[1], 2)]
            if nested {
                let list = Wire.bytes(2, Wire.bytes(6, pairs.flatMap { Wire.bytes(1, $0) }))
                return Wire.bytes(number, Wire.text(1, "list") + list)
            }
            return pairs.flatMap { Wire.bytes(number, $0) }
        }
        let object = "{\(JSONWriter.text(.string(name))):2}"
        for nested in [false, true] {
            let stored = nested ? "{\"list\":\(object)}" : object
            let wholes: [(bytes: [UInt8], isContext: Bool)] = [
                (Wire.request([own + request(6, nested)]), false),
                (Wire.bytes(1, Wire.bytes(1, request(1, nested)) + Wire.bytes(2, Wire.bytes(2, own))), true),
                (Wire.bytes(1, Wire.bytes(2, Wire.bytes(1, request(3, nested)) + Wire.bytes(2, own))), true),
            ]
            for (bytes, isContext) in wholes {
                var unread = Unread()
                let row = try OTLPRequest.batches(ofProtobuf: bytes, .logs, now: 1, unread: &unread)[0].rows[0]
                #expect((isContext ? row.context : row.attributes) == stored)
                #expect(unread.counts[told] == 1, "\(unread.counts)")
            }
        }
    }

    @Test(
        "Lines and rule requests merge names that become equal",
        arguments: [(#"k\u0000"#, "k\u{FFFD}"), (#"k\ud800"#, #"k\u0000"#), ("caf\u{E9}", "cafe\u{301}")])
    func mergesEqualNamesInRules(first: String, second: String) async throws {
        let rules = #"""
            {"rules": [{"path": "/j", "event": "j.x", "attributes": ["body"]},
                       {"path": "/f", "event": "f.x", "json": ["body.d"], "attributes": ["body.d"]}]}
            """#
        let collector = try Collector(requests: TeamRequests(RequestRules(json: rules)))
        let object = "{\"\(first)\":1,\"\(second)\":2}"
        let nested = "{\"o\":\(object)}"
        for text in [object, nested] {
            for member in ["attributes", "context"] {
                let line = "{\"tag\":\"a\",\"\(member)\":\(text)}"
                let answer = await collector.post("/v1/events", Array(line.utf8), type: "application/x-ndjson")
                #expect(answer.status == 200 && answer.text.contains(" given twice (1)"), "\(answer.text)")
            }
            for (path, body) in [
                ("/v1/requests/j", text), ("/v1/requests/f", "d=" + text.replacing("\\", with: "%5C")),
            ] {
                let answer = await collector.post(path, Array(body.utf8), type: "text/plain")
                #expect(answer.status == 200 && answer.text.contains(" given twice (1)"), "\(answer.text)")
            }
        }
        for row in try await collector.rows() {
            #expect(try JSONReader.value(of: Array(row.attributes.utf8)).repeatedNames.isEmpty)
        }
    }
}
