import DaybookBase
import DaybookHTTP
import DaybookOTLP
import DaybookRequests
import DaybookStore
import DaybookTools
import DaybookTrials
import Foundation
import Testing

@testable import DaybookCollector

/// What a sender can do to the streams and names of others.
@Suite struct SenderRightsTests {
    private let key: APIKey
    private let otherKey: APIKey
    private let ring: KeyRing
    private let collector: Collector

    init() throws {
        let keys = ["ios", "web"].map { makeKey($0) }
        (key, otherKey) = (keys[0].0, keys[1].0)
        ring = KeyRing(keys.map(\.1))
        collector = try Collector(keys: ring)
    }

    private func scopes(
        _ interval: (after: Int64, through: Int64), _ sequences: [Int64], proof: String?, lost: Int64 = 0
    ) -> [ScopeLogs] {
        var scope = Sender.scope(after: interval.after, through: interval.through, proof: proof)
        scope.attributes["daybook.output"] = "otlp"
        if lost > 0 { scope.attributes["daybook.dropped.disk_limit"] = .int(lost) }
        return [ScopeLogs(scope: scope, records: sequences.map { Sender.record($0) })]
    }

    /// Sends logs and expects them to be accepted.
    @discardableResult
    private func send(
        _ scopes: [ScopeLogs], _ key: APIKey, to collector: Collector? = nil
    ) async -> HTTPResponse {
        var resource = ResourceLogs(scopes: scopes)
        resource.resource["app.installation.id"] = "i"
        let answer = await (collector ?? self.collector).post(
            "/v1/logs", ExportLogsRequest(resources: [resource]).protobuf(), type: "application/x-protobuf", key: key)
        #expect(answer.status == 200)
        return answer
    }

    private func account(_ owner: StreamOwner, in collector: Collector? = nil) async throws -> StreamLedger? {
        try await (collector ?? self.collector).store
            .ledger(LedgerQuery(stream: owner.name("\(Sender.stream)/otlp/logs"))).ledgers.first
    }

    private func owner(proof: String?, key: String) -> StreamOwner {
        proof.map { .proven(digest: String(Hex.text(SHA256Digest.of(Array($0.utf8))).prefix(32))) }
            ?? .unproven(key: key)
    }

    @Test("Claiming all future numbers takes nothing from the stream's owner") func greedyClaimIsHarmless() async throws
    {
        for proof in [Sender.proof, nil] {
            let collector = try Collector(keys: ring)
            await send(scopes((0, 2), [1, 2], proof: proof), key, to: collector)
            for stranger in ["ffffffffffffffffffffffffffffffff", nil] {
                await send(scopes((2, 1 << 62), [], proof: stranger, lost: 1 << 40), key, to: collector)
                await send(scopes((2, .max), [], proof: stranger, lost: 1 << 40), key, to: collector)
            }
            await send(scopes((2, 9), Array(3...9), proof: proof), key, to: collector)
            #expect(try await collector.rows().map(\.time) == Array(1...9))
            let account = try #require(try await account(owner(proof: proof, key: "ios"), in: collector))
            #expect(account.stored == 9 && account.duplicates == 0)
            #expect(account.settled == [SequenceInterval(after: 0, through: 9)])
        }
    }

    /// Whatever strangers send, the victim's account and records are the same as without them.
    @Test("Strangers change nothing in another sender's stream", arguments: 1...12 as ClosedRange<UInt64>)
    func strangersChangeNothing(seed: UInt64) async throws {
        var source = SeededGenerator(seed: seed)
        let alone = try Collector(keys: ring)
        // The victim has a proof, or a key that no stranger has.
        let proof = Bool.random(using: &source) ? Sender.proof : nil
        var next: Int64 = 0
        for _ in 0..<8 {
            for _ in 0..<Int.random(in: 0...3, using: &source) {
                let after = Int64.random(in: 0...next + 40, using: &source)
                let through = [after, after + 20, 1 << 62, .max].randomElement(using: &source) ?? after
                let numbers = (after + 1...after + 20).filter { _ in Bool.random(using: &source) }
                let stranger = [nil, "ffffffffffffffffffffffffffffffff"].randomElement(using: &source) ?? nil
                await send(
                    scopes((after, through), numbers, proof: stranger, lost: .random(in: 0...9, using: &source)),
                    proof == nil ? otherKey : [key, otherKey].randomElement(using: &source) ?? key)
            }
            let through = next + Int64.random(in: 1...10, using: &source)
            // Some records go elsewhere, and some batches are sent twice.
            let numbers = (next + 1...through).filter { _ in Int.random(in: 0..<4, using: &source) > 0 }
            for _ in 0..<Int.random(in: 1...2, using: &source) {
                for one in [alone, collector] {
                    await send(scopes((next, through), numbers, proof: proof, lost: next / 10), key, to: one)
                }
            }
            next = through
        }
        let owner = owner(proof: proof, key: "ios")
        #expect(try await account(owner) == account(owner, in: alone))
        let sums =
            "SELECT installation, owner, proven, stored, duplicates, missing, lost FROM completeness WHERE owner = '\(owner)'"
        let beside = try await collector.store.query(sums, limits: QueryLimits())
        #expect(try await alone.store.query(sums, limits: QueryLimits()) == beside && beside.rows.count == 1)
    }

