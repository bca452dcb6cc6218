import DaybookBase
import DaybookTools

/// The ingest's counters, for `/metrics` and the collector's own log. Thread-safe.
package final class IngestMetrics: Sendable {
    /// The labels of one response counter.
    struct Answer: Hashable {
        /// The path, or `other`: unknown paths share a counter, however many a scanner tries.
        var route: String
        /// One word; `ok` for success.
        var reason: String
        var status: Int
    }

    struct StoreFailure: Equatable {
        var cause: String
        var time: UInt64
    }

    package struct StoreFailures: Equatable, Sendable {
        /// Since the start.
        package var count = 0
        /// Why the last one happened; `nil` before the first.
        package var cause: String?
        /// Whether no commit has succeeded since.
        package var isLasting = false

        package init() {}
    }

    struct KeyCounts: Equatable {
        var requests = 0
        var records = 0
        var bytes = 0
        var refusals = 0
    }

    /// The most keys counted separately; others share a counter. Anyone who pairs phones names temporary keys.
    private static let mostKeys = 500

    struct State {
        /// By key name.
        var keys: [String: KeyCounts] = [:]
        var answers: [Answer: Int] = [:]
        var stored = 0
        var duplicates = 0
        var rejected = 0
        var implausible = 0
        var wireBytes = 0
        var unread = Unread()
        var skipped = 0
        /// Batches of streams, by whether their sender proved its identity.
        var proven = 0
        var unproven = 0
        var contested = 0
        /// Why the last commit failed, and when by the monotonic clock; `nil` once one has succeeded.
        var storeFailure: StoreFailure?
        var failures = StoreFailures()
        var commits = LatencyHistogram(bounds: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10])
    }

    private let state = Mutex(State())

    /// Responses that operators should alert on, for the paths where they occur.
    private static let watched: [Answer] = {
        let faults = [("key", 401), ("quota", 429), ("store_quota", 429), ("store", 503), ("overload", 503)]
        return [IngestRoute.logs, .traces, .events].flatMap { route in
            faults.map { Answer(route: route.rawValue, reason: $0.0, status: $0.1) }
        }
    }()

    package init() {}

    var snapshot: State { state.withLock { $0 } }

    func count(_ outcome: IngestOutcome, on route: IngestRoute, wireBytes: Int) {
        state.withLock { state in
            state.answers[Answer(route: route.rawValue, reason: "ok", status: 200), default: 0] += 1
            state.stored += outcome.stored
            state.duplicates += outcome.duplicates
            state.rejected += outcome.rejected
            state.unread.add(outcome.unread)
            state.skipped += outcome.skipped.total
            state.wireBytes += wireBytes
        }
    }

    func count(_ admission: SenderRights.Admission) {
        state.withLock { state in
            state.proven += admission.proven
            state.unproven += admission.unproven
            state.contested += admission.contested
        }
    }

    func count(_ refusal: IngestRefusal, on route: IngestRoute?) {
        let answer = Answer(route: route?.rawValue ?? "other", reason: refusal.reason, status: refusal.httpStatus)
        state.withLock { $0.answers[answer, default: 0] += 1 }
    }

    /// Counts a key's accepted request.
    /// - Parameter bytes: of its inflated body.
    func count(_ outcome: IngestOutcome, bytes: Int, of key: String) {
        change(key) { counts in
            counts.requests += 1
            counts.records += outcome.stored
            counts.bytes += bytes
        }
    }

    func count(refusedBy key: String) { change(key) { $0.refusals += 1 } }

    private func change(_ key: String, _ body: (inout KeyCounts) -> Void) {
        state.withLock { state in
            let isCounted = state.keys[key] != nil || state.keys.count < Self.mostKeys
            body(&state.keys[isCounted ? key : "", default: KeyCounts()])
        }
    }

    func noteCommit(nanoseconds: UInt64) { state.withLock { $0.commits.add(Double(nanoseconds) / 1e9) } }

    /// Notes a stored batch.
    /// - Parameter implausible: its records with implausible times.
    func noteStored(implausible: Int = 0) {
        state.withLock { state in
            state.implausible += implausible
            state.storeFailure = nil
            state.failures.isLasting = false
        }
    }

    func noteStoreFailure(_ cause: String, at time: UInt64) {
        state.withLock { state in
            state.storeFailure = StoreFailure(cause: cause, time: time)
            state.failures.count += 1
            state.failures.cause = cause
            state.failures.isLasting = true
        }
    }

    package var storeFailures: StoreFailures { state.withLock { $0.failures } }
}

