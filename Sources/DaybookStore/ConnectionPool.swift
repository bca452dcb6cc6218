import DaybookBase
import DaybookTools

/// A pool of reading connections; waiting readers are served in order.
///
/// Reads block the pool's own threads. Safe to share between threads.
package final class ConnectionPool<Connection>: Sendable {
    private struct State {
        var idle: [Confined<Connection>] = []
        var opened = 0
        var waiting: [@Sendable (Confined<Connection>?) -> Void] = []
    }

    private let state = Mutex(State())
    private let threads: WorkThreads
    private let capacity: Int
    private let open: @Sendable () throws(StoreError) -> Connection

    /// - Parameter niceness: See ``WorkThreads``. Default: 0, for reads that wait for a server.
    package init(capacity: Int, niceness: Int32 = 0, open: @escaping @Sendable () throws(StoreError) -> Connection) {
        self.capacity = capacity
        threads = WorkThreads("daybook.readers", count: capacity, niceness: niceness)
        self.open = open
    }

    deinit { threads.stop() }

    /// Runs `body` with exclusive use of a connection.
    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (Connection) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let result = await withCheckedContinuation { (done: CheckedContinuation<Result<Value, StoreError>, Never>) in
            take { connection in
                self.threads.add { done.resume(returning: self.run(body, on: connection)) }
            }
        }
        return try result.get()
    }

    /// Calls `use` with an idle connection, `nil` if one may be opened, or later with a returned one.
    private func take(_ use: @escaping @Sendable (Confined<Connection>?) -> Void) {
        let turn: (Confined<Connection>?, isNow: Bool) = state.withLock { state in
            if let connection = state.idle.popLast() { return (connection, true) }
            if state.opened < capacity {
                state.opened += 1
                return (nil, true)
            }
            state.waiting.append(use)
            return (nil, false)
        }
        if turn.isNow { use(turn.0) }
    }

    private func run<Value>(
        _ body: (Connection) throws(StoreError) -> Value, on given: Confined<Connection>?
    ) -> Result<Value, StoreError> {
        var connection = given
        // If opening fails, the next reader gets the slot and retries.
        defer { giveBack(connection) }
        do throws(StoreError) {
            let usable = if let given { given } else { Confined(try open()) }
            connection = usable
            return .success(try body(usable.value))
        } catch {
            return .failure(error)
        }
    }

    private func giveBack(_ connection: Confined<Connection>?) {
        let next = state.withLock { state in
            if !state.waiting.isEmpty {
                return state.waiting.removeFirst() as (@Sendable (Confined<Connection>?) -> Void)?
            }
            if let connection { state.idle.append(connection) } else { state.opened -= 1 }
            return nil
        }
        next?(connection)
    }
}