    @Test("Another key continues a proven stream but no other") func keyContinuesProvenStream() async throws {
        for _ in 0..<2 {
            for key in [key, otherKey] {
                await send(scopes((0, 3), [1, 2, 3], proof: Sender.proof), key)
            }
        }
        #expect(try await collector.rows().count == 3)
        for _ in 0..<2 {
            for key in [key, otherKey] { await send(scopes((0, 3), [1, 2, 3], proof: nil), key) }
        }
        #expect(try await collector.rows().count == 9)
        #expect(try await account(.unproven(key: "web"))?.duplicates == 3)
        var text = PrometheusText()
        collector.metrics.write(to: &text, load: IngestLoad())
        #expect(text.text.contains("daybook_ingest_stream_batches_total{proven=\"true\"} 4\n"))
        #expect(text.text.contains("daybook_ingest_stream_batches_total{proven=\"false\"} 4\n"))
        #expect(text.text.contains("daybook_ingest_contested_batches_total 4\n"))
    }

    @Test("An invalid proof proves nothing") func ignoresInvalidProofs() async throws {
        for proof in ["", "00", "xyz", String(repeating: "0", count: 31), String(repeating: "0", count: 64)] {
            await send(scopes((0, 9), [], proof: proof), key)
        }
        #expect(try await account(.unproven(key: "ios"))?.settled == [])
        let stored = try await collector.store.query("SELECT stream FROM ledger", limits: QueryLimits())
        #expect(stored.rows.count == 1)
    }

    @Test("Keys with any name have separate streams") func keysHaveOwnStreams() {
        let long = String(repeating: "長", count: 400)
        let names = [nil, "", "a", "a/b", "a%2Fb", "a/", "proof:x", long + "a", long + "b"]
        let admitted = names.map { name in
            SenderRights(key: name).admit(
                [RecordBatch(origin: .init(stream: "s/o/logs", after: 0, through: 9), rows: [])],
                noting: StreamOwners()
            ).batches[0].batch.origin?.stream ?? ""
        }
        // Without a key, or with an unnamed one, the stream is anyone's.
        #expect(Set(admitted).count == names.count - 1)
        #expect(admitted.allSatisfy { $0.utf8.count < 400 && StreamOwner.given($0) == "s/o/logs" }, "\(admitted)")
        #expect(Set(admitted.map(StreamOwner.sender(of:))).count == names.count - 1)
    }

    @Test("The store never contains a proof") func storeHoldsNoProof() async throws {
        await send(scopes((0, 2), [1, 2], proof: Sender.proof), key)
        for table in ["records", "ledger", "streams", "losses"] {
            let answer = try await collector.store.query("SELECT * FROM \(table)", limits: QueryLimits())
            #expect(!"\(answer.rows)".contains(Sender.proof))
        }
    }

    @Test("Numbers far from the others are reported, never deduplicated") func farNumbersAreNotSettled() async throws {
        for _ in 0..<2 {
            let answer = await send(scopes((0, 0), [1, 2, 1 << 40], proof: nil), key)
            #expect(answer.text.contains("log.record.uid far from others"))
        }
        let far = "\(Sender.stream)-\(1 << 40 as Int64)"
        #expect(try await collector.rows().map { $0.uid == far } == [false, false, true, true])
    }

