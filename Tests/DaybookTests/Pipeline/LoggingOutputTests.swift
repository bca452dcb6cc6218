import DaybookBase
import DaybookTestTraits
import DaybookTesting
import Foundation
import Testing

@testable import Daybook

/// Logging from an output, or from a value being encoded, must be harmless.
@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct LoggingOutputTests {
    private let directory = TemporaryDirectory.current

    /// Logs whatever it receives, from its task, a child task and an actor.
    private final class Chatty: BatchOutput {
        let id: String
        let log = Mutex<Log?>(nil)
        let records = Mutex<[Record]>([])

        init(_ id: String) { self.id = id }

        private actor Other {
            func say(_ text: String, _ log: Log) { log.info(text) }
        }

        func send(_ batch: Batch) async -> Delivery {
            records.withLock { $0 += batch.records }
            guard let log = log.withLock({ $0 }) else { return .delivered }
            log.info("\(id) sends")
            async let child: Void = log.info("\(id)'s child")
            await child
            await Task.yield()
            await Other().say("\(id)'s actor", log)
            return .delivered
        }

        var texts: Set<String> { Set(records.withLock { $0 }.compactMap(\.message)) }
    }

    @Test(
        "A record logged by a batch output goes only to the others",
        arguments: [SendRunner.Place.ownThread, .sharedThreads])
    func batchOutputSkipsOwnLogs(_ place: SendRunner.Place) async throws {
        let (chatty, quiet) = (Chatty("chatty"), Chatty("quiet"))
        var options = quietOptions()
        options.sendPlace = place
        let pipeline = try Pipeline(directory: directory.url, options: options) {
            Route("**", to: chatty, batch: BatchLimits(delay: .zero))
            Route("**", to: quiet, batch: BatchLimits(delay: .zero))
        }
        chatty.log.withLock { $0 = pipeline.log() }
        pipeline.log().info("hello")
        try await pipeline.flush(deadline: .seconds(60))
        try await pipeline.flush(deadline: .seconds(60))
        let ledgers = await pipeline.ledgers()
        await pipeline.shutdown(deadline: .seconds(60))
        #expect(chatty.texts == ["hello"])
        #expect(quiet.texts == ["hello", "chatty sends", "chatty's child", "chatty's actor"])
        #expect(ledgers["chatty"]?.accepted == 1 && ledgers["quiet"]?.accepted == 4)
    }

    private struct TalkingValue: LogValue {
        let log: Log
        var logValue: Value {
            log.info("from within")
            log.start("a span from within").end()
            return "value"
        }
    }

    private struct TalkingEvent: LogEvent {
        static let talking = EventDescriptor("talking.event")
        let log: Log
        var descriptor: EventDescriptor { Self.talking }
        func encode(into fields: inout FieldEncoder) {
            log.info("from an event")
            log.post(self)
            fields.add("v", TalkingValue(log: log))
        }
    }

    private struct TalkingEnrichment: Enrichment {
        let log: SharedLog
        func encode(into fields: inout FieldEncoder) {
            log.value?.info("from an enrichment")
            fields.add("enriched", true)
        }
    }

    @Test("A value that logs while it is encoded neither blocks nor crashes") func encodingMayLog() async throws {
        let told = Mutex<[String]>([])
        let output = CollectingOutput()
        let holder = SharedLog()
        var options = quietOptions()
        options.report = { text in told.withLock { $0.append(text) } }
        let pipeline = try Pipeline(directory: directory.url, options: options) {
            Filtered("talking.enriched", by: TalkingEnrichment(log: holder))
            Route("**", to: output)
        }
        let log = pipeline.log("talking.enriched")
        holder.value = pipeline.log()
        pipeline.log().post(TalkingEvent(log: pipeline.log()))
        log.info("enriched")
        pipeline.log().info("after")
        try await pipeline.flush(deadline: .seconds(60))
        let ledger = try #require(await pipeline.ledgers()["collecting"])
        await pipeline.shutdown(deadline: .seconds(60))
        #expect(output.records.map(\.tag) == ["talking.event", "talking.enriched", "app"])
        #expect(output.records.first?.attributes["v"] == "value")
        #expect(output.records.dropFirst().first?.attributes["enriched"] == true)
        #expect((ledger.accepted, ledger.delivered) == (3, 3))
        #expect(told.withLock { $0 }.contains { $0.contains("while it was encoded") })
    }

    @Test("Inline outputs receive the context and have a ledger") func inlineGetsContext() async throws {
        let seen = Mutex<[Record]>([])
        struct NoDebug: Filter {
            func filter(_ record: Record, captured: Substring?, emit: (Record) -> Void) {
                if record.level != .debug { emit(record) }
            }
        }
        let pipeline = try Pipeline(directory: directory.url, options: quietOptions()) {
            Route(
                "**", to: ClosureOutput(id: "inline") { record in seen.withLock { $0.append(record) } },
                timing: .inline,
                transform: NoDebug())
        }
        pipeline.log().info("one")
        pipeline.log().debug("dropped on its way")
        let during = try #require(await pipeline.ledgers()["inline"])
        await pipeline.suspend()
        await pipeline.shutdown(deadline: .seconds(60))
        pipeline.log().info("after the end")
        let after = try #require(await pipeline.ledgers()["inline"])
        #expect(
            seen.withLock { $0 }.map(\.context)
                == Array(repeating: ["session.id": .string(pipeline.sessionID)], count: 2))
        #expect((during.accepted, during.delivered, during.dropped) == (2, 1, [.transformed: 1]))
        #expect((after.accepted, after.delivered, after.pending) == (3, 2, 0))
    }
}

private final class SharedLog: Sendable {
    private let place = Mutex<Log?>(nil)
    var value: Log? {
        get { place.withLock { $0 } }
        set { place.withLock { $0 = newValue } }
    }
}
