import DaybookBase
import DaybookDatabases
import DaybookStore
import DaybookTesting
import DaybookTrials
import Foundation

/// Times the inspector page's queries of a long history, through the API of a real `daybook serve`, warm: alone, and
/// beside a client that sends 20,000 records a second.
///
/// The time to the first answer counts: a whole page, or a partial result with its progress.
struct HistoryReading {
    let daybook: String
    let rows: Int
    /// `sqlite`, `postgresql` or `clickhouse`.
    let kind: String

    /// How often each query is repeated, after one warm-up.
    private static let rounds = 7

    func run() async throws {
        switch kind {
        case "postgresql":
            guard PostgreSQLServer.tools != nil else {
                return print("PostgreSQL: skipped, for \(PostgreSQLServer.absence)")
            }
            let server = try PostgreSQLServer()
            defer { server.remove() }
            let address = try server.makeDatabase()
            try await fill(PostgreSQLStore(address: address))
            try ask(address)
        case "clickhouse":
            // Current ClickHouse: servers before 2021 have no insights.
            guard ClickHouseOfToday.python != nil else {
                return print("ClickHouse: skipped, for \(ClickHouseOfToday.absence)")
            }
            let server = try ClickHouseOfToday()
            defer { server.remove() }
            let address = try server.makeDatabase()
            try await fill(ClickHouseStore(address: address))
            try ask(address)
        default:
            let folder = try TemporaryDirectory()
            defer { folder.remove() }
            let store = try SQLiteStore(path: folder.path + "/history.sqlite")
            try await fill(store)
            let before = ContinuousClock.now
            await store.settleIndex()
            print("its index was done \(Int((ContinuousClock.now - before).inSeconds)) s later")
            try ask("sqlite:\(folder.path)/history.sqlite")
        }
    }

    private func ask(_ address: String) throws {
        let collector = try RunningCollector(daybook, store: address)
        defer { collector.stop() }
        let client = try CollectorSocket(port: collector.port)
        print("insights, each once:")
        for insight in Self.insights { try ask(insight, client, collector.token) }
        print("through the API, alone: median of \(Self.rounds), least and most")
        for question in questions { try ask(question, client, collector.token) }
        print("the same beside a client that sends:")
        let sender = try PacedSender(port: collector.port, batchesPerSecond: 40)
        for question in questions { try ask(question, client, collector.token) }
        print("it sent \(try sender.stop()) records a second; memory at most \(try collector.usage().peakMegabytes) MB")
    }

    private func fill(_ store: any EventStore) async throws {
        var sample = SampleRows()
        var time = Duration.zero
        for _ in stride(from: 0, to: rows, by: 4_096) {
            let batch = RecordBatch(rows: (0..<4_096).map { _ in sample.row() })
            let before = ContinuousClock.now
            try await store.append(batch)
            time += ContinuousClock.now - before
        }
        print("\(kind), \(rows) rows: appended at \(Int(Double(rows) / time.inSeconds)) rows/s")
    }

    /// By session, by parameter, by version and day, by tests, of most records, of all of them.
    private static let insights = [
        "category0.event_name_3 -> category1.event_name_8 -> category2.event_name_17 within 1h",
        "category0.event_name_3 -> category1.event_name_8 -> category2.event_name_17 within 1h joining user_id",
        "category0.event_name_3 -> category1.event_name_8 within 1h by version, day",
        "category0.event_name_3(keyword = \"carrot\") -> category1.event_name_8(recipe_id > 100) within 1h",
        "category0.** -> category1.** -> category2.** within 1h",
        "retention category0.event_name_3 returning category1.event_name_8 for 8",
        "path after category1.event_name_8 steps 2 within 10m",
    ]

    private func ask(_ insight: String, _ client: CollectorSocket, _ token: String) throws {
        let text = insight.replacing("\"", with: "\\\"")
        do {
            var body = try client.post("insights", "{\"insight\":\"\(text)\"}", token: token)
            while let job = InsightJob(body), job.running {
                Thread.sleep(forTimeInterval: 0.05)
                body = try client.get("/api/v1/insights/\(job.id)", token: token)
            }
            let answer = InsightJob(body).map { "\($0.milliseconds) ms" }
            print("  \(insight): \(answer ?? String(decoding: body, as: UTF8.self))")
        } catch let failure as CollectorSocket.Failure {
            // The API's message, such as that the limit was met.
            print("  \(insight): \(failure)")
        }
    }

