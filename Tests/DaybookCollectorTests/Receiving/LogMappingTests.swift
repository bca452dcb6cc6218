import Daybook
import DaybookCollector
import DaybookOTLP
import DaybookRequests
import DaybookStore
import DaybookTrials
import Testing

@Suite struct LogMappingTests {
    private let collector: Collector

    init() throws { collector = try Collector() }

    private func row(
        _ record: LogRecord, scope: InstrumentationScope = InstrumentationScope(), resource: Attributes = [:]
    ) async throws -> RecordRow {
        await collector.send(
            ExportLogsRequest(resources: [
                ResourceLogs(resource: resource, scopes: [ScopeLogs(scope: scope, records: [record])])
            ]))
        return try #require(try await collector.rows().last)
    }

    @Test("A Daybook record fills all its columns") func mapsDaybookRecord() async throws {
        var record = Sender.record(
            1_042,
            [
                "keyword": "卵", "user_id": 7, "session.id": "s-1", "code.file.path": "App/Search.swift",
                "code.function.name": "search()", "code.line.number": 42, "code.column.number": 5,
                "daybook.module": "App", "plan": "free",
            ])
        record.time = 1_763_632_931_204_000_001
        record.severityNumber = 9
        record.body = "searched"
        record.traceID = "0102030405060708090a0b0c0d0e0f10"
        record.spanID = "0102030405060708"
        var expected = RecordRow(
            uid: "\(Sender.stream)-1042", time: 1_763_632_931_204_000_001, kind: .event, level: 9, tag: "recipe.show",
            attributes: #"{"keyword":"卵","code.column.number":5}"#,
            context: #"{"service.version":"1.2","user_id":7,"plan":"free"}"#)
        expected.message = "searched"
        expected.module = "App"
        expected.session = "s-1"
        expected.installation = "i-1"
        expected.traceID = record.traceID
        expected.spanID = record.spanID
        expected.file = "App/Search.swift"
        expected.function = "search()"
        expected.line = 42
        let scope = Sender.scope(after: 1_041, through: 1_042, contextKeys: ["user_id", "plan", "absent"])
        var row = try await row(
            record, scope: scope, resource: ["app.installation.id": "i-1", "service.version": "1.2"])
        let owner = try #require(ContextFields(row.context).owner)
        row.context = row.context.replacing(",\"daybook.owner\":\"\(owner)\"", with: "")
        #expect(row == expected)
    }

    /// Otherwise two names would become one row in a database that repairs text itself.
    @Test("Normalises text before it is counted or stored") func normalisesTextFirst() async throws {
        var record = LogRecord()
        record.eventName = "cafe\u{301}.tap\0"
        record.body = "a\0b e\u{301}"
        record.attributes = [
            "na\0me": "va\0lue", "list": .array(["x\0", .object(["y\0": "z\0"])]), "session.id": "e\u{301}\0",
        ]
        let row = try await row(
            record, resource: ["app.installation.id": "i\0e\u{301}", "service.version": "1\0"])
        #expect(Array(row.tag.utf8) == Array("caf\u{E9}.tap\u{FFFD}".utf8))
        #expect(row.message.map { Array($0.utf8) } == Array("a\u{FFFD}b e\u{301}".utf8))
        let written = #"{"na_me":"va_lue","list":["x_",{"y_":"z_"}]}"#
        #expect(row.attributes == written.replacing("_", with: "\u{FFFD}"))
        #expect(row.session.map { Array($0.utf8) } == Array("\u{E9}\u{FFFD}".utf8))
        #expect(row.installation.map { Array($0.utf8) } == Array("i\u{FFFD}\u{E9}".utf8))
        #expect(row.context == "{\"service.version\":\"1\u{FFFD}\"}")
    }

    /// Swift takes two spellings of "é" for equal, a database does not: with two streams in one table and one in
    /// another, half of the records would count as repeats.
    @Test("Streams that differ only in Unicode spelling are one") func mergesStreamSpellings() async throws {
        for (number, name) in ["caf\u{E9}", "cafe\u{301}"].enumerated() {
            var record = LogRecord()
            record.attributes = [WireName.uid: .string("\(name)-\(number + 1)")]
            let scope = InstrumentationScope(
                name: "daybook",
                attributes: [
                    WireName.stream: .string(name), WireName.intervalAfter: .int(Int64(number)),
                    WireName.intervalThrough: .int(Int64(number + 1)),
                ])
            _ = try await row(record, scope: scope)
        }
        #expect(try await collector.rows().count == 2)
    }

    @Test(
        "A Daybook record takes its module from its file",
        arguments: [
            ("Search/View.swift", nil, "Search"), ("Search/View.swift", "Given", "Given"), ("View.swift", nil, nil),
            ("/Users/me/View.swift", nil, nil),
        ] as [(String, String?, String?)])
    func moduleComesFromFile(file: String, given: String?, module: String?) async throws {
        var record = Sender.record(1, ["code.file.path": .string(file)])
        record.attributes["daybook.module"] = given.map { .string($0) }
        let row = try await row(record, scope: Sender.scope(after: 0, through: 1))
        #expect(row.module == module)
        #expect(row.file == file)
    }

    @Test("A foreign record takes its module from its scope") func foreignModuleIsScope() async throws {
        var record = LogRecord()
        record.attributes = ["code.file.path": "src/main.py"]
        #expect(try await row(record).module == nil)
        #expect(try await row(record, scope: InstrumentationScope(name: "my.library")).module == "my.library")
    }

    @Test("A foreign record keeps all its fields") func keepsForeignFields() async throws {
        var record = LogRecord()
        record.observedTime = 55
        record.severityText = "Warning"
        record.body = "disk almost full"
        record.attributes = ["free": 3, "thread.id": 9, "code.column.number": 4]
        let row = try await row(
            record, scope: InstrumentationScope(name: "my.library", version: "2.0", attributes: ["team": "core"]),
            resource: ["service.name": "shop", "host.name": "h1"])
        #expect(row.kind == .message)
        #expect(row.time == 55)
        #expect(row.level == 13)
        #expect(row.tag == "my.library")
        #expect(row.module == "my.library")
        #expect(row.message == "disk almost full")
        #expect(row.attributes == #"{"free":3,"thread.id":9,"code.column.number":4}"#)
        #expect(
            row.context
                == #"{"service.name":"shop","host.name":"h1","team":"core","otel.scope.name":"my.library","otel.scope.version":"2.0"}"#
        )
        #expect(row.uid.count == 32)
    }

