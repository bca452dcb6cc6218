import Synchronization

/// A streamed reply: a task takes the chunks from the handler's stream, the library asks for them.
///
/// The connection is suspended while there is nothing to send. It is never suspended after the stream ended, which a
/// shutdown brings about for every stream: the library aborts the process if it is stopped with a suspended connection.
final class ReplyStream: Sendable {
    private struct State {
        var machine = StreamMachine()
        var feeder: Task<Void, Never>?
        var waiter: CheckedContinuation<Void, Never>?

        mutating func leftover() -> Leftover? {
            guard feeder != nil || waiter != nil else { return nil }
            return Leftover(task: feeder.take(), waiter: waiter.take())
        }
    }

    private let connection: Connection
    private let state = Mutex(State())

    init(of connection: Connection) {
        self.connection = connection
    }

    /// Begins to take chunks.
    func feed(from chunks: AsyncStream<[UInt8]>) {
        let feeder = Task {
            for await chunk in chunks where await !self.push(chunk) {
                // Only a cancelled task that asks for more tells a producer whose stream somebody else holds too.
                withUnsafeCurrentTask { $0?.cancel() }
            }
            self.end()?.release()
        }
        let isEnded = state.withLock { state in
            state.feeder = feeder
            return state.machine.isEnded
        }
        if isEnded { feeder.cancel() }
    }

    /// The library's question. Only in its content callback.
    func pull(into buffer: UnsafeMutableRawBufferPointer) -> StreamMachine.Pull {
        let (result, waiter) = state.withLock { state in
            let result = state.machine.pull(into: buffer)
            // Under the lock, so that whoever finds `isSuspended` finds the connection suspended indeed.
            if result == .suspend { connection.handle.suspend() }
            connection.noteStream(result)
            return (result, state.machine.isFull ? nil : state.waiter.take())
        }
        waiter?.resume()
        return result
    }

    private func push(_ chunk: [UInt8]) async -> Bool {
        let isOpen = state.withLock { state in
            if state.machine.push(chunk) { connection.handle.resume() }
            return !state.machine.isEnded
        }
        guard isOpen else { return false }
        await withCheckedContinuation { continuation in
            let mayGoOn = state.withLock { state in
                guard state.machine.isFull else { return true }
                state.waiter = continuation
                return false
            }
            if mayGoOn { continuation.resume() }
        }
        return true
    }

    /// Ends in order: what is pending is sent.
    func end() -> Leftover? {
        state.withLock { state in
            if state.machine.end() { connection.handle.resume() }
            return state.leftover()
        }
    }

    /// Breaks off.
    func fail() -> Leftover? {
        state.withLock { state in
            if state.machine.fail() { connection.handle.resume() }
            return state.leftover()
        }
    }

    /// Whether the connection is suspended for want of chunks: then the library does not notice that a client left.
    var isSuspended: Bool { state.withLock { $0.machine.isSuspended } }
}
