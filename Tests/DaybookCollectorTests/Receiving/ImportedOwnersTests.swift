import DaybookBase
import DaybookHTTP
import DaybookOTLP
import DaybookRequests
import DaybookStore
import DaybookTools
import DaybookTrials
import Testing

@testable import DaybookCollector

/// Records that many senders sent to one stream name, exported from one store and imported into another: none hides
/// another's.
@Suite struct ImportedOwnersTests {
    /// A possible sender.
    private struct Party: Hashable {
        var key: String
        var proof: String?
        var isText = false

        /// The name in its records.
        var name: String { "\(key) \(proof ?? "-") \(isText)" }
    }

    private let keys: [String: APIKey]
    private let ring: KeyRing

    init() {
        let made = ["ios", "web"].map { (name: $0, key: makeKey($0)) }
        keys = Dictionary(uniqueKeysWithValues: made.map { ($0.name, $0.key.0) })
        ring = KeyRing(made.map(\.key.1))
    }

    /// All have sent numbers 1 to 6 of one stream with equal times and tags: owners with and without a proof, and one
    /// that writes the UIDs and the owner's name as plain text.
    private static let parties: [Party] = [
        Party(key: "ios", proof: Sender.proof), Party(key: "ios", proof: String(repeating: "f", count: 32)),
        Party(key: "ios"), Party(key: "web"), Party(key: "web", isText: true),
    ]

    private func send(_ party: Party, _ numbers: ClosedRange<Int64>, to collector: Collector) async {
        let key = keys[party.key]
        guard !party.isText else {
            let digest = String(Hex.text(SHA256Digest.of(Array(Sender.proof.utf8))).prefix(32))
            let lines = numbers.map { number in
                #"{"uid":"\#(Sender.stream)-\#(number)","seq":\#(number),"time":\#(number),"tag":"recipe.show","message":"\#(party.name)","context":{"daybook.owner":"proof:\#(digest)"}}"#
            }
            let answer = await collector.post(
                "/v1/events", Array(lines.joined(separator: "\n").utf8), type: "application/x-ndjson", key: key)
            #expect(answer.status == 200 && answer.text.contains("daybook.owner, stored as device.daybook.owner"))
            return
        }
        var scope = Sender.scope(after: numbers.lowerBound - 1, through: numbers.upperBound, proof: party.proof)
        scope.attributes["daybook.output"] = "otlp"
        let records = numbers.map { number in
            var record = Sender.record(number)
            record.body = .string(party.name)
            return record
        }
        var resource = ResourceLogs(scopes: [ScopeLogs(scope: scope, records: records)])
        resource.resource["daybook.owner"] = "proof:0"
        let answer = await collector.post(
            "/v1/logs", ExportLogsRequest(resources: [resource]).protobuf(), type: "application/x-protobuf", key: key)
        #expect(answer.status == 200)
    }

    private func export(_ collector: Collector) async throws -> [String] {
        var query = RecordQuery()
        query.order = .oldestFirst
        return try await collector.store.page(query).map { RecordLine.text($0) }
    }

    /// - Parameter file: `nil` for a pipe, which can be read only once.
    private func take(_ lines: [String], file: String?, into collector: Collector) async throws -> AppendResult {
        var batches = ImportBatches()
        for (place, line) in lines.enumerated() {
            let row = try RecordLine.row(line.utf8, defaults: .init(time: 0, position: place + 1))
            #expect(batches.add(row, file: file, position: place + 1).isEmpty)
        }
        var total = AppendResult(stored: 0, duplicates: 0)
        for batch in batches.rest {
            let part = try await collector.store.append(batch)
            total.stored += part.stored
            total.duplicates += part.duplicates
        }
        return total
    }

    private func names(_ collector: Collector) async throws -> [String] {
        try await collector.rows().map { "\($0.uid) \($0.message ?? "")" }.sorted()
    }

    @Test("An import never hides records of their owner", arguments: 1...10 as ClosedRange<UInt64>)
    func importHidesNoRecords(seed: UInt64) async throws {
        var source = SeededGenerator(seed: seed)
        let first = try Collector(keys: ring)
        var sent: Set<String> = []
        func expect(_ party: Party, _ numbers: ClosedRange<Int64>) {
            for number in numbers { sent.insert("\(Sender.stream)-\(number) \(party.name)") }
        }
        for party in Self.parties.shuffled(using: &source) where Int.random(in: 0...4, using: &source) > 0 {
            let numbers = 1...Int64.random(in: 1...6, using: &source)
            await send(party, numbers, to: first)
            expect(party, numbers)
        }
        let lines = try await export(first).shuffled(using: &source)
        #expect(lines.count == sent.count)
        let file = Bool.random(using: &source) ? String(repeating: "a", count: 48) : nil
        // Into its own store, and twice into another.
        #expect(try await take(lines, file: file, into: first).stored == 0)
        let other = try Collector(keys: ring)
        #expect(try await take(lines, file: file, into: other).stored == lines.count)
        #expect(try await take(lines, file: file, into: other).stored == 0)
        #expect(try await names(other) == sent.sorted())
        // Later deliveries arrive, whoever did the import.
        for collector in [first, other] {
            for party in Self.parties.filter({ !$0.isText }).shuffled(using: &source) {
                await send(party, 1...8, to: collector)
                expect(party, 1...8)
            }
            #expect(try await names(collector) == sent.sorted())
        }
        // An import's gaps are not its owner's.
        let missing = try await other.store.query(
            "SELECT sum(missing) FROM completeness WHERE owner LIKE 'proof:%'", limits: QueryLimits())
        #expect(missing.rows == [[.integer(0)]])
    }

    @Test("An export of an earlier version settles no stream") func oldExportSettlesNothing() async throws {
        let collector = try Collector(keys: ring)
        let lines = (1...5).map { #"{"uid":"\#(Sender.stream)-\#($0)","seq":\#($0),"time":\#($0),"tag":"old"}"# }
        #expect(try await take(lines, file: String(repeating: "b", count: 48), into: collector).stored == 5)
        for party in Self.parties where !party.isText {
            await send(party, 1...5, to: collector)
            #expect(try await names(collector).count { $0.hasSuffix(party.name) } == 5)
        }
        #expect(try await take(lines, file: nil, into: collector).stored == 0)
    }

    @Test("A record with a UID of another stream has no owner") func foreignUIDHasNoOwner() async throws {
        let collector = try Collector(keys: ring)
        var foreign = Sender.record(3)
        foreign.attributes["log.record.uid"] = .string(String(repeating: "9", count: 48) + "-3")
        let request = ExportLogsRequest(resources: [
            ResourceLogs(scopes: [
                ScopeLogs(scope: Sender.scope(after: 0, through: 1), records: [Sender.record(1), foreign])
            ])
        ])
        _ = await collector.post(
            "/v1/logs", request.protobuf(), type: "application/x-protobuf", key: keys["ios"])
        #expect(try await collector.rows().map { ContextFields($0.context).owner != nil } == [true, false])
    }
}
