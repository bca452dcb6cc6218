import Daybook
import DaybookBase
import DaybookHTTP
import DaybookOTLP
import DaybookRequests
import DaybookStore
import DaybookTrials
import Testing

@testable import DaybookCollector

@Suite struct IngestProtocolTests {
    private let collector: Collector
    private let logs = Sender.logs(after: 0, through: 2, 1...2)

    init() throws { collector = try Collector() }

    @Test("Stores Protobuf and answers in Protobuf") func answersInProtobuf() async throws {
        let response = await collector.post("/v1/logs", logs.protobuf(), type: "application/x-protobuf")
        #expect(response.status == 200)
        #expect(response.headers["content-type"] == "application/x-protobuf")
        #expect(try ExportResponse(protobuf: response.bytes) == ExportResponse())
        #expect(try await collector.rows().count == 2)
    }

    @Test("Stores JSON and answers in JSON") func answersInJSON() async throws {
        let response = await collector.post("/v1/logs", logs.json(), type: "application/json; charset=utf-8")
        #expect(response.status == 200)
        #expect(response.headers["content-type"] == "application/json")
        #expect(response.text == "{}")
        #expect(try await collector.rows().count == 2)
    }

    @Test("Inflates gzip bodies of either format") func inflatesAnyFormat() async throws {
        let body = try #require(Gzip.compress(logs.protobuf()))
        #expect(await collector.post("/v1/logs", body, type: "application/x-protobuf", encoding: "gzip").status == 200)
        let second = try #require(Gzip.compress(Sender.logs(after: 2, through: 3, 3...3).json()))
        #expect(await collector.post("/v1/logs", second, type: "application/json", encoding: "GZIP").status == 200)
        #expect(try await collector.rows().count == 3)
    }

    /// A sender without numbers is stored again and can be deduplicated in queries.
    @Test("An unnumbered batch sent again gets the same UIDs") func unnumberedBatchKeepsUIDs() async throws {
        var record = LogRecord()
        record.time = 7
        record.body = "equal"
        let request = ExportLogsRequest(resources: [ResourceLogs(scopes: [ScopeLogs(records: [record, record])])])
        for _ in 1...2 { await collector.send(request) }
        let uids = try await collector.rows().map(\.uid)
        #expect(uids.count == 4 && Set(uids).count == 2 && uids.prefix(2) == uids.suffix(2))
    }

    @Test("Refuses a compression bomb once it passes the limit") func refusesCompressionBomb() async throws {
        // 64 MiB of zeros in less than 1 MiB; inflation stops at 16 MiB.
        let bomb = try #require(Gzip.compress([UInt8](repeating: 0, count: 64 << 20)))
        #expect(bomb.count < BodyLimits().wire)
        let response = await collector.post("/v1/logs", bomb, type: "application/x-protobuf", encoding: "gzip")
        #expect(response.status == 413)
        #expect(try RPCStatus(protobuf: response.bytes).code == RPCStatus.Code.resourceExhausted.rawValue)
    }

    @Test("A malformed body is answered with 400 in its own format") func malformedBodyIs400() async throws {
        let protobuf = await collector.post("/v1/logs", [0x0A, 9, 1], type: "application/x-protobuf")
        #expect(protobuf.status == 400)
        #expect(protobuf.headers["content-type"] == "application/x-protobuf")
        let status = try RPCStatus(protobuf: protobuf.bytes)
        #expect(status.code == RPCStatus.Code.invalidArgument.rawValue)
        #expect(status.message.contains("byte 1"))
        let json = await collector.post("/v1/traces", Array("{".utf8), type: "application/json")
        #expect(json.status == 400)
        #expect(json.headers["content-type"] == "application/json")
        #expect(json.text.hasPrefix(#"{"code":3,"message":"Not valid JSON"#))
        let gzip = await collector.post("/v1/logs", [1, 2, 3], type: "application/json", encoding: "gzip")
        #expect(gzip.status == 400)
        #expect(try await collector.rows().isEmpty)
    }

