import DaybookBase
import DaybookHTTP
import DaybookStore
import DaybookTools

/// Serves `GET /metrics` in Prometheus' text format; with keys, only to a metrics key. Thread-safe.
package struct MetricsHandler: HTTPHandler {
    private let keys: KeyRing?
    private let measure: @Sendable () async -> PrometheusText

    /// - Parameter keys: who may read; `nil` requires no key.
    package init(keys: KeyRing?, measure: @escaping @Sendable () async -> PrometheusText) {
        self.keys = keys
        self.measure = measure
    }

    package func admit(_ head: HTTPRequest.Head) -> HTTPAdmission {
        denial(of: head).map { .refuse($0) } ?? .accept(bodyLimit: 0)
    }

    package func work(of head: HTTPRequest.Head) -> HTTPWork { .health }

    package func respond(to request: HTTPRequest) async -> HTTPResponse {
        if let denial = denial(of: request.head) { return denial }
        return HTTPResponse(status: 200, contentType: PrometheusText.contentType, text: await measure().text)
    }

    private func denial(of head: HTTPRequest.Head) -> HTTPResponse? {
        guard let keys else { return nil }
        if case .accepted = keys.judge(head.headers, for: .metrics) { return nil }
        var response = HTTPResponse.problem(
            401, code: "unauthorized", "A key made with `daybook keys add --for metrics` is needed.")
        response.headers["www-authenticate"] = "Bearer realm=\"daybook\""
        return response
    }
}

/// Metrics in Prometheus' text format.
///
/// Source: *Exposition formats*, Prometheus documentation, text-based format 0.0.4.
package struct PrometheusText {
    package enum Kind: String {
        /// Only increases, except at a restart; its name ends in `_total`.
        case counter
        case gauge
        case histogram
    }

    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    package private(set) var text = ""

    package init() {}

    package mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: some BinaryInteger) {
        add(name, kind, help, [([], Double(value))])
    }

    /// An empty family adds nothing.
    package mutating func add(
        _ name: String, _ kind: Kind, _ help: String, _ samples: [(labels: [(String, String)], value: Double)]
    ) {
        guard !samples.isEmpty else { return }
        head(name, kind, help)
        for sample in samples { line(name, sample.labels, sample.value) }
    }

    /// Cumulative counts, as the format requires.
    mutating func add(_ name: String, _ help: String, _ histogram: LatencyHistogram) {
        head(name, .histogram, help)
        var sum = 0
        for (bound, count) in zip(histogram.bounds.map(Self.number) + ["+Inf"], histogram.counts) {
            sum += count
            line(name + "_bucket", [("le", bound)], Double(sum))
        }
        line(name + "_sum", [], histogram.sum)
        line(name + "_count", [], Double(sum))
    }

    private mutating func head(_ name: String, _ kind: Kind, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    private mutating func line(_ name: String, _ labels: [(String, String)], _ value: Double) {
        let pairs = labels.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
        text += name + (pairs.isEmpty ? "" : "{\(pairs)}") + " \(Self.number(value))\n"
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        // Names from outside must not send control sequences to a terminal.
        for scalar in text.printable.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        if let integer = Int64(exactly: value) { return String(integer) }
        return String(value)
    }
}

/// Metrics of users' statements, by origin: the SQL screen, alerts.
package enum StatementMetrics {
    package static func write(to text: inout PrometheusText, _ statements: [(asker: String, StatementProcesses)]) {
        let loads = statements.map { ([("for", $0.asker)], $0.1.load) }
        text.add(
            "daybook_statements_running", .gauge, "Statements that are running.",
            loads.map { (labels: $0.0, value: Double($0.1.running)) })
        text.add(
            "daybook_statements_waiting", .gauge, "Statements waiting to run.",
            loads.map { (labels: $0.0, value: Double($0.1.waiting)) })
        text.add(
            "daybook_statements_total", .counter,
            "Statements that ended: answered, refused, stopped at a limit, unavailable (too many) or failed.",
            loads.flatMap { labels, load in
                load.ended.sorted { $0.key < $1.key }
                    .map { (labels: labels + [("outcome", $0.key)], value: Double($0.value)) }
            })
    }
}

