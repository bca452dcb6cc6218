import Dispatch
import Synchronization

/// Writes batches, many in one commit: what arrives while a commit runs goes into the next one.
///
/// One serial queue owns the only writing connection. An append waits for at most the commit that is running and its
/// own; a commit takes no more rows than it writes in about 10 ms. With nobody waiting there is no delay at all.
/// Safe to share between threads.
final class SQLiteWriter: Sendable {
    private struct Waiting: Sendable {
        let batch: RecordBatch
        let done: CheckedContinuation<Result<AppendResult, StoreError>, Never>
    }

    private struct State {
        var pending = CommitGroup<Waiting>()
        var isScheduled = false
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "daybook.store.writer", qos: .utility)
    private let connection: Confined<SQLiteConnection>
    private let onCommit: @Sendable () -> Void

    /// - Parameter onCommit: told after each commit; must be quick.
    init(_ connection: sending SQLiteConnection, onCommit: @escaping @Sendable () -> Void) {
        self.connection = Confined(connection)
        self.onCommit = onCommit
    }

    /// Stores a batch; returns after COMMIT.
    func append(_ batch: RecordBatch) async throws(StoreError) -> AppendResult {
        let result = await withCheckedContinuation { done in
            let mustSchedule = state.withLock { state in
                state.pending.add(Waiting(batch: batch, done: done), rows: batch.rows.count)
                defer { state.isScheduled = true }
                return !state.isScheduled
            }
            if mustSchedule { queue.async { self.drain() } }
        }
        return try result.get()
    }

    /// Runs something else on the writing connection, between commits.
    func perform<Value: Sendable>(
        _ body: @escaping @Sendable (SQLiteConnection) throws(StoreError) -> Value
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

    /// Commits one group; with more pending it queues itself again, so that ``perform(_:)`` gets its turn.
    private func drain() {
        let group = state.withLock { $0.pending.takeNext() }
        let batches = group.map(\.batch)
        do throws(StoreError) {
            let results = try BatchInsertion.insert(batches, into: connection.value)
            for (waiting, result) in zip(group, results) { waiting.done.resume(returning: .success(result)) }
            onCommit()
        } catch {
            for waiting in group { waiting.done.resume(returning: .failure(error)) }
        }
        let hasMore = state.withLock { state in
            state.isScheduled = !state.pending.isEmpty
            return state.isScheduled
        }
        if hasMore { queue.async { self.drain() } }
    }
}

/// Carries a value that is not Sendable to the one place that uses it.
///
/// Unchecked because the compiler cannot see it: the owner touches `value` only on its serial queue, or while it alone
/// has taken it from a pool.
struct Confined<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
