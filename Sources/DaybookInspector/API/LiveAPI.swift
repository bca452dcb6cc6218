import DaybookAPI
import DaybookBase
import DaybookHTTP
import DaybookStore
import DaybookTools

/// The stream of notices: server-sent events, at most one per ``interval``.
///
/// Format: WHATWG HTML, section *Server-sent events*.
struct LiveAPI: Sendable {
    /// More than the eye follows, few enough for a slow link.
    static let interval = Duration.milliseconds(100)
    /// How often to send a comment, to detect clients that disconnected silently.
    static let heartbeat = Duration.seconds(15)

    /// Most open streams; each holds a connection. One client may hold at most as many as remain free.
    static let mostReaders = 256

    let store: any EventStore
    let notices: LiveNotices
    let clock: any Clock<Duration>

    var routes: [HTTPRoute] {
        [HTTPRoute("GET", "/api/v1/live", answersHead: false) { _ in try await stream() }]
    }

    func stream() async throws -> HTTPResponse {
        guard notices.readers(of: Asker.current) < Self.mostReaders - notices.readers else {
            throw Problem(
                .unavailable,
                "Too many pages are open already: \(Self.mostReaders) at once, with one key at most as many as are left free. "
                    + "Close one, or try again later.")
        }
        // Before reading the head, so that no notice is missed in between.
        let heads = notices.subscribe()
        let first = try await store.head()
        // Notices are throttled, so this buffer only fills for a stalled client.
        let (chunks, output) = AsyncStream.makeStream(of: [UInt8].self, bufferingPolicy: .bufferingNewest(16))
        output.yield(Array("retry: 1000\n\n".utf8) + Self.event(first))
        let clock = clock
        let task = WorkThreads.runBeside {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await Self.forward(heads, after: first, to: output, clock: clock) }
                group.addTask { await Self.beat(output, clock: clock) }
                await group.next()
                group.cancelAll()
            }
            output.finish()
        }
        output.onTermination = { _ in task.cancel() }
        return HTTPResponse(
            status: 200,
            headers: [
                "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store",
                "x-accel-buffering": "no",
            ],
            body: .stream(chunks))
    }

    /// Skips unchanged heads, which a poller of other processes' appends also announces.
    private static func forward(
        _ heads: AsyncStream<Int64>, after first: Int64, to output: AsyncStream<[UInt8]>.Continuation,
        clock: some Clock<Duration>
    ) async {
        var last = first
        for await head in heads where head != last {
            last = head
            output.yield(event(head))
            guard (try? await clock.sleep(for: interval)) != nil else { return }
        }
    }

    private static func beat(_ output: AsyncStream<[UInt8]>.Continuation, clock: some Clock<Duration>) async {
        while (try? await clock.sleep(for: heartbeat)) != nil { output.yield(Array(": alive\n\n".utf8)) }
    }

    private static func event(_ head: Int64) -> [UInt8] {
        var builder = JSONBuilder(integers: .stringsBeyondJavaScript)
        LiveNotice.form.write(LiveNotice(head: head), to: &builder)
        return Array("data: ".utf8) + builder.bytes + Array("\n\n".utf8)
    }
}

/// Tells open pages that the store has grown. Whatever stores records calls ``notify(head:)`` after each commit.
///
/// Safe to share between threads; notifying never blocks or waits for a reader. A slow reader gets only the latest
/// head. Every stream ends with its broadcaster.
public final class LiveNotices: Sendable {
    private struct State {
        var nextReader = 0
        var readers: [Int: (asker: Asker?, continuation: AsyncStream<Int64>.Continuation)] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Creates a broadcaster without readers.
    ///
    /// ```swift
    /// let notices = LiveNotices()
    /// let store = ObservedStore(MemoryStore()) { notices.notify(head: $0) }
    /// ```
    public init() {}

    deinit { close() }

    /// Announces that the largest arrival number is now `head`.
    public func notify(head: Int64) {
        let readers = state.withLock { Array($0.readers.values) }
        for reader in readers { reader.continuation.yield(head) }
    }

    /// Ends every open stream, so that a server can stop. Later subscriptions end at once.
    public func close() {
        let readers = state.withLock { state in
            state.isClosed = true
            defer { state.readers = [:] }
            return Array(state.readers.values)
        }
        for reader in readers { reader.continuation.finish() }
    }

    /// The number of open streams.
    public var readers: Int { state.withLock { $0.readers.count } }

    func readers(of asker: Asker?) -> Int { state.withLock { $0.readers.values.count { $0.asker == asker } } }

    /// Heads from now on; a slow reader gets only the latest.
    func subscribe() -> AsyncStream<Int64> {
        let (stream, reader) = AsyncStream.makeStream(of: Int64.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state -> Int? in
            guard !state.isClosed else { return nil }
            state.nextReader += 1
            state.readers[state.nextReader] = (Asker.current, reader)
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