    @Test("Infers the kind from names and exceptions") func infersKind() async throws {
        var record = LogRecord()
        record.attributes = ["event.name": "old.event"]
        let old = try await row(record)
        #expect(old.kind == .event && old.tag == "old.event" && old.attributes == "{}")
        record.eventName = "new.event"
        record.attributes = ["daybook.tag": "shown.tag"]
        let new = try await row(record)
        #expect(new.kind == .event && new.tag == "shown.tag")
        record = LogRecord()
        record.attributes = ["exception.type": "URLError", "exception.message": "offline"]
        let error = try await row(record)
        #expect(error.kind == .error && error.tag == "otlp")
        #expect(error.attributes == #"{"exception.type":"URLError","exception.message":"offline"}"#)
        record.attributes = ["daybook.kind": "run"]
        #expect(try await row(record).kind == .run)
        record.attributes = ["daybook.kind": "picnic"]
        let unknown = try await row(record)
        #expect(unknown.kind == .message && unknown.attributes == #"{"daybook.kind":"picnic"}"#)
    }

    @Test("Stores an empty record with defaults") func storesEmptyRecord() async throws {
        let row = try await row(LogRecord())
        #expect(row.tag == "otlp" && row.kind == .message && row.level == 0 && row.time == 4_200)
        #expect(row.message == nil && row.attributes == "{}" && row.context == "{}")
    }

    @Test("A body that is not text becomes JSON") func showsBodyAsJSON() async throws {
        var record = LogRecord()
        record.body = ["a": [1, nil]]
        #expect(try await row(record).message == #"{"a":[1,null]}"#)
    }