    /// With and without a record, wherever losses are shown.
    @Test("Losses reported by strangers are kept apart from the victim's") func separatesStrangersLosses() async throws
    {
        await send(scopes((0, 2), [1, 2], proof: Sender.proof, lost: 5), key)
        await send(scopes((0, 2), [], proof: nil, lost: 4_711), otherKey)
        await send(scopes((0, 2), [2], proof: nil, lost: .max), key)
        let proven = owner(proof: Sender.proof, key: "ios")
        let lost = try await collector.store.query(
            "SELECT installation, owner, lost FROM completeness ORDER BY lost", limits: QueryLimits())
        #expect(
            lost.rows == [
                [.text("i"), .text("\(proven)"), .integer(5)], [.text("i"), .text("unproven:web"), .integer(4_711)],
                [.text("i"), .text("unproven:ios"), .integer(1_000_000_000_000)],
            ])
        var text = PrometheusText()
        await StreamMetrics(of: collector.store, reasons: ["disk_limit"]).write(to: &text)
        let name = "daybook_stream_lost_records_total{reason=\"disk_limit\",proven="
        #expect(text.text.contains(name + "\"true\"} 5\n"))
        #expect(text.text.contains(name + "\"false\"} 1000000004711\n"))
        #expect(text.text.contains("daybook_stream_missing_records{proven=\"true\"} 0\n"))
    }

    /// Known reasons are counted, whatever a stranger calls its own.
    @Test("Invented loss reasons do not hide known ones") func inventedReasonsHideNone() async throws {
        await send(scopes((0, 2), [1, 2], proof: Sender.proof, lost: 5), key)
        for number in 0..<3 {
            var scope = Sender.scope(after: 0, through: 1, proof: String(repeating: "\(number)", count: 32))
            for reason in 0..<32 { scope.attributes["daybook.dropped.r\(number)_\(reason)"] = .int(.max) }
            await send([ScopeLogs(scope: scope, records: [Sender.record(1)])], otherKey)
        }
        var text = PrometheusText()
        await StreamMetrics(of: collector.store, reasons: ["disk_limit"]).write(to: &text)
        #expect(text.text.contains("{reason=\"disk_limit\",proven=\"true\"} 5\n"))
        #expect(text.text.split(separator: "\n").count { $0.hasPrefix("daybook_stream_lost") } <= 36)
    }

    // MARK: Names of others

    /// Every kind with every reserved tag of collector and runs, in each record format.
    @Test("Reserved tags sent by a device are marked as its claims") func renamesReservedTags() async throws {
        let tags =
            OwnRecords.tags + [
                "daybook", "daybook.", "daybook.anything.new", "run.start", "run.finish", "run.signoff", "signoff",
            ]
        var lines: [String] = []
        for (kind, tag) in Kind.allCases.flatMap({ kind in tags.map { (kind.rawValue, $0) } }) {
            lines.append(#"{"kind":"\#(kind)","tag":"\#(tag)","attributes":{"tester":"Aya","checklist":"A"}}"#)
            var record = LogRecord()
            record.attributes = ["daybook.kind": .string(kind), "daybook.tag": .string(tag)]
            var span = Span()
            span.attributes = record.attributes
            let logs = ExportLogsRequest(resources: [
                ResourceLogs(scopes: [ScopeLogs(scope: InstrumentationScope(name: tag), records: [record])])
            ])
            let traces = ExportTraceRequest(resources: [ResourceSpans(scopes: [ScopeSpans(spans: [span])])])
            for (path, body) in [("/v1/logs", logs.protobuf()), ("/v1/traces", traces.protobuf())] {
                let answer = await collector.post(path, body, type: "application/x-protobuf", key: key)
                #expect(answer.status == 200)
            }
        }
        let body = Array(lines.joined(separator: "\n").utf8)
        let answer = await collector.post("/v1/events", body, type: "application/x-ndjson", key: key)
        #expect(answer.text.contains("tag daybook.alert, stored as device.daybook.alert"))
        #expect(!answer.text.contains("tag daybook.ledger"))
        let rows = try await collector.rows()
        #expect(rows.count == 3 * lines.count)
        for row in rows {
            #expect(!row.isOwn, "\(row.tag)")
            #expect(row.kind != .run || row.tag.hasPrefix("device."), "\(row.tag)")
        }
    }

    @Test("Reserved tags are found in scope, event and span names") func findsTagInAnyName() async throws {
        var event = LogRecord()
        event.eventName = "daybook.keys.read"
        var span = Span()
        span.name = "daybook.alert"
        span.start = 1
        let logs = ExportLogsRequest(resources: [
            ResourceLogs(scopes: [
                ScopeLogs(scope: InstrumentationScope(name: "daybook.violation"), records: [event, LogRecord()])
            ])
        ])
        _ = await collector.post("/v1/logs", logs.protobuf(), type: "application/x-protobuf", key: key)
        let traces = ExportTraceRequest(resources: [ResourceSpans(scopes: [ScopeSpans(spans: [span])])])
        _ = await collector.post("/v1/traces", traces.protobuf(), type: "application/x-protobuf", key: key)
        #expect(
            try await collector.rows().map(\.tag).sorted()
                == ["device.daybook.alert", "device.daybook.keys.read", "device.daybook.violation"])
    }

    @Test("No device can send records as the collector") func noDevicePosesAsCollector() async throws {
        let lines = [
            #"{"tag":"a","context":{"service.name":"daybook","x":{"service.name":"daybook"}}}"#,
            #"{"tag":"a","context":{"service.name":"daybook"}}"#, #"{"tag":"a","context":{"service.name":"shop"}}"#,
        ]
        let answer = await collector.post(
            "/v1/events", Array(lines.joined(separator: "\n").utf8), type: "application/x-ndjson", key: key)
        #expect(answer.text.contains("service.name daybook, stored as device.daybook"))
        #expect(
            try await collector.rows().map(\.context) == [
                #"{"service.name":"device.daybook","x":{"service.name":"daybook"}}"#,
                #"{"service.name":"device.daybook"}"#, #"{"service.name":"shop"}"#,
            ])
    }
}
