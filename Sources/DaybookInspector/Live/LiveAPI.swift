import DaybookHTTP
import DaybookStore

/// The stream of notices: server-sent events, at most one in each ``interval``.
///
/// Format: WHATWG HTML, section *Server-sent events*.
struct LiveAPI: Sendable {
    /// 10 notices a second: more than the eye follows, few enough for a slow link.
    static let interval = Duration.milliseconds(100)
    /// A comment this often finds out clients that have gone without a word.
    static let heartbeat = Duration.seconds(15)

    let store: any EventStore
    let notices: LiveNotices
    let clock: any Clock<Duration>

    func stream() async throws -> HTTPResponse {
        // Subscribing before reading the head leaves no gap between the two.
        let heads = notices.subscribe()
        let first = try await store.head()
        // Notices come slower than the limit, so this buffer holds what a stalled client has missed, and no more.
        let (chunks, output) = AsyncStream.makeStream(of: [UInt8].self, bufferingPolicy: .bufferingNewest(16))
        output.yield(Array("retry: 1000\n\n".utf8) + Self.event(first))
        let clock = clock
        let task = Task {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await Self.forward(heads, to: output, clock: clock) }
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

    private static func forward(
        _ heads: AsyncStream<Int64>, to output: AsyncStream<[UInt8]>.Continuation, clock: some Clock<Duration>
    ) async {
        for await head in heads {
            output.yield(event(head))
            // The stream keeps the latest head meanwhile.
            guard (try? await clock.sleep(for: interval)) != nil else { return }
        }
    }

    private static func beat(_ output: AsyncStream<[UInt8]>.Continuation, clock: some Clock<Duration>) async {
        while (try? await clock.sleep(for: heartbeat)) != nil { output.yield(Array(": alive\n\n".utf8)) }
    }

    private static func event(_ head: Int64) -> [UInt8] {
        var writer = JSONWriter()
        writer.object {
            $0.key("head")
            $0.integer(head)
        }
        return Array("data: ".utf8) + writer.bytes + Array("\n\n".utf8)
    }
}