    @Test("An attribute of an unexpected type stays an attribute") func keepsOddAttributeTypes() async throws {
        var record = LogRecord()
        record.attributes = ["session.id": 5, "code.line.number": "x"]
        let row = try await row(record)
        #expect(row.session == nil && row.line == nil)
        #expect(row.attributes == #"{"session.id":5,"code.line.number":"x"}"#)
    }

    @Test("A record without a UID gets the same one when resent") func derivesStableUIDs() async throws {
        let request = ExportLogsRequest(resources: [
            ResourceLogs(scopes: [ScopeLogs(records: [LogRecord(), LogRecord()])])
        ])
        await collector.send(request)
        await collector.send(request)
        let uids = try await collector.rows().map(\.uid)
        #expect(uids.count == 4)
        #expect(uids[0] == uids[2] && uids[1] == uids[3] && uids[0] != uids[1])
    }

    @Test("A batch that is resent or recut is stored once") func storesRecutBatchOnce() async throws {
        await collector.send(Sender.logs(after: 0, through: 5, 1...5))
        await collector.send(Sender.logs(after: 0, through: 5, 1...5))
        await collector.send(Sender.logs(after: 3, through: 8, 4...8))
        #expect(try await collector.rows().map(\.time) == (1...8).map { $0 })
    }

    @Test("Scopes of one stream are settled as one batch") func settlesScopesTogether() async throws {
        func scope(_ sequences: ClosedRange<Int64>) -> ScopeLogs {
            ScopeLogs(scope: Sender.scope(after: 0, through: 6), records: sequences.map { Sender.record($0) })
        }
        // Two versions of the context, and so two scopes, in one interval.
        let request = ExportLogsRequest(resources: [ResourceLogs(scopes: [scope(1...3), scope(4...6)])])
        await collector.send(request)
        await collector.send(request)
        #expect(try await collector.rows().count == 6)
    }

    @Test("A gap between scopes is not settled") func leavesGapsUnsettled() async throws {
        func scope(_ after: Int64, _ through: Int64) -> ScopeLogs {
            ScopeLogs(
                scope: Sender.scope(after: after, through: through),
                records: (after + 1...through).map { Sender.record($0) })
        }
        await collector.send(ExportLogsRequest(resources: [ResourceLogs(scopes: [scope(0, 2), scope(5, 6)])]))
        await collector.send(Sender.logs(after: 0, through: 6, 1...6))
        #expect(try await collector.rows().map(\.time).sorted() == (1...6).map { $0 })
    }

    @Test("Ignores sequence numbers outside the store's range") func ignoresBadSequences() async throws {
        for number in ["18446744073709551615", "9223372036854775808", "0", "-1", "+", "1x", ""] {
            var record = LogRecord()
            record.attributes = ["log.record.uid": .string("\(Sender.stream)-\(number)")]
            #expect(try await row(record, scope: Sender.scope(after: 0, through: 1)).uid.hasSuffix("-" + number))
        }
        #expect(try await collector.rows().count == 7)
    }

    @Test("A UID of another stream does not number this one") func ignoresForeignUID() async throws {
        var record = LogRecord()
        record.attributes = ["log.record.uid": "ffffffffffffffffffffffffffffffff0123456789abcdef-1"]
        _ = try await row(record, scope: Sender.scope(after: 0, through: 1))
        _ = try await row(record, scope: Sender.scope(after: 0, through: 1))
        #expect(try await collector.rows().count == 2)
    }

    @Test("Losses that a sender reports are kept once per output") func keepsLossesPerOutput() async throws {
        let collector = try Collector()
        var scope = Sender.scope(after: 0, through: 2)
        scope.attributes["daybook.output"] = "team"
        scope.attributes["daybook.dropped.disk_limit"] = 312
        scope.attributes["daybook.dropped.rejected"] = 0
        let logs = ExportLogsRequest(resources: [
            ResourceLogs(scopes: [ScopeLogs(scope: scope, records: [Sender.record(1), Sender.record(2)])])
        ])
        await collector.send(logs)
        await collector.send(logs)
        let ledger = try await collector.store.ledger(LedgerQuery()).ledgers
        #expect(ledger.map { StreamOwner.given($0.stream) } == ["\(Sender.stream)/team/logs"])
        #expect(ledger.map(\.losses) == [["disk_limit": 312]])
        #expect(ledger.map(\.duplicates) == [2])
        let answer = try await collector.store.query("SELECT sum(lost) FROM completeness", limits: QueryLimits())
        #expect(answer.rows == [[.integer(312)]])
    }

