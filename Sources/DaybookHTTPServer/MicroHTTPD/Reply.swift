import CMicroHTTPD
import DaybookBase
import DaybookHTTP

/// Passes replies to the library.
enum Reply {
    /// Queues a reply. Only in the library's handler callback.
    ///
    /// - Returns: whether the library took it; otherwise close the connection.
    static func queue(_ reply: PreparedReply, on connection: Connection, isHead: Bool) -> Bool {
        guard let response = make(reply, isHead: isHead) else { return false }
        // The response is reference-counted: the library keeps its own reference until it is sent.
        defer { MHD_destroy_response(response) }
        for field in reply.response.headers.fields {
            guard daybook_mhd_add_header(response, field.name, field.value) != 0 else { return false }
        }
        let status = UInt32(reply.response.status)
        guard daybook_mhd_queue(connection.handle.pointer, status, response) != 0 else { return false }
        // HEAD never reads the chunks; dropping them ends their producer.
        if let chunks = reply.chunks, !isHead { reply.stream?.feed(from: chunks) }
        return true
    }

    private static func make(_ reply: PreparedReply, isHead: Bool) -> OpaquePointer? {
        guard let stream = reply.stream else {
            guard case .bytes(let bytes) = reply.response.body else { return nil }
            return bytes.withUnsafeBytes { daybook_mhd_response($0.baseAddress, $0.count) }
        }
        if isHead { return daybook_mhd_stream_head(read) }
        // The library owns one reference to the stream until it calls `release`, exactly once, when it destroys the
        // response; `read` is never called after that.
        let context = Unmanaged.passRetained(stream).toOpaque()
        let response = daybook_mhd_stream(read, release, context)
        if response == nil { Unmanaged<ReplyStream>.fromOpaque(context).release() }
        return response
    }

    private static let read: MHD_ContentReaderCallback = { context, _, buffer, size in
        guard let context, let buffer else { return daybook_mhd_stream_failed }
        let stream = Unmanaged<ReplyStream>.fromOpaque(context).takeUnretainedValue()
        switch stream.pull(into: UnsafeMutableRawBufferPointer(start: buffer, count: size)) {
        case .bytes(let count): return count
        case .suspend: return 0
        case .end: return daybook_mhd_stream_ended
        case .fail: return daybook_mhd_stream_failed
        }
    }

    private static let release: MHD_ContentReaderFreeCallback = { context in
        guard let context else { return }
        Unmanaged<ReplyStream>.fromOpaque(context).takeRetainedValue().fail()?.release()
    }
}

/// A streamed reply: a task takes chunks from the handler's stream, and the library pulls them.
///
/// The connection is suspended while there is nothing to send, but never after the stream ended, and a shutdown ends
/// every stream: the library aborts the process if it is stopped with a suspended connection.
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

    /// Starts taking chunks.
    func feed(from chunks: AsyncStream<[UInt8]>) {
        let feeder = connection.core.workshop.feed {
            for await chunk in chunks where await !self.push(chunk) {
                // Only a cancelled task that asks for more ends a producer whose stream someone else also holds.
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

    /// The library wants bytes. Only in its content callback.
    func pull(into buffer: UnsafeMutableRawBufferPointer) -> StreamMachine.Pull {
        let (result, waiter) = state.withLock { state in
            let result = state.machine.pull(into: buffer)
            // Under the lock, so that `isSuspended` implies that the connection is suspended.
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

    /// Ends normally: pending bytes are sent.
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

    /// Whether the connection is suspended for lack of chunks; the library then does not notice a disconnect.
    var isSuspended: Bool { state.withLock { $0.machine.isSuspended } }
}