/// The store's size and age, and gaps and losses of all senders' streams together. Per installation and version they
/// are in the SQL view `completeness`: as labels, each would be a time series.
package struct StreamMetrics: Sendable {
    private var head: Int64?
    private var use: StoreDiskUse?
    private var size: Int64?
    private var times: ClosedRange<Int64>?
    private var streams: Double?
    /// By whether the senders proved their identity.
    private var missing: [Bool: Int64]?
    private var losses: [Loss: Int64]?

    private struct Loss: Hashable {
        var reason: String
        var isProven: Bool
    }

    /// Queries the store, each part for at most a second; unanswered parts are left out.
    /// - Parameters:
    ///   - reasons: loss reasons exported from the start, since a counter that first appears above 0 shows no increase.
    ///     Default: none.
    ///   - now: nanoseconds since 1970. Default: the system's.
    package init(
        of store: any EventStore, reasons: [String] = [], now: Int64 = PipelineClock.system.wall()
    ) async {
        head = try? await store.head()
        use = await store.diskUse()
        size = if let use { use.files } else { try? await store.size() }
        times = try? await Self.times(of: store, now: now)
        streams = await Self.number("SELECT count(*) FROM ledger", in: store)
        missing = await Self.missing(in: store)
        losses = await Self.losses(in: store, reasons)
    }

    /// A floating-point sum, since one of 64-bit integers may overflow. Senders' counts are capped at 10¹².
    private static func sum(_ column: String) -> String {
        "sum((CASE WHEN \(column) > \(LossReport.most) THEN \(LossReport.most) ELSE \(column) END) * 1.0)"
    }

    private static func missing(in store: any EventStore) async -> [Bool: Int64]? {
        let sql = """
            SELECT \(StreamOwner.proof()) AS proven, \(sum("missing")) AS absent FROM stream_gaps GROUP BY proven
            """
        guard let rows = try? await store.query(sql, limits: .init()).rows else { return nil }
        var missing = [true: Int64(0), false: 0]
        for row in rows {
            guard let isProven = number(in: row[0]), let count = count(in: row[1]) else { continue }
            missing[isProven > 0] = count
        }
        return missing
    }

    private static func losses(in store: any EventStore, _ reasons: [String]) async -> [Loss: Int64]? {
        // Senders choose reasons, and each becomes a series: known reasons come first, whatever others send.
        let known = (reasons + [""]).map { "'\($0.replacing("'", with: "''"))'" }.joined(separator: ", ")
        let sql = """
            SELECT reason, \(StreamOwner.proof("sender")) AS proven, \(sum("count")) AS lost,
                CASE WHEN reason IN (\(known)) THEN 0 ELSE 1 END AS place
            FROM losses GROUP BY reason, proven, place ORDER BY place, lost DESC LIMIT \(32 + 2 * reasons.count)
            """
        guard let rows = try? await store.query(sql, limits: .init()).rows else { return nil }
        var losses: [Loss: Int64] = [:]
        for reason in reasons {
            for isProven in [true, false] { losses[Loss(reason: reason, isProven: isProven)] = 0 }
        }
        for row in rows {
            guard case .text(let reason) = row[0], let isProven = number(in: row[1]), let count = count(in: row[2])
            else { continue }
            losses[Loss(reason: reason, isProven: isProven > 0)] = count
        }
        return losses
    }

    /// A sum as an integer that every JSON reader can represent.
    private static func count(in cell: QueryResult.Cell) -> Int64? {
        number(in: cell).map { StoredNumber.count(Int64(min($0, Double(StoredNumber.largest)))) }
    }

    /// The time range of plausible records. One ahead of now counts as the last arrival, and none as newer, so the
    /// range stays while nothing arrives.
    private static func times(of store: any EventStore, now: Int64) async throws -> ClosedRange<Int64>? {
        let plausible = PlausibleTime.range(at: now)
        let future = now.addingReportingOverflow(1).partialValue
        let past = try await store.timeBounds(within: min(plausible.lowerBound, future)..<future)
        let ahead = try await store.timeBounds(within: future..<max(future, plausible.upperBound))
        let marks =
            store.dialect == .clickhouse
            ? "SELECT max(arrived) FROM stored_records" : "SELECT max(time) FROM arrival_times"
        // A mark is older than the last arrival by at most the interval.
        let mark = await number(marks, in: store).flatMap { Int64(exactly: $0.rounded()) }
        let arrived = min(mark ?? now, now)
        let newest = [past?.upperBound, ahead == nil ? nil : arrived].compactMap { $0 }.max()
        guard let newest else { return nil }
        let last = min(newest, arrived.addingReportingOverflow(ArrivalTimes.interval).partialValue)
        return min(past?.lowerBound ?? last, last)...last
    }

    package func write(to text: inout PrometheusText) {
        if let head { text.add("daybook_store_head", .gauge, "The largest arrival number in the store.", head) }
        if let size {
            text.add(
                "daybook_store_bytes", .gauge,
                "Bytes of the store's files, with log, index and reserve, or of its database at the server.", size)
        }
        if let use {
            text.add(
                "daybook_store_disk_free_bytes", .gauge, "Bytes that may still be written to the store's disk.",
                use.free)
        }
        if let use {
            text.add(
                "daybook_store_log_bytes", .gauge,
                "Bytes in use of the store's write-ahead log; beyond 256 MiB somebody keeps it from being emptied.",
                use.log)
        }
        if let times {
            text.add(
                "daybook_store_oldest_record_timestamp_seconds", .gauge,
                "The time of the oldest record of a plausible time, in seconds since 1970.",
                times.lowerBound / 1_000_000_000)
            text.add(
                "daybook_store_newest_record_timestamp_seconds", .gauge,
                "The time of the newest record of a plausible time, at most the last arrival, in seconds since 1970.",
                times.upperBound / 1_000_000_000)
        }
        if let streams {
            text.add(
                "daybook_streams", .gauge, "Streams of senders in the store.", [(labels: [], value: streams)])
        }
        if let missing {
            text.add(
                "daybook_stream_missing_records", .gauge,
                "Records between settled ones of their stream that have not arrived, by whether the sender proved that it is the same.",
                [true, false].map { ([("proven", "\($0)")], Double(missing[$0] ?? 0)) })
        }
        text.add(
            "daybook_stream_lost_records_total", .counter,
            "Records that senders say they lost, by reason and by whether the sender proved that it is the same.",
            (losses ?? [:]).map { loss, count in
                (labels: [("reason", loss.reason), ("proven", "\(loss.isProven)")], value: Double(count))
            }.sorted { ($0.labels[0].1, $0.labels[1].1) < ($1.labels[0].1, $1.labels[1].1) })
    }

    private static func number(_ sql: String, in store: any EventStore) async -> Double? {
        (try? await store.query(sql, limits: .init()))?.rows.first.flatMap { number(in: $0[0]) }
    }

    /// Engines return integers, reals, or decimals as text.
    private static func number(in cell: QueryResult.Cell) -> Double? {
        switch cell {
        case .integer(let integer): Double(integer)
        case .real(let real): real
        case .text(let text): Double(text)
        case .null, .blob: nil
        }
    }
}
