import Daybook
import DaybookBase
import DaybookHTTP
import DaybookOTLP
import DaybookRequests
import DaybookStore
import Testing

@testable import DaybookCollector

/// Requests of many small parts take linear and bounded work.
@Suite struct ManyScopesTests {
    private func scope(_ stream: String, _ after: Int64, _ through: Int64) -> InstrumentationScope {
        InstrumentationScope(attributes: [
            "daybook.stream": .string(stream), "daybook.output": "o", "daybook.interval.after": .int(after),
            "daybook.interval.through": .int(through),
        ])
    }

    private func assembled(_ scopes: [InstrumentationScope]) throws -> [RecordBatch] {
        var assembly = BatchAssembly(.logs)
        assembly.begin(resource: [:])
        for scope in scopes {
            assembly.begin(scope: scope, count: 1)
            assembly.add(
                RecordRow(uid: "u", time: 1, kind: .event, level: 9, tag: "a"), isIdentified: true, hasTime: true)
        }
        return try assembly.finish()
    }

    /// Streams, intervals of one stream with gaps, and both; with and without a record outside any stream.
    @Test("Bounds the streams and intervals of a request") func boundsStreams() throws {
        let most = BatchAssembly.mostStreams
        let kinds: [(Int) -> InstrumentationScope] = [
            { scope("s\($0)", 0, 1) }, { scope("s", Int64($0) * 3, Int64($0) * 3 + 1) },
            { scope("s\($0 % 2)", Int64($0) * 3, Int64($0) * 3 + 1) },
        ]
        for kind in kinds {
            let scopes = (0..<most).map(kind)
            #expect(try assembled(scopes).count == most)
            #expect(try assembled([InstrumentationScope()] + scopes + [InstrumentationScope()]).count == most + 1)
            let error = #expect(throws: OTLPError.self) { try assembled(scopes + [kind(most)]) }
            #expect(error?.isLimit == true)
        }
    }

    /// However many scopes a stream is split into.
    @Test("Adjacent scopes of a stream form one batch") func joinsTouchingScopes() throws {
        let batches = try assembled((0..<5_000).map { scope("s", Int64($0), Int64($0) + 1) })
        #expect(batches.count == 1 && batches[0].rows.count == 5_000)
        #expect(batches[0].origin?.interval == SequenceInterval(after: 0, through: 5_000))
    }

    @Test("Too many streams are answered with 413") func tooManyStreamsAre413() async throws {
        let collector = try Collector()
        for (count, status) in [(BatchAssembly.mostStreams, 200), (BatchAssembly.mostStreams + 1, 413), (20_000, 413)] {
            let scopes = (0..<count).map { ScopeLogs(scope: scope("s\($0)", 0, 1), records: []) }
            let body = ExportLogsRequest(resources: [ResourceLogs(scopes: scopes)]).protobuf()
            let answer = await collector.post("/v1/logs", body, type: "application/x-protobuf")
            #expect(answer.status == status, "\(count)")
        }
        let ledger = try await collector.store.query("SELECT count(*) FROM ledger", limits: QueryLimits())
        #expect(ledger.rows == [[.integer(Int64(BatchAssembly.mostStreams))]])
    }

    /// A resource is written for each scope with a record, and its bytes count each time.
    @Test("A large resource may have many records but not many scopes") func boundsResourceCopies() async throws {
        let collector = try Collector()
        let long = String(repeating: "x", count: 200_000)
        var record = LogRecord()
        record.time = 1
        for (scopes, records, status) in [(2_000, 0, 200), (1, 2_000, 200), (2_000, 1, 413)] {
            var resource = ResourceLogs(
                scopes: Array(
                    repeating: ScopeLogs(records: Array(repeating: record, count: records)), count: scopes))
            resource.resource["long"] = .string(long)
            let answer = await collector.post(
                "/v1/logs", ExportLogsRequest(resources: [resource]).protobuf(), type: "application/x-protobuf")
            #expect(answer.status == status, "\(scopes) \(records) \(answer.text)")
        }
    }

    /// Records that differ after what their scope shares, and some that do not.
    @Test("Each record gets its own context") func recordsKeepContexts() async throws {
        let collector = try Collector()
        var expected: [String] = []
        var scopes: [ScopeLogs] = []
        for number in 0..<6 {
            var scope = Sender.scope(after: Int64(number) * 20, through: Int64(number) * 20 + 20, contextKeys: ["plan"])
            if number % 2 == 1 { scope.attributes["foreign"] = .int(Int64(number)) }
            let records = (0..<8).map { place in
                let plan = ["a", "a", "b", "", "", "bb", "a", "cc"][place]
                let shared = "{\"r\":1" + (number % 2 == 1 ? ",\"foreign\":\(number)" : "")
                expected.append(shared + (plan.isEmpty ? "}" : ",\"plan\":\"\(plan)\"}"))
                return Sender.record(
                    Int64(number * 20 + place + 1), plan.isEmpty ? [:] : ["plan": .string(plan)])
            }
            scopes.append(ScopeLogs(scope: scope, records: records))
        }
        var resource = ResourceLogs(scopes: scopes)
        resource.resource["r"] = 1
        await collector.send(ExportLogsRequest(resources: [resource]))
        let owner = try #require(try await collector.rows().first.flatMap { ContextFields($0.context).owner })
        let found = try await collector.rows().map {
            $0.context.replacing(",\"daybook.owner\":\"\(owner)\"", with: "")
        }
        #expect(found == expected)
    }
}