    @Test("Checks method, path, type and encoding before the body") func checksHeadBeforeBody() {
        func status(_ method: String, _ path: String, _ headers: HTTPHeaders) -> Int? {
            switch collector.ingest.admit(HTTPRequest.Head(method: method, path: path, headers: headers)) {
            case .accept: nil
            case .refuse(let response): response.status
            }
        }
        let json: HTTPHeaders = ["content-type": "application/json"]
        #expect(status("POST", "/v1/logs", json) == nil)
        #expect(status("GET", "/v1/logs", json) == 405)
        #expect(status("POST", "/healthz", json) == 405)
        #expect(status("POST", "/v1/metrics", json) == 404)
        #expect(status("POST", "/v1/logs", [:]) == 415)
        #expect(status("POST", "/v1/logs", ["content-type": "text/plain"]) == 415)
        #expect(status("POST", "/v1/events", ["content-type": "application/x-protobuf"]) == 415)
        for encoding in ["br", "gzip, gzip", "gzip,deflate"] {
            let headers: HTTPHeaders = ["content-type": "application/json", "content-encoding": encoding]
            #expect(status("POST", "/v1/logs", headers) == 415, "\(encoding)")
        }
        #expect(
            status("POST", "/v1/logs", ["content-type": "application/json", "content-encoding": "identity"]) == nil)
    }

    /// With another charset declared, the bytes would mean something else.
    @Test("Rejects content type parameters that change the meaning") func refusesTypeParameters() {
        func answer(_ method: String, _ path: String, _ types: [String]) -> HTTPResponse? {
            var headers: HTTPHeaders = [:]
            for type in types { headers.add("Content-Type", type) }
            guard
                case .refuse(let response) = collector.ingest.admit(.init(method: method, path: path, headers: headers))
            else { return nil }
            return response
        }
        let routes = [
            ("/v1/logs", "application/json"), ("/v1/logs", "application/x-protobuf"),
            ("/v1/traces", "application/json"), ("/v1/events", "application/x-ndjson"),
        ]
        for (path, type) in routes {
            for charset in ["utf-16", "UTF-16LE", "shift_jis", "iso-8859-1", "\"utf-16\"", "utf-7"] {
                for parameters in [
                    "; charset=\(charset)", ";CHARSET = \(charset) ; x=y", "; x=\"a;b\"; charset=\(charset)",
                    "; charset=utf-8; charset=\(charset)", "; encoding=\(charset)",
                ] {
                    let response = answer("POST", path, [type + parameters])
                    let told = charset.lowercased().filter { $0 != "\"" }
                    #expect(response?.status == 415 && response?.text.contains("=\(told) ") == true, "\(parameters)")
                }
            }
            #expect(answer("POST", path, [type + "; encoding=delimited"])?.status == 415)
            #expect(answer("POST", path, [type + "; delimited=true"])?.status == 415)
            #expect(answer("POST", path, [type, "text/plain"])?.status == 415)
            for parameters in [
                "", ";", "; charset=utf-8", ";charset=\"UTF-8\"", "; Charset=utf8", "; charset=us-ascii", "; charset=",
                "; x=\"; charset=utf-16\"", "; profile=a; version=1",
            ] {
                #expect(answer("POST", path, [type + parameters]) == nil, "\(parameters)")
            }
            #expect(answer("POST", path, [type, type]) == nil)
        }
    }

    @Test("The default body limit is 4 MiB") func bodyLimitIsFourMebibytes() async {
        let head = HTTPRequest.Head(method: "POST", path: "/v1/logs", headers: ["content-type": "application/json"])
        guard case .accept(let limit) = collector.ingest.admit(head) else { Issue.record("refused"); return }
        #expect(limit == 4 << 20)
        let body = [UInt8](repeating: 0x20, count: limit + 1)
        #expect(await collector.ingest.respond(to: HTTPRequest(head: head, body: body)).status == 413)
    }

    @Test(
        "Accepts every content encoding and names the exceeded limit", arguments: ["gzip", "x-gzip", "deflate", "zstd"])
    func acceptsEveryEncoding(encoding: String)
        async throws
    {
        let ingest = IngestHandler(store: collector.store) {
            $0.limits = BodyLimits(wire: 2_000, inflated: 50_000)
        }
        func post(_ body: [UInt8]) async -> HTTPResponse {
            var headers: HTTPHeaders = ["content-type": "application/json"]
            headers["content-encoding"] = encoding
            let head = HTTPRequest.Head(method: "POST", path: "/v1/logs", headers: headers)
            return await ingest.respond(to: HTTPRequest(head: head, body: body))
        }
        func compressed(_ bytes: [UInt8]) -> [[UInt8]] {
            switch encoding {
            case "zstd": [zstandard(bytes)]
            case "deflate": [deflatedRaw(bytes), deflated(bytes, isGzip: false)]
            default: [deflated(bytes)]
            }
        }
        for body in compressed(logs.json()) { #expect(await post(body).status == 200) }
        for body in compressed(logs.json() + [UInt8](repeating: 0x20, count: 50_000)) {
            let response = await post(body)
            #expect(
                response.status == 413
                    && response.text.contains("50000 bytes, the collector's limit (decompressed-limit)"))
        }
        let large = await post([UInt8](repeating: 7, count: 2_001))
        #expect(large.status == 413 && large.text.contains("2000 bytes, the collector's limit (body-limit)"))
    }

    @Test("Declines metrics and explains where they belong") func declinesMetrics() async throws {
        let head = HTTPRequest.Head(
            method: "POST", path: "/v1/metrics", headers: ["content-type": "application/x-protobuf"])
        let response = await collector.ingest.respond(to: HTTPRequest(head: head, body: [1]))
        #expect(response.status == 404)
        #expect(response.text.contains("no metrics") && response.text.contains("OTEL_METRICS_EXPORTER=none"))
        // UNIMPLEMENTED.
        #expect(response.text.hasPrefix(#"{"code":12,"#))
    }

    @Test("A wrong method is answered with the allowed one") func namesAllowedMethod() async {
        let head = HTTPRequest.Head(method: "PUT", path: "/v1/traces")
        #expect(await collector.ingest.respond(to: HTTPRequest(head: head)).headers["allow"] == "POST")
    }

    @Test("A failing store is answered with 503 without details") func failedStoreIs503() async throws {
        let metrics = IngestMetrics()
        let ingest = IngestHandler(store: BrokenStore(), metrics: metrics) {
            $0.retryDelay = { 3 }
        }
        let head = HTTPRequest.Head(method: "POST", path: "/v1/logs", headers: ["content-type": "application/json"])
        let response = await ingest.respond(to: HTTPRequest(head: head, body: logs.json()))
        #expect(response.status == 503)
        #expect(response.headers["retry-after"] == "3")
        let health = await ingest.respond(to: HTTPRequest(head: .init(method: "GET", path: "/healthz")))
        #expect(health.status == 503)
        // Anyone may ask, so only the operator sees the cause.
        #expect(!response.text.contains("disk"))
        #expect(!health.text.contains("disk"))
        #expect(metrics.storeFailures.cause?.contains("the disk is full") == true)
    }

    /// They are stored unchanged.
    @Test("Counts records with implausible times") func countsImplausibleTimes() async throws {
        let now: Int64 = 1_795_000_000_000_000_000
        let day: Int64 = 86_400_000_000_000
        let (store, metrics) = (MemoryStore(), IngestMetrics())
        let ingest = IngestHandler(
            store: store, metrics: metrics, clock: PipelineClock(wall: { now }, monotonic: { 0 }))
        // Nanoseconds that cannot be mistaken for another unit.
        let times = [-now, now - 100 * day, now, now + day / 24, now + day, now + 2 * day, .max]
        let body = times.map { "{\"tag\":\"a.b\",\"time\":\($0)}" }.joined(separator: "\n")
        let head = HTTPRequest.Head(
            method: "POST", path: "/v1/events", headers: ["content-type": "application/x-ndjson"])
        #expect(await ingest.respond(to: HTTPRequest(head: head, body: Array(body.utf8))).status == 200)
        var query = RecordQuery()
        query.order = .oldestFirst
        #expect(try await store.page(query).map(\.row.time) == times)
        var text = PrometheusText()
        metrics.write(to: &text, load: IngestLoad())
        #expect(text.text.contains("\ndaybook_ingest_implausible_times_total 4\n"))
        // Other ways into the store count too, such as an import; known records do not.
        let other = metrics.watching(store)
        let rows = [now, 7, now + 3 * day].enumerated().map { number, time in
            var row = RecordRow(uid: "import-\(number)", time: time, kind: .event, level: 9, tag: "a.b")
            row.sequence = UInt64(number + 1)
            return row
        }
        for _ in 1...2 {
            let origin = RecordBatch.Origin(stream: "import", after: 0, through: 0)
            _ = try await other.append(RecordBatch(origin: origin, rows: rows, arrived: now))
        }
        text = PrometheusText()
        metrics.write(to: &text, load: IngestLoad())
        #expect(text.text.contains("\ndaybook_ingest_implausible_times_total 6\n"))
    }

    /// One state for the last append by the API, the collector's own log or a sender.
    @Test("Health follows the last append, whoever made it") func healthFollowsLastAppend() async throws {
        let metrics = IngestMetrics()
        let good = IngestHandler(store: MemoryStore(), metrics: metrics)
        let bad = IngestHandler(store: BrokenStore(), metrics: metrics)
        let health = { await good.respond(to: HTTPRequest(head: .init(method: "GET", path: "/healthz"))).status }
        let head = HTTPRequest.Head(
            method: "POST", path: "/v1/events", headers: ["content-type": "application/x-ndjson"])
        let request = HTTPRequest(head: head, body: Array(#"{"tag":"a.b"}"#.utf8))
        func log(_ store: any EventStore) async {
            let log = OwnLog(store: metrics.watching(store), version: "1") { _ in }
            log.event("daybook.test", .error, "A test")
            await log.close()
        }
        let batch = RecordBatch(rows: [RecordRow(uid: "u", time: 1, kind: .run, level: 9, tag: "daybook.run")])
        let writers: [(any EventStore) async -> Void] = [
            { _ = try? await metrics.watching($0).append(batch) }, log,
            { _ = await ($0 is BrokenStore ? bad : good).respond(to: request) },
        ]
        for (place, writer) in writers.enumerated() {
            for other in writers {
                await writer(BrokenStore())
                #expect(await health() == 503, "\(place)")
                #expect(metrics.storeFailures.isLasting)
                await other(MemoryStore())
                #expect(await health() == 200, "\(place)")
            }
        }
        // A rejected batch is no store failure.
        #expect(metrics.storeFailures.count == 9)
    }

    @Test("A write failure makes health fail until it expires or a write succeeds") func failedWriteIsUnhealthy()
        async throws
    {
        let time = Atomic<UInt64>(1)
        let metrics = IngestMetrics()
        let ingest = IngestHandler(
            store: MemoryStore(), metrics: metrics,
            clock: PipelineClock(wall: { 0 }, monotonic: { time.load(ordering: .relaxed) }))
        let health = { await ingest.respond(to: HTTPRequest(head: .init(method: "GET", path: "/healthz"))).status }
        #expect(await health() == 200)
        metrics.noteStoreFailure("the disk is full", at: 1)
        #expect(await health() == 503)
        // Otherwise a collector that gets no traffic for being unhealthy would never recover.
        time.store(30_000_000_001, ordering: .relaxed)
        #expect(await health() == 200)
        metrics.noteStoreFailure("the disk is full", at: 30_000_000_001)
        #expect(await health() == 503)
        metrics.noteStored()
        #expect(await health() == 200)
    }

    @Test("A store that has not answered yet stays healthy for a while") func slowStoreStaysHealthy() async throws {
        let time = Atomic<UInt64>(1)
        let (answers, end) = AsyncStream.makeStream(of: Void.self)
        let ingest = IngestHandler(
            store: BrokenStore(answers: answers),
            clock: PipelineClock(wall: { 0 }, monotonic: { time.load(ordering: .relaxed) })
        ) {
            $0.patience = .zero
        }
        let health = { await ingest.respond(to: HTTPRequest(head: .init(method: "GET", path: "/healthz"))).status }
        #expect(await health() == 200)
        time.store(30_000_000_001, ordering: .relaxed)
        #expect(await health() == 503)
        time.store(2, ordering: .relaxed)
        #expect(await health() == 200)
        end.finish()
        try await eventually("it has answered") { await health() == 503 }
    }

    /// Readers of pages may hold all of a store's connections; health checks then neither block nor queue up.
    @Test("Health does not wait for a busy store but reports it if it lasts") func busyStoreTurnsUnhealthy()
        async throws
    {
        let time = Atomic<UInt64>(1)
        let asked = Atomic(0)
        let isBusy = Atomic(false)
        let (stream, end) = AsyncStream.makeStream(of: Void.self)
        let pulse = Measured(age: 0, patience: .milliseconds(1), now: { time.load(ordering: .relaxed) }) {
            asked.add(1, ordering: .relaxed)
            if isBusy.load(ordering: .relaxed) { for await _ in stream { break } }
            return asked.load(ordering: .relaxed)
        }
        try await eventually("the first measurement is over") { await pulse.answer().value != nil }
        isBusy.store(true, ordering: .relaxed)
        let before = asked.load(ordering: .relaxed)
        for _ in 0..<50 { #expect(await pulse.answer().value == before) }
        try await eventually("it is asked") { asked.load(ordering: .relaxed) > before }
        for _ in 0..<50 { #expect(await pulse.answer().value == before) }
        #expect(asked.load(ordering: .relaxed) == before + 1)
        time.store(31, ordering: .relaxed)
        #expect(await pulse.answer().unanswered == 30)
        isBusy.store(false, ordering: .relaxed)
        end.finish()
        try await eventually("it is measured again") {
            let answer = await pulse.answer()
            return answer.value.map { $0 > before } ?? false && answer.unanswered == 0
        }
    }

    @Test("The health check answers 200") func healthIsOK() async {
        let response = await collector.ingest.respond(to: HTTPRequest(head: .init(method: "GET", path: "/healthz")))
        #expect(response.status == 200)
        #expect(response.text == "ok\n")
    }

    @Test("Lines are stored all together or not at all") func linesAreAtomic() async throws {
        let good =
            "{\"tag\":\"a.b\",\"attributes\":{\"n\":1}}\r\n\n{\"tag\":\"a.c\",\"kind\":\"message\",\"message\":\"m\"}"
        let response = await collector.post("/v1/events", Array(good.utf8), type: "application/x-ndjson")
        #expect(response.status == 200)
        #expect(response.text == #"{"stored":2,"duplicates":0}"#)
        let rows = try await collector.rows()
        #expect(rows.map(\.tag) == ["a.b", "a.c"])
        #expect(rows.map(\.time) == [4_200, 4_200])
        let bad = await collector.post("/v1/events", Array((good + "\n{}").utf8), type: "application/x-ndjson")
        #expect(bad.status == 400)
        #expect(bad.text.contains("Line 4"))
        #expect(try await collector.rows().count == 2)
    }
}

/// A store on a full disk.
private struct BrokenStore: EventStore {
    private let error = StoreError(.storage, "the disk is full")
    /// What `head` waits for.
    var answers: AsyncStream<Void>?

    func append(_ batch: RecordBatch) async throws(AppendError) -> AppendResult { throw .failed(error) }
    func slice(_ query: RecordQuery) async throws -> RecordSlice { throw error }
    func slice(_ query: TimeQuery) async throws -> TimeSlice { throw error }
    func head() async throws -> Int64 {
        if let answers { for await _ in answers { break } }
        throw error
    }
    func timeBounds(within times: Range<Int64>?) async throws -> ClosedRange<Int64>? { throw error }
    func histogram(_ query: HistogramQuery) async throws -> Histogram { throw error }
    func facets(_ query: FacetQuery) async throws -> Facets { throw error }
    func sessions(_ query: SessionQuery) async throws -> [SessionSummary] { throw error }
    func tagSummaries(after position: TagPosition?) async throws -> TagPage { throw error }
    func ledger(_ query: LedgerQuery) async throws -> LedgerPage { throw error }
    func erase(_ filter: RecordFilter) async throws -> Int64 { throw error }
    var dialect: StoreDialect? { nil }
    func createViews(_ views: [StoreView]) async throws { throw error }
    func query(_ sql: String, limits: QueryLimits) async throws -> QueryResult { throw error }
}
