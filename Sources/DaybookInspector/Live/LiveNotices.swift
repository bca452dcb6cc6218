import Synchronization

/// Tells every open page that the store has grown. What stores records calls ``notify(head:)`` after each commit.
///
/// Safe to share between threads; notifying never blocks and never waits for a reader. A reader that is behind
/// gets the latest head only. Every stream ends with its broadcaster.
public final class LiveNotices: Sendable {
    private struct State {
        var nextReader = 0
        var readers: [Int: AsyncStream<Int64>.Continuation] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())

    /// A broadcaster with no readers.
    public init() {}

    deinit { close() }

    /// Announces that the largest arrival number is now `head`.
    public func notify(head: Int64) {
        let readers = state.withLock { Array($0.readers.values) }
        for reader in readers { reader.yield(head) }
    }

    /// Ends every open stream, so that a server can stop. Later subscriptions end at once.
    public func close() {
        let readers = state.withLock { state in
            state.isClosed = true
            defer { state.readers = [:] }
            return Array(state.readers.values)
        }
        for reader in readers { reader.finish() }
    }

    /// How many streams are open.
    public var readers: Int { state.withLock { $0.readers.count } }

    /// The heads from now on, the latest where the reader was slower.
    func subscribe() -> AsyncStream<Int64> {
        let (stream, reader) = AsyncStream.makeStream(of: Int64.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state -> Int? in
            guard !state.isClosed else { return nil }
            state.nextReader += 1
            state.readers[state.nextReader] = reader
            return state.nextReader
        }
        guard let number else {
            reader.finish()
            return stream
        }
        reader.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.readers.removeValue(forKey: number) }
        }
        return stream
    }
}