struct LatencyHistogram {
    let bounds: [Double]
    /// Counts per bucket, not cumulative; the last is above all bounds.
    private(set) var counts: [Int]
    private(set) var sum = 0.0

    init(bounds: [Double]) {
        self.bounds = bounds
        counts = Array(repeating: 0, count: bounds.count + 1)
    }

    mutating func add(_ value: Double) {
        counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
        sum += value
    }
}

extension IngestMetrics {
    package func write(to text: inout PrometheusText, load: IngestLoad) {
        let counts = snapshot
        // Export zeros from the start: a counter that first appears above 0 shows no increase.
        let watched = Dictionary(uniqueKeysWithValues: Self.watched.map { ($0, 0) })
        let answers = counts.answers.merging(watched) { count, _ in count }.sorted { left, right in
            (left.key.route, left.key.status, left.key.reason) < (right.key.route, right.key.status, right.key.reason)
        }
        text.add(
            "daybook_ingest_requests_total", .counter, "Ingest requests by path, status and reason.",
            answers.map { answer, count in
                (
                    [("route", answer.route), ("status", String(answer.status)), ("reason", answer.reason)],
                    Double(count)
                )
            })
        text.add("daybook_ingest_records_total", .counter, "Records stored.", counts.stored)
        text.add(
            "daybook_ingest_duplicates_total", .counter, "Duplicates of stored records, which were not stored again.",
            counts.duplicates)
        text.add(
            "daybook_ingest_rejected_total", .counter, "Records that cannot be stored, as reported to their sender.",
            counts.rejected)
        text.add(
            "daybook_ingest_implausible_times_total", .counter,
            "Records taken, imports included, whose time is before 2010 or over a day ahead.", counts.implausible)
        text.add(
            "daybook_ingest_bytes_total", .counter, "Bytes of bodies as sent, of stored requests.", counts.wireBytes)
        text.add(
            "daybook_ingest_unread_total", .counter,
            "Members and fields that were not read, because they are not known or of another type.",
            counts.unread.counts.sorted { $0.key < $1.key }.map { ([("member", $0.key)], Double($0.value)) })
        text.add(
            "daybook_ingest_skipped_total", .counter, "Entries of a team's own requests that no rule takes.",
            counts.skipped)
        text.add(
            "daybook_ingest_stream_batches_total", .counter,
            "Stored batches of streams, by whether the sender proved to be the one that began the stream.",
            [([("proven", "true")], Double(counts.proven)), ([("proven", "false")], Double(counts.unproven))])
        text.add(
            "daybook_ingest_contested_batches_total", .counter,
            "Stored batches of a stream whose name another sender uses, too; they are accounted apart.",
            counts.contested)
        let keys = counts.keys.sorted { $0.key < $1.key }
        for (name, help, count) in [
            ("requests", "Accepted requests, by the key's name.", \KeyCounts.requests),
            ("records", "Records stored, by the key's name.", \.records),
            ("bytes", "Bytes of bodies after inflating, of accepted requests, by the key's name.", \.bytes),
            ("refused", "Requests that were refused for the key's quota, by its name.", \.refusals),
        ] {
            text.add(
                "daybook_key_\(name)_total", .counter, help,
                keys.map { ([("key", $0.key)], Double($0.value[keyPath: count])) })
        }
        text.add(
            "daybook_ingest_store_failures_total", .counter,
            "Requests whose records the store did not take, for whatever reason; they were answered with 503.",
            counts.failures.count)
        text.add("daybook_ingest_queue_bytes", .gauge, "Bytes being decoded or waiting for a commit.", load.current)
        text.add("daybook_ingest_commit_seconds", "Time until a request's records were durable.", counts.commits)
    }

    package var unread: Unread { snapshot.unread }

    /// By reason.
    package var refusals: [String: Int] {
        snapshot.answers.reduce(into: [:]) { sums, answer in
            if answer.key.reason != "ok" { sums[answer.key.reason, default: 0] += answer.value }
        }
    }
}
