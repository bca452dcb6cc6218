import DaybookBase
import Dispatch

/// Writes batches, many in one commit: what arrives while a commit runs goes into the next one.
///
/// One serial queue owns the writing connection. Without a window there is no delay at all where nobody waits. Where batches
/// wait, each gives way to those that came within the time that its own rows are worth: a small one waits for the commit that
/// is running, and for hardly any of the large ones. A large batch of a sender that does not number its records is stored in
/// parts, so that no commit takes long; where one of them fails, the sender has to send all of it again.
/// Safe to share between threads.
package final class CommitQueue<Connection>: Sendable {
    private struct Waiting: Sendable {
        let batch: RecordBatch
        let done: CheckedContinuation<Result<AppendResult, AppendError>, Never>
    }

    private struct State {
        var pending: CommitGroup<Waiting>
        var isScheduled = false
        /// When the first of those that wait came, or earlier.
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
    ///   - window: how long a batch waits for others. Default: not at all.
    ///   - rowLimit: rows in one commit. Default: what a disk's database writes in about 10 ms.
    ///   - patience: how long those at fault in a commit that failed are looked for. Default: 5 s.
    ///   - commit: writes all batches durably in one commit, or none, and says what became of each.
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
                state.pending.add(Waiting(batch: batch, done: done), rows: batch.rows.count, at: .now)
                defer { state.isScheduled = true }
                return !state.isScheduled
            }
            if mustSchedule { schedule(after: window) }
        }
        return try result.get()
    }

    /// Runs something else on the writing connection, between commits.
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

    /// Commits batches together. Where that fails, halves them until those at fault are alone: a batch that fails for ever
    /// stops no other. When time is up, the rest fails too, and is sent again.
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

    /// Commits one group; with more pending it queues itself again, so that ``perform(_:)`` gets its turn.
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

/// Why a commit failed; nothing of it is stored.
package struct CommitFailure: Error {
    package var error: StoreError
    /// Whether the others may be stored without one of the batches. What is sure to meet all of them, such as a server
    /// that is away, is not tried with each.
    package var mayBeOfOneBatch: Bool

    package init(_ error: StoreError, mayBeOfOneBatch: Bool = false) {
        (self.error, self.mayBeOfOneBatch) = (error, mayBeOfOneBatch)
    }
}

/// Carries a value that is not Sendable to the one place that uses it.
///
/// Unchecked because the compiler cannot see it: the owner touches `value` only on its serial queue, or while it alone
/// has taken it from a pool.
package struct Confined<Value>: @unchecked Sendable {
    package let value: Value

    package init(_ value: Value) { self.value = value }
}

/// Decides which waiting batches are committed together: those that are due first, as many as fit. A batch is due when it has
/// waited for as long as its rows are worth; nothing that comes later overtakes it then, however small.
struct CommitGroup<Waiting> {
    /// What a row is worth: about twice what SQLite took for one of a batch of 100,000.
    private static var wait: Duration { .microseconds(50) }

    /// Rows in one commit. A larger batch is committed alone.
    private let rowLimit: Int
    /// In the order in which they are due.
    private var pending: [(waiting: Waiting, rows: Int, due: ContinuousClock.Instant)] = []

    init(rowLimit: Int) { self.rowLimit = rowLimit }

    /// Whether nothing waits.
    var isEmpty: Bool { pending.isEmpty }

    /// Whether more waits than one commit takes.
    var isFull: Bool { pending.reduce(0) { $0 + $1.rows } >= rowLimit }

    /// How long what waits is to wait on.
    /// - Parameters:
    ///   - window: how long a batch waits for others.
    ///   - waited: how long the first of them has waited already.
    func delay(window: Duration, waited: Duration) -> Duration { isFull ? .zero : max(.zero, window - waited) }

    /// Queues a batch.
    mutating func add(_ waiting: Waiting, rows: Int, at now: ContinuousClock.Instant) {
        let due = now + Self.wait * min(rows, 1_000_000)
        let place = (pending.lastIndex { $0.due <= due } ?? -1) + 1
        pending.insert((waiting, rows, due), at: place)
    }

    /// Takes what the next commit writes; at least one batch where any waits.
    mutating func takeNext() -> [Waiting] {
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