    private var questions: [(name: String, path: String)] {
        func encoded(_ filter: String) -> String {
            "filter=" + (filter.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? filter)
        }
        func records(_ name: String, _ filter: String) -> (String, String) {
            (name, "records?limit=50&\(encoded(filter))")
        }
        let texts = [
            "needle", "東京特許", "許可証", "特許許", "許可", "局", "肉じゃが", "肉じゃ", "献立", "卵", "無い", "x", "\"absent text\"",
            "ffff", "7312", "salt", "recipecarrot",
        ]
        let filters = [
            "keyword=carrot", "keyword!=carrot", "keyword=carrot,timeout recipe_id>100",
            "recipe_id:100..120 -keyword=recipe",
            "keyword=absent", "has:recipe_id level>=error", "user_id=100",
            "(keyword=carrot OR recipe_id=7) version=8.0.0",
        ]
        let minute = 1_763_000_000_000_000_000 + Int64(rows / 2) * 250_000_000
        var questions = [("newest page", "records?limit=50"), ("oldest page", "records?limit=50&order=oldest")]
        questions += texts.map { records("text “\($0)”", $0) }
        questions += filters.map { records("filter \($0)", $0) }
        questions += [
            records("tag", "tag=category4.event_name_38"), records("tag pattern", "tag=category4.**"),
            records("errors", "level=error"), records("spans, of which there are none", "kind=span"),
            records("one session", "session=session-\(rows / 600)"), records("absent session", "session=none"),
            records("installation and text", "installation=installation-7 卵焼き"),
            records("version", "version=8.0.0"),
            ("a minute of time", "records?limit=50&since=\(minute)&until=\(minute + 60_000_000_000)"),
            records("all but two tags", "-tag=category0.event_name_0 -tag=category0.event_name_1"),
            ("count of errors", "records/count?level=error"),
            ("histogram of all", "histogram"), ("histogram of a tag pattern", "histogram?tag=category1.**"),
            ("histogram of a text", "histogram?\(encoded("卵"))"),
            ("histogram by version", "histogram?by=version&values=[%228.0.0%22,%228.1.0%22]"),
            ("histogram by level", "histogram?by=level"),
            ("histogram by keyword", "histogram?by=attributes.keyword&values=[%22carrot%22,%22timeout%22]"),
            ("histogram of a filter", "histogram?\(encoded("keyword=carrot"))"), ("facets of all", "facets"),
            ("facets of errors", "facets?level=error"), ("50 sessions", "sessions?limit=50"),
            ("records by tag", "tags"),
        ]
        return questions
    }

    private func ask(_ question: (name: String, path: String), _ client: CollectorSocket, _ token: String) throws {
        var times: [Double] = []
        var body = try client.get("/api/v1/" + question.path, token: token)
        for _ in 0..<Self.rounds {
            let start = ContinuousClock.now
            body = try client.get("/api/v1/" + question.path, token: token)
            times.append((ContinuousClock.now - start).inSeconds * 1_000)
        }
        times.sort()
        let answer = try JSONDecoder().decode(Answer.self, from: Data(body)).data
        let count = answer.records.map { "\($0.count) rows" } ?? "\(body.count) bytes"
        let progress = answer.progress.map { $0.done < $0.total ? ", \($0.done * 100 / max(1, $0.total)) % done" : "" }
        let part = answer.next == nil || answer.partial == false ? "" : ", a part\(progress ?? "")"
        print(
            "  \(question.name): \(Ratio.text(times[Self.rounds / 2])) ms (\(Ratio.text(times[0]))–"
                + "\(Ratio.text(times[Self.rounds - 1]))), \(count)\(part)")
    }

    /// The parts of an answer that matter here.
    private struct Answer: Decodable {
        struct Record: Decodable {}
        struct Progress: Decodable {
            var done: Int64
            var total: Int64
        }
        struct Content: Decodable {
            var records: [Record]?
            var partial: Bool?
            var next: Int64?
            var progress: Progress?
        }
        var data: Content
    }
}

/// The parts of an insight's answer that matter here.
private struct InsightJob: Decodable {
    private struct Answer: Decodable { var data: InsightJob }

    var id: Int
    var running: Bool
    var milliseconds: Int

    /// `nil` for a failure.
    init?(_ body: [UInt8]) {
        guard let answer = try? JSONDecoder().decode(Answer.self, from: Data(body)) else { return nil }
        self = answer.data
    }
}

/// Sends batches of 512 at a steady pace, on its own thread.
private final class PacedSender: Sendable {
    private let isStopped = Atomic(false)
    private let sent = Atomic(0)
    private let start = ContinuousClock.now
    private let failure = Mutex<(any Error)?>(nil)
    private let isDone = DispatchSemaphore(value: 0)

    init(port: UInt16, batchesPerSecond: Int) throws {
        let bodies = SampleRequests(client: 0, count: 80, isNumbered: false).compressed
        Thread.detachNewThread { [self] in
            defer { isDone.signal() }
            do {
                let client = try CollectorSocket(port: port)
                while !isStopped.load(ordering: .relaxed) {
                    let number = sent.add(1, ordering: .relaxed) - 1
                    try client.post(bodies[number % bodies.count])
                    // A late collector is not rushed afterwards.
                    let due = start + .seconds(Double(number + 1) / Double(batchesPerSecond))
                    let early = (due - .now).inSeconds
                    if early > 0 { Thread.sleep(forTimeInterval: early) }
                }
            } catch {
                failure.withLock { $0 = error }
            }
        }
    }

    /// Stops sending.
    /// - Returns: Records sent per second.
    /// - Throws: The failure that ended it.
    func stop() throws -> Int {
        isStopped.store(true, ordering: .relaxed)
        isDone.wait()
        if let error = failure.withLock({ $0 }) { throw error }
        return Int(Double(sent.load(ordering: .relaxed) * 512) / (ContinuousClock.now - start).inSeconds)
    }
}