    @Test("Loss reasons are limited in number and must be plain names") func boundsLossReasons() async throws {
        let collector = try Collector()
        var scope = Sender.scope(after: 0, through: 1)
        for reason in ["", "a\"b", "x\ny", "日本", "Upper", String(repeating: "a", count: 65)] {
            scope.attributes["daybook.dropped." + reason] = 1
        }
        for number in 1...40 { scope.attributes["daybook.dropped.reason_\(number)"] = 1 }
        await collector.send(
            ExportLogsRequest(resources: [
                ResourceLogs(scopes: [ScopeLogs(scope: scope, records: [Sender.record(1)])])
            ]))
        let losses = try #require(try await collector.store.ledger(LedgerQuery()).ledgers.first?.losses)
        #expect(losses.count == 32 && losses.keys.allSatisfy { $0.hasPrefix("reason_") })
    }

    @Test("The last value of a duplicate attribute wins") func lastAttributeWins() async throws {
        var record = LogRecord()
        let long = String(repeating: "n", count: 70)
        record.attributes.elements = [
            .init("a", 1), .init("plan", "free"), .init(long, 1), .init("b\"", 1), .init("a", 2),
            .init("log.record.uid", "u"),
            .init("plan", "paid"), .init(long, 2), .init("b\"", 2), .init("log.record.uid", "v"),
        ]
        let scope = InstrumentationScope(attributes: ["daybook.context.keys": ["plan"]])
        let row = try await row(record, scope: scope)
        #expect(row.attributes == #"{"a":2,"\#(long)":2,"b\"":2}"#)
        #expect(row.context == #"{"plan":"paid"}"#)
        #expect(row.uid == "v")
        record.droppedAttributes = 3
        record.attributes = ["otel.dropped_attributes_count": 1, "x": 0]
        #expect(try await self.row(record).attributes == #"{"x":0,"otel.dropped_attributes_count":3}"#)
    }

