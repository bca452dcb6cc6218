import DaybookBase
import Dispatch

/// Groups batches into commits: batches that arrive during a commit share the next one.
///
/// A serial queue owns the writing connection. Without a window, an idle queue commits at once. Pending batches are
/// ordered by due time, which grows with their rows, so small ones overtake large ones. Large batches without sequence
/// numbers are split to keep commits short; if a part fails, the sender must resend all of it. Safe to share between
/// threads.
package final class CommitQueue<Connection>: Sendable {
    private struct PendingBatch: Sendable {
        let batch: RecordBatch
        let done: CheckedContinuation<Result<AppendResult, AppendError>, Never>
    }

    private struct State {
        var pending: CommitGroup<PendingBatch>
        var isScheduled = false
        /// When the oldest pending batch arrived, or earlier.
        var waiting = ContinuousClock.now
    }

    private let state: Mutex<State>
    private let queue = DispatchQueue(label: "daybook.store.writer", qos: .userInitiated)
    private let window: Duration
    private let rowLimit: Int
    private let connection: Confined<Connection>
    private let patience: Duration
    private let commit: @Sendable ([RecordBatch], Connection) throws(CommitFailure) -> [AppendResult]

    /// - Parameters:
    ///   - window: How long a batch waits for others. Default: 0.
    ///   - rowLimit: Rows per commit. Default: what a database on a disk writes in about 10 ms.
    ///   - patience: How long to look for the batches that made a commit fail. Default: 5 s.
    ///   - commit: Writes all batches durably in one commit, or none; returns a result for each.
    package init(
        _ connection: sending Connection, window: Duration = .zero, rowLimit: Int = 4_096,
        patience: Duration = .seconds(5),
        commit: @escaping @Sendable ([RecordBatch], Connection) throws(CommitFailure) -> [AppendResult]
    ) {
        state = Mutex(State(pending: CommitGroup(rowLimit: rowLimit)))
        self.window = window
        self.rowLimit = rowLimit
        self.patience = patience
        self.connection = Confined(connection)
        self.commit = commit
    }

    /// Stores a batch; returns after COMMIT.
    /// - Throws: ``AppendError/failed(_:)``.
    package func append(_ batch: RecordBatch) async throws(AppendError) -> AppendResult {
        var result = AppendResult(stored: 0, duplicates: 0)
        for part in batch.parts(of: rowLimit) {
            let stored = try await add(part)
            result.stored += stored.stored
            result.duplicates += stored.duplicates
        }
        return result
    }

    private func add(_ batch: RecordBatch) async throws(AppendError) -> AppendResult {
        let result = await withCheckedContinuation { done in
            let mustSchedule = state.withLock { state in
                if state.pending.isEmpty { state.waiting = .now }
                state.pending.add(PendingBatch(batch: batch, done: done), rows: batch.rows.count, at: .now)
                defer { state.isScheduled = true }
                return !state.isScheduled
            }
            if mustSchedule { schedule(after: window) }
        }
        return try result.get()
    }

    /// Runs `body` on the writing connection, between commits.
    package func perform<Value: Sendable>(
        _ body: @escaping @Sendable (Connection) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let result = await withCheckedContinuation { (done: CheckedContinuation<Result<Value, StoreError>, Never>) in
            queue.async {
                do throws(StoreError) {
                    done.resume(returning: .success(try body(self.connection.value)))
                } catch {
                    done.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }

    private func schedule(after delay: Duration) {
        guard delay > .zero else { return queue.async { self.drain() } }
        queue.asyncAfter(deadline: .now() + delay / .seconds(1)) { self.drain() }
    }

    /// On failure, halves the batches to isolate the failing ones. After `end`, the rest fails, and senders retry.
    private func results(
        of batches: ArraySlice<RecordBatch>, until end: ContinuousClock.Instant
    ) -> [Result<AppendResult, AppendError>] {
        do throws(CommitFailure) {
            return try commit(Array(batches), connection.value).map { .success($0) }
        } catch {
            guard error.mayBeOfOneBatch, batches.count > 1, .now < end else {
                return batches.map { _ in .failure(.failed(error.error)) }
            }
        }
        let middle = batches.startIndex + batches.count / 2
        return results(of: batches[..<middle], until: end) + results(of: batches[middle...], until: end)
    }

    /// With more pending, reschedules itself, so that ``perform(_:)`` gets its turn.
    private func drain() {
        let group = state.withLock { $0.pending.takeNext() }
        let results = results(of: group.map(\.batch)[...], until: .now + patience)
        for (waiting, result) in zip(group, results) { waiting.done.resume(returning: result) }
        let delay: Duration? = state.withLock { state in
            state.isScheduled = !state.pending.isEmpty
            return state.isScheduled
                ? state.pending.delay(window: window, waited: .now - state.waiting) : nil
        }
        if let delay { schedule(after: delay) }
    }
}

package struct CommitFailure: Error {
    package var error: StoreError
    /// Whether the commit may succeed without one of the batches; `false` if it fails for all, as on an unreachable
    /// server.
    package var mayBeOfOneBatch: Bool

    package init(_ error: StoreError, mayBeOfOneBatch: Bool = false) {
        (self.error, self.mayBeOfOneBatch) = (error, mayBeOfOneBatch)
    }
}

/// Carries a non-Sendable value to its only user.
///
/// Unchecked: the owner accesses `value` only on its serial queue, or while it holds the value exclusively from a pool, or
/// on one thread while another one waits for that to end.
package struct Confined<Value>: @unchecked Sendable {
    package let value: Value

    package init(_ value: Value) { self.value = value }
}

/// Chooses the next commit's batches: those due first, as many as fit. Nothing overtakes a batch that is due.
struct CommitGroup<Element> {
    /// Delay per row; about twice SQLite's time per row of a batch of 100,000.
    private static var wait: Duration { .microseconds(50) }

    /// Rows per commit. A larger batch is committed alone.
    private let rowLimit: Int
    /// By due time.
    private var pending: [(waiting: Element, rows: Int, due: ContinuousClock.Instant)] = []

    init(rowLimit: Int) { self.rowLimit = rowLimit }

    var isEmpty: Bool { pending.isEmpty }

    var isFull: Bool { pending.reduce(0) { $0 + $1.rows } >= rowLimit }

    /// How long to wait before the next commit.
    /// - Parameter waited: How long the oldest batch has waited.
    func delay(window: Duration, waited: Duration) -> Duration { isFull ? .zero : max(.zero, window - waited) }

    mutating func add(_ waiting: Element, rows: Int, at now: ContinuousClock.Instant) {
        let due = now + Self.wait * min(rows, 1_000_000)
        let place = (pending.lastIndex { $0.due <= due } ?? -1) + 1
        pending.insert((waiting, rows, due), at: place)
    }

    /// The next commit's batches; at least one if any is pending.
    mutating func takeNext() -> [Element] {
        var rows = 0
        var count = 0
        while count < pending.count {
            let (sum, overflows) = rows.addingReportingOverflow(pending[count].rows)
            if count > 0, overflows || sum > rowLimit { break }
            rows = sum
            count += 1
        }
        defer { pending.removeFirst(count) }
        return pending[..<count].map(\.waiting)
    }
}
