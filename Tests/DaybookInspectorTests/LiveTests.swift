import DaybookHTTP
import DaybookStore
import DaybookTools
import DaybookTrials
import Testing

@testable import DaybookInspector

@Suite(.timeLimit(.minutes(5))) struct LiveTests {
    private func open(_ bench: Bench) async throws -> AsyncStream<[UInt8]> {
        let response = await bench.send("GET", "/api/v1/live")
        #expect(response.status == 200)
        #expect(response.headers["content-type"] == "text/event-stream; charset=utf-8")
        guard case .stream(let stream) = response.body else {
            throw StoreError(.storage, "The live route answered with a whole body: \(response.text)")
        }
        return stream
    }

    private func next(_ chunks: inout AsyncStream<[UInt8]>.Iterator) async -> String? {
        await chunks.next().map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("The live stream starts with the newest record number") func streamStartsWithHead() async throws {
        let bench = Bench(rows: [.event("a.b"), .event("a.c")], clock: StepClock())
        var chunks = try await open(bench).makeAsyncIterator()
        #expect(await next(&chunks) == "retry: 1000\n\ndata: {\"head\":2}\n\n")
    }

    @Test("Combines the notices within a tenth of a second") func coalescesNotices() async throws {
        let clock = StepClock()
        let bench = Bench(clock: clock)
        var chunks = try await open(bench).makeAsyncIterator()
        _ = await next(&chunks)
        // The heartbeat sleeps; then the first notice goes out at once, and its task sleeps too.
        await clock.sleepers(1)
        bench.notices.notify(head: 1)
        #expect(await next(&chunks) == "data: {\"head\":1}\n\n")
        await clock.sleepers(2)
        for head in 2...500 { bench.notices.notify(head: Int64(head)) }
        clock.advance(by: LiveAPI.interval)
        #expect(await next(&chunks) == "data: {\"head\":500}\n\n")
        await clock.sleepers(2)
        bench.notices.notify(head: 501)
        clock.advance(by: LiveAPI.interval)
        #expect(await next(&chunks) == "data: {\"head\":501}\n\n")
    }

    @Test("Does not send the same head twice") func skipsRepeatedHead() async throws {
        let clock = StepClock()
        let bench = Bench(rows: [.event("a.b")], clock: clock)
        var chunks = try await open(bench).makeAsyncIterator()
        _ = await next(&chunks)
        await clock.sleepers(1)
        bench.notices.notify(head: 1)
        clock.advance(by: LiveAPI.heartbeat)
        #expect(await next(&chunks) == ": alive\n\n")
        bench.notices.notify(head: 2)
        #expect(await next(&chunks) == "data: {\"head\":2}\n\n")
    }

    @Test("An idle stream sends heartbeats") func sendsHeartbeat() async throws {
        let clock = StepClock()
        let bench = Bench(clock: clock)
        var chunks = try await open(bench).makeAsyncIterator()
        _ = await next(&chunks)
        await clock.sleepers(1)
        clock.advance(by: LiveAPI.heartbeat)
        #expect(await next(&chunks) == ": alive\n\n")
        bench.notices.close()
        #expect(await next(&chunks) == nil)
    }

    @Test("Refuses more streams than allowed") func limitsStreams() async throws {
        let bench = Bench(clock: StepClock())
        let streams = (0..<LiveAPI.mostReaders).map { _ in bench.notices.subscribe() }
        #expect(await bench.send("GET", "/api/v1/live").status == 503)
        bench.notices.close()
        #expect(streams.count == LiveAPI.mostReaders)
    }

    /// A client that opens all it can leaves as many to the next, and half of those to the one after.
    @Test("One client may open half of the free streams") func sharesStreamsFairly() async throws {
        let bench = Bench(clock: StepClock())
        var streams: [AsyncStream<Int64>] = []
        for (name, share) in [("reader", 128), ("other", 64), ("manager", 32)] {
            Asker.$current.withValue(Asker(name: name)) {
                var count = 0
                while bench.notices.readers(of: Asker.current) < LiveAPI.mostReaders - bench.notices.readers {
                    streams.append(bench.notices.subscribe())
                    count += 1
                }
                #expect(count == share, "\(name)")
            }
        }
        #expect(await bench.send("GET", "/api/v1/live").status == 200)
        bench.notices.close()
        #expect(streams.count == 224)
    }

    @Test("Closing the notices ends every stream") func closingEndsStreams() async throws {
        let bench = Bench(clock: StepClock())
        var first = try await open(bench).makeAsyncIterator()
        var second = try await open(bench).makeAsyncIterator()
        _ = await next(&first)
        _ = await next(&second)
        bench.notices.close()
        #expect(await next(&first) == nil)
        #expect(await next(&second) == nil)
        #expect(bench.notices.readers == 0)
    }

    @Test("Streams end when the sender of notices is released") func releasedNoticesEndStreams() async {
        let heads = LiveNotices().subscribe()
        for await _ in heads { Issue.record("a notice without a sender") }
    }

    @Test("A stream opened after closing ends at once") func lateStreamEndsAtOnce() async throws {
        let bench = Bench(clock: StepClock())
        bench.notices.close()
        var chunks = try await open(bench).makeAsyncIterator()
        _ = await next(&chunks)
        #expect(await next(&chunks) == nil)
    }

    @Test("Forgets a reader that disconnects") func forgetsGoneReaders() async throws {
        let clock = StepClock()
        let bench = Bench(clock: clock)
        let stream = try await open(bench)
        #expect(bench.notices.readers == 1)
        await clock.sleepers(1)
        let reader = Task { for await _ in stream {} }
        reader.cancel()
        await reader.value
        try await eventually("the reader is forgotten") { bench.notices.readers == 0 }
    }
}
