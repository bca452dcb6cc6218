import DaybookBase

/// Counts what the ingest does, for `/metrics` and the collector's own log. Safe to share between threads.
package final class IngestMetrics: Sendable {
    /// Which answers are counted together.
    struct Answer: Hashable {
        /// The path, or `other`: unknown paths are a counter, however many names a scanner tries.
        var route: String
        /// Why, in one word; `ok` for success.
        var reason: String
        var status: Int
    }

    struct StoreFailure: Equatable {
        var cause: String
        var time: UInt64
    }

    struct State {
        var answers: [Answer: Int] = [:]
        var stored = 0
        var duplicates = 0
        var rejected = 0
        var wireBytes = 0
        /// Why the last commit failed, and when by the monotonic clock; `nil` since one succeeded.
        var storeFailure: StoreFailure?
        var commits = LatencyHistogram(bounds: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10])
    }

    private let state = Mutex(State())

    /// Zeros.
    package init() {}

    /// A copy of the counts.
    var snapshot: State { state.withLock { $0 } }

    func count(_ outcome: IngestOutcome, on route: IngestRoute, wireBytes: Int) {
        state.withLock { state in
            state.answers[Answer(route: route.rawValue, reason: "ok", status: 200), default: 0] += 1
            state.stored += outcome.stored
            state.duplicates += outcome.duplicates
            state.rejected += outcome.rejected
            state.wireBytes += wireBytes
        }
    }

    func count(_ refusal: IngestRefusal, on route: IngestRoute?) {
        let answer = Answer(route: route?.rawValue ?? "other", reason: refusal.reason, status: refusal.httpStatus)
        state.withLock { $0.answers[answer, default: 0] += 1 }
    }

    /// A batch was stored durably after this long.
    func noteCommit(nanoseconds: UInt64) {
        state.withLock { state in
            state.commits.add(Double(nanoseconds) / 1e9)
            state.storeFailure = nil
        }
    }

    /// A batch could not be stored.
    func noteStoreFailure(_ cause: String, at time: UInt64) {
        state.withLock { $0.storeFailure = StoreFailure(cause: cause, time: time) }
    }

    /// Why the store takes nothing; `nil` where the last batch was stored.
    package var storeFailure: String? { state.withLock { $0.storeFailure?.cause } }
}

/// Counts of values up to given bounds.
struct LatencyHistogram {
    let bounds: [Double]
    /// For each bound the values at or below it and above the one before; the last counts those above all bounds.
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
    /// Adds the ingest's counts.
    /// - Parameter load: what is in work.
    package func write(to text: inout PrometheusText, load: IngestLoad) {
        let counts = snapshot
        let answers = counts.answers.sorted { left, right in
            (left.key.route, left.key.status, left.key.reason) < (right.key.route, right.key.status, right.key.reason)
        }
        text.add(
            "daybook_ingest_requests_total", .counter, "Requests to the ingest by path, status and reason.",
            answers.map { answer, count in
                (
                    [("route", answer.route), ("status", String(answer.status)), ("reason", answer.reason)],
                    Double(count)
                )
            })
        text.add("daybook_ingest_records_total", .counter, "Records stored.", counts.stored)
        text.add(
            "daybook_ingest_duplicates_total", .counter, "Records that came again and were not stored again.",
            counts.duplicates)
        text.add(
            "daybook_ingest_rejected_total", .counter, "Records that cannot be stored, told to their sender.",
            counts.rejected)
        text.add(
            "daybook_ingest_bytes_total", .counter, "Bytes of bodies as sent, of stored requests.", counts.wireBytes)
        text.add("daybook_ingest_queue_bytes", .gauge, "Bytes being decoded or waiting for a commit.", load.current)
        text.add("daybook_ingest_commit_seconds", "Time until a request's records were durable.", counts.commits)
    }

    /// Refusals so far, by reason.
    package var refusals: [String: Int] {
        snapshot.answers.reduce(into: [:]) { sums, answer in
            if answer.key.reason != "ok" { sums[answer.key.reason, default: 0] += answer.value }
        }
    }
}