    /// More names than the cache holds, so that they evict each other, and one of them twice.
    @Test("Keeps a thousand attribute names apart") func keepsManyNamesApart() async throws {
        var record = LogRecord()
        record.attributes.elements = (0..<1_000).map { .init("name\($0)", .int($0)) } + [.init("name7", "again")]
        let kept = try await row(record).attributes
        let expected = (0..<1_000).filter { $0 != 7 }.map { #""name\#($0)":\#($0)"# } + [#""name7":"again""#]
        #expect(kept == "{\(expected.joined(separator: ","))}")
    }

    @Test("Values of every kind become the right JSON") func writesEveryValueAsJSON() async throws {
        var record = LogRecord()
        record.attributes = [
            "text": "eight by eight, \"quoted\" \\ and\n\u{1}卵焼き", "empty": "", "least": .int(.min), "most": .int(.max),
            "zero": 0, "double": 0.1, "nan": .double(.nan), "yes": true, "none": nil, "bytes": .bytes([0, 255]),
            "list": [1, ["x": nil]], "object": ["a": "\t", "": 1],
        ]
        record.body = "line one\nline two"
        let row = try await row(record)
        #expect(row.attributes == JSONWriter.text(record.attributes))
        #expect(row.message == "line one\nline two")
    }

    @Test("Replaces invalid UTF-8 bytes in Protobuf") func repairsInvalidBytes() async throws {
        // Protobuf by hand: one record with the attribute `k` = FF 22 C3 and the event name `e` FF.
        let attribute: [UInt8] = [0x0A, 1, 0x6B, 0x12, 5, 0x0A, 3, 0xFF, 0x22, 0xC3]
        let record: [UInt8] = [0x32, UInt8(attribute.count)] + attribute + [0x62, 2, 0x65, 0xFF]
        let scope: [UInt8] = [0x12, UInt8(record.count)] + record
        let resource: [UInt8] = [0x12, UInt8(scope.count)] + scope
        let batches = try OTLPRequest.batches(ofProtobuf: [0x0A, UInt8(resource.count)] + resource, .logs, now: 0)
        #expect(batches.map { $0.rows.map(\.attributes) } == [["{\"k\":\"\u{FFFD}\\\"\u{FFFD}\"}"]])
        #expect(batches[0].rows[0].tag == "e\u{FFFD}")
    }

    /// Protobuf guarantees no order: the resource and scope may follow their records.
    @Test("The resource and scope may follow their records") func acceptsAnyFieldOrder() throws {
        let record: [UInt8] = [0x12, 3, 0x62, 1, 0x65]
        let scope: [UInt8] = record + [0x0A, 3, 0x0A, 1, 0x73]
        let resource: [UInt8] =
            [0x12, UInt8(scope.count)] + scope + [0x0A, 9, 0x0A, 7, 0x0A, 1, 0x72, 0x12, 2, 0x18, 5]
        let batches = try OTLPRequest.batches(ofProtobuf: [0x0A, UInt8(resource.count)] + resource, .logs, now: 0)
        #expect(batches[0].rows[0].context == #"{"r":5,"otel.scope.name":"s"}"#)
        #expect(batches[0].rows[0].module == "s")
    }

    /// Against a writer that caches nothing, so that nothing carries over from one record to the next.
    @Test("Random attributes become the same JSON as the plain writer's", arguments: [1, 2, 3, 4] as [UInt64])
    func attributesMatchWriter(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let names =
            ["", "a", "plan", "user_id", "x\"y", "日本", "session.id", "http.method"]
            + (0..<150).map { "name\($0)" } + (50..<70).map { String(repeating: "n", count: $0) }
        func value() -> Value {
            switch Int.random(in: 0..<8, using: &random) {
            case 0: .null
            case 1: .bool(.random(using: &random))
            case 2: .double(.random(in: -1e9...1e9, using: &random))
            case 3: .array([.int(1), .object(["k": "v"])])
            case 4: .bytes([1, 2, 3])
            case 5: .int(.random(in: .min ... .max, using: &random) >> Int64.random(in: 0..<64, using: &random))
            default:
                .string(
                    String(
                        (0..<Int.random(in: 0..<30, using: &random)).map { _ in
                            "ab\"\\\n卵é".randomElement(using: &random) ?? "a"
                        }))
            }
        }
        let records = (0..<400).map { _ in
            var record = LogRecord()
            record.attributes.elements = (0..<Int.random(in: 0..<20, using: &random)).map { _ in
                .init(names[Int.random(in: 0..<names.count, using: &random)], value())
            }
            return record
        }
        let scope = InstrumentationScope(attributes: ["daybook.context.keys": ["plan", "user_id", "absent"]])
        let request = ExportLogsRequest(resources: [
            ResourceLogs(resource: ["service.name": "s"], scopes: [ScopeLogs(scope: scope, records: records)])
        ])
        let rows = try OTLPRequest.batches(ofProtobuf: request.protobuf(), .logs, now: 0)[0].rows
        for (row, record) in zip(rows, records) {
            var own = Attributes()
            var context: Attributes = ["service.name": "s"]
            var session: String?
            for element in record.attributes.elements {
                if element.key == "session.id", case .string(let text) = element.value {
                    session = text
                } else if ["plan", "user_id"].contains(element.key) {
                    context.elements.append(element)
                } else {
                    own.elements.append(element)
                }
            }
            #expect(row.attributes == JSONWriter.text(own))
            #expect(row.context == JSONWriter.text(context))
            #expect(row.session == session)
        }
        #expect(rows.count == records.count)
        #expect(try OTLPRequest.batches(ofJSON: request.json(), .logs, now: 0)[0].rows == rows)
    }
}
