import Daybook
import DaybookBase
import DaybookHTTP
import DaybookOTLP
import DaybookStore
import Foundation
import Testing

@testable import DaybookCollector

@Suite(.timeLimit(.minutes(5))) struct AdmissionTests {
    private func head(_ key: String?, path: String = "/v1/events", length: Int? = nil) -> HTTPRequest.Head {
        var headers: HTTPHeaders = ["content-type": path == "/v1/events" ? "application/x-ndjson" : "application/json"]
        headers["authorization"] = key.map { "Bearer \($0)" }
        headers["content-length"] = length.map(String.init)
        return HTTPRequest.Head(method: "POST", path: path, headers: headers)
    }

    private func refusal(_ admission: HTTPAdmission) -> HTTPResponse? {
        if case .refuse(let response) = admission { response } else { nil }
    }

    @Test("Reads nothing without a valid key") func requiresKey() async throws {
        let (key, stored) = makeKey("ios")
        let collector = try Collector()
        let ingest = IngestHandler(store: collector.store, keys: KeyRing([stored]))
        let missing = try #require(refusal(ingest.admit(head(nil, path: "/v1/logs"))))
        #expect(missing.status == 401)
        #expect(missing.headers["www-authenticate"]?.hasPrefix("Bearer") == true)
        #expect(missing.text.contains("\"code\":16"))
        #expect(refusal(ingest.admit(head("dbk_00000000_00")))?.status == 401)
        #expect(refusal(ingest.admit(head(key.text))) == nil)
        // A transport that skips admission still needs a key.
        let body = Array("{\"tag\":\"a.b\"}".utf8)
        #expect(await ingest.respond(to: HTTPRequest(head: head(nil), body: body)).status == 401)
        #expect(try await collector.rows().isEmpty)
        #expect(await ingest.respond(to: HTTPRequest(head: head(key.text), body: body)).status == 200)
    }

    @Test("A metrics key cannot send records") func metricsKeyCannotSend() throws {
        let (key, stored) = makeKey("prometheus", purpose: .metrics)
        let ingest = IngestHandler(store: try Collector().store, keys: KeyRing([stored]))
        #expect(refusal(ingest.admit(head(key.text)))?.status == 403)
    }

    @Test("Exceeding the request quota gives 429 until the wait is over") func requestQuotaRecovers() throws {
        let time = Mutex<UInt64>(0)
        let (key, stored) = makeKey("ios", quota: .init(requestsPerMinute: 2))
        let (other, otherStored) = makeKey("android")
        let ingest = IngestHandler(
            store: try Collector().store, keys: KeyRing([stored, otherStored]),
            clock: .init(wall: { 0 }, monotonic: { time.withLock { $0 } })
        ) {
            $0.retryDelay = { 3 }
        }
        #expect(refusal(ingest.admit(head(key.text))) == nil)
        #expect(refusal(ingest.admit(head(key.text))) == nil)
        let response = try #require(refusal(ingest.admit(head(key.text))))
        #expect(response.status == 429)
        #expect(response.headers["retry-after"] == "33")
        #expect(refusal(ingest.admit(head(other.text))) == nil)
        time.withLock { $0 = 31_000_000_000 }
        #expect(refusal(ingest.admit(head(key.text))) == nil)
    }

    @Test("Exceeding the byte quota delays the next request") func byteQuotaIsDebt() async throws {
        let (key, stored) = makeKey("ios", quota: .init(bytesPerMinute: 100))
        // Freeing it deletes its folder, and a store without its file takes no records.
        let collector = try Collector()
        defer { withExtendedLifetime(collector) {} }
        let ingest = IngestHandler(
            store: collector.store, keys: KeyRing([stored]), clock: .init(wall: { 0 }, monotonic: { 0 })
        ) {
            $0.retryDelay = { 1 }
        }
        let line = "{\"tag\":\"a.b\",\"message\":\"\(String(repeating: "x", count: 200))\"}"
        #expect(refusal(ingest.admit(head(key.text))) == nil)
        #expect(await ingest.respond(to: .init(head: head(key.text), body: Array(line.utf8))).status == 200)
        #expect(refusal(ingest.admit(head(key.text)))?.status == 429)
    }

    @Test("The byte quota counts inflated bytes") func quotaCountsInflatedBytes() async throws {
        let (key, stored) = makeKey("ios", quota: .init(bytesPerMinute: 10_000))
        let collector = try Collector()
        defer { withExtendedLifetime(collector) {} }
        let ingest = IngestHandler(
            store: collector.store, keys: KeyRing([stored]), clock: .init(wall: { 0 }, monotonic: { 0 })
        ) {
            $0.retryDelay = { 1 }
        }
        let line = "{\"tag\":\"a.b\",\"message\":\"\(String(repeating: "x", count: 20_000))\"}"
        var head = head(key.text)
        head.headers["content-encoding"] = "gzip"
        let body = try #require(Gzip.compress(Array(line.utf8)))
        #expect(body.count < 1_000)
        #expect(refusal(ingest.admit(head)) == nil)
        #expect(await ingest.respond(to: .init(head: head, body: body)).status == 200)
        // 10,030 bytes too many, at 10,000 a minute.
        let wait = try #require(refusal(ingest.admit(head))?.headers["retry-after"].flatMap { Int($0) })
        #expect((61...63).contains(wait))
    }

    @Test("The default record quota applies to keys without one, counted by name") func defaultRecordQuota()
        async throws
    {
        let (key, stored) = makeKey("ios")
        let (other, otherStored) = makeKey("android", quota: .init(recordsPerMinute: 100))
        let metrics = IngestMetrics()
        let ring = KeyRing([stored, otherStored], quota: .init(recordsPerMinute: 2))
        let collector = try Collector()
        defer { withExtendedLifetime(collector) {} }
        let ingest = IngestHandler(
            store: collector.store, keys: ring, metrics: metrics, clock: .init(wall: { 0 }, monotonic: { 0 })
        ) {
            $0.retryDelay = { 1 }
        }
        let lines = Array(String(repeating: "{\"tag\":\"a.b\"}\n", count: 5).utf8)
        for key in [key, other] {
            #expect(refusal(ingest.admit(head(key.text))) == nil)
            #expect(await ingest.respond(to: .init(head: head(key.text), body: lines)).status == 200)
        }
        let response = try #require(refusal(ingest.admit(head(key.text))))
        // 3 too many and one to come, at 2 a minute.
        #expect(response.status == 429 && response.headers["retry-after"] == "121")
        #expect(refusal(ingest.admit(head(other.text))) == nil)
        var text = PrometheusText()
        metrics.write(to: &text, load: IngestLoad())
        for line in [
            "daybook_key_requests_total{key=\"ios\"} 1", "daybook_key_records_total{key=\"ios\"} 5",
            "daybook_key_bytes_total{key=\"ios\"} \(lines.count)", "daybook_key_refused_total{key=\"ios\"} 1",
            "daybook_key_records_total{key=\"android\"} 5", "daybook_key_refused_total{key=\"android\"} 0",
        ] { #expect(text.text.contains("\n\(line)\n"), "\(line)") }
        #expect(!text.text.contains(key.text) && !text.text.contains(key.id))
    }

    @Test("At the store's quota, requests are refused until there is room") func fullStoreRefusesRequests() async throws
    {
        let collector = try Collector()
        let quota = StoreQuota(limit: try #require(await collector.store.size()) + (64 << 10))
        let metrics = IngestMetrics()
        let ingest = IngestHandler(store: collector.store, metrics: metrics) {
            $0.quota = quota
            $0.retryDelay = { 3 }
        }
        let before = PrometheusText.of(metrics)
        let head = head(nil)
        let line = Array("{\"tag\":\"a.b\",\"message\":\"\(String(repeating: "x", count: 128 << 10))\"}".utf8)
        #expect(await quota.measure(collector.store) == nil)
        #expect(refusal(ingest.admit(head)) == nil)
        #expect(await ingest.respond(to: .init(head: head, body: line)).status == 200)
        #expect(await quota.measure(collector.store) == true)
        let response = try #require(refusal(ingest.admit(head)))
        #expect(response.status == 429 && response.headers["retry-after"] == "58")
        #expect(response.text.contains("quota of \(quota.limit) bytes"))
        // A restart would not help, so the collector stays healthy and its metrics tell.
        #expect(await ingest.respond(to: .init(head: .init(method: "GET", path: "/healthz"))).status == 200)
        let after = PrometheusText.of(metrics)
        for (text, count) in [(before, 0), (after, 1)] {
            let sample = "{route=\"/v1/events\",status=\"429\",reason=\"store_quota\"} \(count)\n"
            #expect(text.contains("\ndaybook_ingest_requests_total\(sample)"))
        }
        var filter = RecordFilter()
        filter.narrow(by: .tag("a.b"))
        #expect(try await collector.store.erase(filter) == 1)
        // Space freed by erasing counts as room, though the file is as large as before.
        #expect(await quota.measure(collector.store) == false)
        #expect(refusal(ingest.admit(head)) == nil)
    }

    @Test("A batch that repeats too much context is answered with 413") func contextOverflowIs413() async throws {
        let context = "{\"a\":\"\(String(repeating: "x", count: 128 << 10))\"}"
        let shared = RecordRow(uid: "u", time: 0, kind: .event, level: 9, tag: "a.b", context: context)
        try RecordBatch(rows: .init(repeating: shared, count: 256)).checkRepeatedContexts()
        // Contexts that are not repeated are taken as sent.
        let rows = (0..<512).map { $0 % 2 == 0 ? shared : row("a.b") }
        try RecordBatch(rows: rows).checkRepeatedContexts()
        let store = AppendingStore { _ in
            try RecordBatch(rows: .init(repeating: shared, count: 512)).checkRepeatedContexts()
            return AppendResult(stored: 1, duplicates: 0)
        }
        let metrics = IngestMetrics()
        let ingest = IngestHandler(store: store, metrics: metrics)
        let line = HTTPRequest(head: head(nil), body: Array("{\"tag\":\"a.b\"}".utf8))
        #expect(await ingest.respond(to: line).status == 413)
        #expect(metrics.storeFailures.count == 0)
    }

    @Test("Refuses an oversized announced body in the protocol's own format") func refusesAnnouncedSize() throws {
        let ingest = try Collector().ingest
        let response = try #require(refusal(ingest.admit(head(nil, path: "/v1/logs", length: (4 << 20) + 1))))
        #expect(response.status == 413)
        #expect(response.text.contains("\"code\":8"))
    }

    @Test("Overload is answered with 503 until work finishes") func overloadIs503() async throws {
        let gate = Gate()
        let store = AppendingStore { batch in
            await gate.pass()
            return AppendResult(stored: batch.rows.count, duplicates: 0)
        }
        let load = IngestLoad(limit: 10)
        let ingest = IngestHandler(store: store, load: load) {
            $0.retryDelay = { 2 }
        }
        let body = Array("{\"tag\":\"a.b\"}".utf8)
        let head = head(nil)
        async let first = ingest.respond(to: HTTPRequest(head: head, body: body))
        await gate.entered()
        #expect(load.current == body.count)
        let refused = try #require(refusal(ingest.admit(head)))
        #expect(refused.status == 503)
        #expect(refused.headers["retry-after"] == "2")
        // Admitted before the overload.
        #expect(await ingest.respond(to: HTTPRequest(head: head, body: body)).status == 503)
        gate.open()
        #expect(await first.status == 200)
        #expect(load.current == 0)
        #expect(refusal(ingest.admit(head)) == nil)
    }

    @Test("An unstorable batch gives partial success and the rest is stored") func storesRestOfBadBatch() async throws {
        let store = AppendingStore { batch in
            if batch.origin?.stream == "unproven:/bad" { throw AppendError.rejected(.sequences(stream: "bad")) }
            return AppendResult(stored: batch.rows.count, duplicates: 0)
        }
        let admission = SenderRights(key: nil).admit(
            [
                RecordBatch(origin: .init(stream: "bad", after: 0, through: 1), rows: [row("a")]),
                RecordBatch(origin: .init(stream: "good", after: 0, through: 1), rows: [row("b")]),
                RecordBatch(rows: [row("c")]),
            ], noting: StreamOwners())
        let outcome = try await IngestOutcome.storing(admission.batches, in: IngestStore(store))
        #expect((outcome.stored, outcome.rejected) == (2, 1))
        #expect(outcome.reason.contains("exceed"))
    }

    @Test("Rejected records are reported in every response format") func reportsRejections() async throws {
        let flaw = BatchFlaw.sequences(stream: "\"s\"")
        let store = AppendingStore { batch in
            if batch.origin != nil { throw AppendError.rejected(flaw) }
            return AppendResult(stored: 2, duplicates: 1)
        }
        let admission = SenderRights(key: nil).admit(
            [
                RecordBatch(origin: .init(stream: "s", after: 0, through: 3), rows: ["a", "b", "c"].map(row)),
                RecordBatch(rows: [row("d")]),
            ], noting: StreamOwners())
        let outcome = try await IngestOutcome.storing(admission.batches, in: IngestStore(store))
        func answer(_ route: IngestRoute, _ format: IngestFormat) -> HTTPResponse {
            IngestRequest(route: route, format: format).success(outcome)
        }
        let lines = answer(.events, .lines)
        #expect(lines.status == 200 && lines.headers["content-type"] == "application/json")
        #expect(
            lines.text
                == #"{"stored":2,"duplicates":1,"rejected":3,"message":"\#(flaw.description.replacing("\"", with: "\\\""))"}"#
        )
        let json = try ExportResponse(json: Array(answer(.logs, .json).text.utf8), .logs)
        #expect(json.rejected == 3 && json.message == outcome.reason)
    }

    private func row(_ tag: String) -> RecordRow { RecordRow(uid: tag, time: 0, kind: .event, level: 9, tag: tag) }
}

/// Opens once; appends wait for it.
private final class Gate: Sendable {
    private let (waiting, arrive) = AsyncStream.makeStream(of: Void.self)
    private let (gate, release) = AsyncStream.makeStream(of: Void.self)

    func entered() async { for await _ in waiting { return } }
    func open() { release.finish() }

    func pass() async {
        arrive.yield()
        for await _ in gate {}
    }
}

extension PrometheusText {
    fileprivate static func of(_ metrics: IngestMetrics) -> String {
        var text = PrometheusText()
        metrics.write(to: &text, load: IngestLoad())
        return text.text
    }
}
