import Daybook
import DaybookCollector
import DaybookOTLP
import DaybookRequests
import DaybookStore
import DaybookTools
import Testing

/// Names that a collector derives from content reveal nothing of it.
struct DigestTests {
    /// Sends a private value by each kind of sender.
    private static func send(_ mail: String, to collector: Collector) async {
        var record = LogRecord()
        record.time = 7
        record.attributes = ["mail": .string(mail), "amount": .int(5)]
        record.eventName = "shop.pay"
        var span = Span()
        span.name = "pay"
        span.attributes = ["mail": .string(mail)]
        await collector.send(
            ExportLogsRequest(resources: [ResourceLogs(scopes: [ScopeLogs(records: [record, record])])]))
        await collector.send(ExportTraceRequest(resources: [ResourceSpans(scopes: [ScopeSpans(spans: [span])])]))
        let line = #"{"tag":"shop.pay","attributes":{"mail":"\#(mail)"}}"#
        let status = await collector.post("/v1/events", Array("\(line)\n\(line)".utf8), type: "application/x-ndjson")
        #expect(status.status == 200)
    }

    @Test("Derived UIDs are stable within a store and differ between stores") func digestsDifferByStore() async throws {
        let (one, other) = (try Collector(), try Collector())
        for collector in [one, one, other] { await Self.send("ann@a.example", to: collector) }
        let (first, second) = (try await one.rows().map(\.uid), try await other.rows().map(\.uid))
        #expect(first.count == 10 && second.count == 5)
        #expect(Array(first[..<5]) == Array(first[5...]))
        #expect(Set(first).isDisjoint(with: second))
        #expect(Set(first).count == 5)
        let again = try SQLiteStore(path: one.path)
        var row = RecordRow(uid: "digest", time: 1, kind: .event, level: 9, tag: "a")
        row.isDigest = true
        #expect(row.named(by: again.key).uid == row.named(by: one.store.key).uid)
        #expect(row.named(by: again.key).uid != row.named(by: other.store.key).uid)
        await again.close()
    }
}
