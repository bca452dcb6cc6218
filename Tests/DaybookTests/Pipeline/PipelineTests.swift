import DaybookBase
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

@testable import Daybook

@Suite(.temporaryDirectory) struct PipelineTests {
    private let directory = TemporaryDirectory.current

    private struct Context: LogContext {
        var userID: Int64?
        func encode(into fields: inout FieldEncoder) { fields.add("user_id", userID) }
    }

    private struct Search: LogEvent {
        static let search = EventDescriptor("recipe_search.search")
        var keyword: String
        var descriptor: EventDescriptor { Self.search }
        func encode(into fields: inout FieldEncoder) { fields.add("keyword", keyword, limit: 8) }
    }

    private struct Failure: LocalizedError, CustomNSError, LeveledError {
        var errorDescription: String? { "no eggs" }
        var logLevel: Level { .fatal }
        var errorUserInfo: [String: Any] { ["shelf": 3, NSUnderlyingErrorKey: CocoaError(.fileNoSuchFile)] }
    }

    @Test("Every kind of record arrives in order with its context") func kindsArriveInOrder() async throws {
        let output = CollectingOutput()
        let pipeline = try Pipeline(directory: directory.url, context: Context(userID: nil)) {
            Route("**", to: output)
        }
        let log = pipeline.log("app.test")
        log.info("launched", ["cold": true])
        pipeline.updateContext { $0.userID = 42 }
        log.post(Search(keyword: "たまご焼き"))
        log.post("pv.recipe.detail", ["recipe_id": 42])
        log.error(Failure())
        log.measure("load") { log.debug("inside") }
        try await pipeline.flush(deadline: .seconds(60))
        await pipeline.shutdown(deadline: .seconds(60))

        let records = output.records
        #expect(records.map(\.kind) == [.message, .event, .event, .error, .message, .span])
        #expect(
            records.map(\.tag) == [
                "app.test", "recipe_search.search", "pv.recipe.detail", "app.test", "app.test", "app.test",
            ])
        #expect(records[0].message == "launched")
        #expect(records[0].attributes == ["cold": true])
        #expect(records[0].file == "DaybookTests/PipelineTests.swift")
        #expect(records[0].context["user_id"] == nil)
        #expect(records[1].context["user_id"] == 42)
        // Eight bytes hold only two characters of three bytes.
        #expect(records[1].attributes == ["keyword": "たま"])
        #expect(records[3].level == .fatal)
        #expect(records[3].message == "no eggs")
        #expect(records[3].attributes["shelf"] == 3)
        #expect(records[3].attributes["daybook.error.causes"] != nil)
        #expect(records[4].span == records[5].span)
        #expect((records[5].duration ?? -1) >= 0)
        #expect(Set(records.map { $0.context["session.id"] }).count == 1)
        #expect(records.map(\.sequence) == records.map(\.sequence).sorted())
    }

    /// The table at the end of Puree's article.
    @Test(
        "The tag selects the filters and outputs, as in Puree",
        arguments: [
            ("pv.recipe.list", true, ["console", "server"]), ("pv.recipe.detail", true, ["console", "server"]),
            ("activity.recipe.tap", false, ["console"]), ("event.special", false, []),
        ])
    func tagSelectsRoute(tag: String, isFiltered: Bool, outputs: [String]) async throws {
        let (console, server) = (RecordingOutput(id: "console"), CollectingOutput(id: "server"))
        let pipeline = try Pipeline(directory: directory.url, options: quietOptions()) {
            Append("pv.**", ["page_view": true])
            Route("activity.**", to: console, timing: .inline)
            Route("pv.**", to: console, timing: .inline)
            Route("pv.**", to: server)
        }
        pipeline.log().post(tag, ["page_name": "top", "user_id": 100])
        try await pipeline.flush(deadline: .seconds(60))
        let printed = console.records
        #expect((printed.isEmpty ? [] : ["console"]) + (server.records.isEmpty ? [] : ["server"]) == outputs)
        for record in printed + server.records {
            #expect(record.tag == tag)
            #expect((record.attributes["page_view"] == true) == isFiltered)
            #expect(record.attributes["user_id"] == 100)
        }
        #expect(pipeline.unroutedCount == (outputs.isEmpty ? 1 : 0))
        await pipeline.shutdown(deadline: .seconds(60))
    }

    @Test("Routes choose outputs by pattern and level") func routesByPatternAndLevel() async throws {
        let (feed, errors) = (RecordingOutput(id: "feed"), RecordingOutput(id: "errors"))
        let pipeline = try Pipeline(directory: directory.url) {
            Route("feed.**", to: feed, timing: .inline)
            Route("**", to: errors, level: .error)
        }
        pipeline.log("feed.list").info("one")
        pipeline.log("other").info("two")
        pipeline.log("feed.list").error("three")
        await pipeline.shutdown(deadline: .seconds(60))
        #expect(feed.records.map(\.message) == ["one", "three"])
        #expect(errors.records.map(\.message) == ["three"])
    }

    private final class Chatty: Output {
        let id: String
        let count = Mutex(0)
        let log = Mutex<Log?>(nil)
        init(id: String) { self.id = id }
        func write(_ record: Record) {
            count.withLock { $0 += 1 }
            log.withLock { $0 }?.info("I took a record")
        }
    }

    @Test("A record logged by an output goes only to the others") func outputSkipsOwnLogs() async throws {
        let (inline, immediate, quiet) = (Chatty(id: "inline"), Chatty(id: "immediate"), CollectingOutput())
        let pipeline = try Pipeline(directory: directory.url) {
            Route("**", to: inline, timing: .inline)
            Route("**", to: immediate)
            Route("**", to: quiet)
        }
        inline.log.withLock { $0 = pipeline.log("inline") }
        immediate.log.withLock { $0 = pipeline.log("immediate") }
        pipeline.log("app").info("hello")
        try await pipeline.flush(deadline: .seconds(60))
        await pipeline.shutdown(deadline: .seconds(60))
        // The immediate output gets "hello" and the inline one's remark; the inline one gets "hello" and both remarks.
        #expect(immediate.count.withLock { $0 } == 2)
        #expect(inline.count.withLock { $0 } == 3)
        #expect(quiet.records.count >= 2)
    }

    private struct ChattyFilter: Filter {
        let log: @Sendable () -> Void
        func filter(_ record: Record, captured: Substring?, emit: (Record) -> Void) {
            log()
            var changed = record
            changed.attributes["seen"] = true
            emit(changed)
            if record.message == "twice" { emit(record) }
        }
    }

    @Test("A filter can change, split and log records") func filterSplitsAndLogs() async throws {
        let output = CollectingOutput()
        let said = Mutex<[String]>([])
        var options = PipelineOptions()
        options.report = { text in said.withLock { $0.append(text) } }
        let log = Mutex<Log?>(nil)
        let pipeline = try Pipeline(directory: directory.url, options: options) {
            Filtered("app.**", by: ChattyFilter(log: { log.withLock { $0 }?.info("from the filter") }))
            Route("**", to: output)
        }
        log.withLock { $0 = pipeline.log("app.filter") }
        pipeline.log("app.a").info("once")
        pipeline.log("app.a").info("twice")
        pipeline.log("other").info("untouched")
        try await pipeline.flush(deadline: .seconds(60))
        await pipeline.shutdown(deadline: .seconds(60))
        #expect(output.records.map(\.message) == ["once", "twice", "twice", "untouched"])
        #expect(output.records.map { $0.attributes["seen"] } == [true, true, nil, nil])
        #expect(said.withLock { $0.count } == 1)
    }

    @Test("A message below the level is not evaluated") func skipsLowLevelMessage() async throws {
        let seen = RecordingOutput(id: "seen")
        let pipeline = try Pipeline(directory: directory.url) { Route("**", to: seen, level: .warning) }
        func forbidden() -> String {
            Issue.record("the message must not be evaluated")
            return ""
        }
        pipeline.log().info(forbidden())
        await pipeline.shutdown(deadline: .seconds(60))
    }

    @Test("A tag without a route is counted and reported once") func unroutedReportedOnce() async throws {
        let said = Mutex<[String]>([])
        var options = PipelineOptions()
        options.report = { text in said.withLock { $0.append(text) } }
        let pipeline = try Pipeline(directory: directory.url, options: options) {
            Route("feed.**", to: RecordingOutput(id: "feed"))
        }
        for _ in 0..<3 { pipeline.log("other.tag").info("lost") }
        #expect(pipeline.unroutedCount == 3)
        #expect(said.withLock { $0.filter { $0.contains("other.tag") }.count } == 1)
        await pipeline.shutdown(deadline: .seconds(60))
    }

    @Test("The next launch delivers what an output could not accept") func nextLaunchDelivers() async throws {
        let down = CollectingOutput(
            id: "collector", answers: Array(repeating: .retry(after: .seconds(3600), reason: "down"), count: 9))
        var options = PipelineOptions()
        options.report = { _ in }
        let first = try Pipeline(directory: directory.url, options: options) { Route("**", to: down) }
        for number in 0..<1000 { first.log().info("m", ["n": .int(Int64(number))]) }
        await first.shutdown(deadline: .milliseconds(50))
        #expect(down.records.isEmpty)

        let up = CollectingOutput(id: "collector")
        let second = try Pipeline(directory: directory.url, options: options) { Route("**", to: up) }
        second.log().info("m", ["n": 1000])
        try await second.flush(deadline: .seconds(60))
        let ledger = try #require(await second.ledgers()["collector"])
        await second.shutdown(deadline: .seconds(60))
        #expect(numbers(in: up) == Array(0...1000))
        #expect(ledger.accepted == 1001)
        #expect(ledger.recovered == 1000)
        #expect(ledger.delivered == 1001)
        #expect(ledger.pending == 0)
    }

    @Test("A refused record is isolated and the others arrive") func refusalSparesOthers() async throws {
        struct Picky: BatchOutput {
            let id = "picky"
            let taken: CollectingOutput
            func send(_ batch: Batch) async -> Delivery {
                if batch.records.contains(where: { $0.attributes["n"] == 13 }) { return .refused(reason: "thirteen") }
                return await taken.send(batch)
            }
        }
        let taken = CollectingOutput()
        let pipeline = try Pipeline(directory: directory.url) { Route("**", to: Picky(taken: taken)) }
        for number in 0..<64 { pipeline.log().info("m", ["n": .int(Int64(number))]) }
        try await pipeline.flush(deadline: .seconds(60))
        let ledger = try #require(await pipeline.ledgers()["picky"])
        await pipeline.shutdown(deadline: .seconds(60))
        #expect(numbers(in: taken) == Array(0..<13) + Array(14..<64))
        #expect(ledger.delivered == 63)
        #expect(ledger.dropped.isEmpty && ledger.quarantined == 1 && ledger.pending == 0)
    }

    @Test("An unwritable directory uses memory and is reported once") func unwritableMeansMemory() async throws {
        // A file in the directory's place: permissions would not stop root.
        let blocked = directory.url.appendingPathComponent("blocked")
        try Data().write(to: blocked)
        let said = Mutex<[String]>([])
        var options = PipelineOptions()
        options.report = { text in said.withLock { $0.append(text) } }
        let output = CollectingOutput()
        let pipeline = try Pipeline(directory: blocked, options: options) { Route("**", to: output) }
        for number in 0..<100 { pipeline.log().info("kept", ["n": .int(Int64(number))]) }
        try await pipeline.flush(deadline: .seconds(60))
        await pipeline.shutdown(deadline: .seconds(60))
        #expect(output.records.count == 100)
        #expect(said.withLock { $0.filter { $0.contains("kept in memory") }.count } == 1)
    }

    @Test("Shortens a record of five megabytes instead of refusing it") func shortensFiveMegabytes() async throws {
        let output = CollectingOutput()
        let pipeline = try Pipeline(directory: directory.url) { Route("**", to: output) }
        pipeline.log().info("big", ["blob": .string(String(repeating: "🍳", count: 1_300_000)), "small": 1])
        try await pipeline.flush(deadline: .seconds(60))
        await pipeline.shutdown(deadline: .seconds(60))
        let record = try #require(output.records.first)
        #expect(record.attributes["small"] == 1)
        #expect(record.attributes[Record.truncatedKey] == ["blob"])
        #expect(pipeline.core.truncated == 1)
    }

    @Test("Concurrent threads neither lose nor repeat records") func threadsLoseNothing() async throws {
        let output = CollectingOutput()
        let pipeline = try Pipeline(directory: directory.url) {
            Route("**", to: output, batch: BatchLimits(count: 100, delay: .milliseconds(1)))
        }
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    for number in 0..<2000 { pipeline.log().info("m", ["n": .int(Int64(worker * 2000 + number))]) }
                }
            }
        }
        try await pipeline.flush(deadline: .seconds(60))
        await pipeline.shutdown(deadline: .seconds(60))
        let numbers = numbers(in: output)
        #expect(numbers.count == 16_000)
        #expect(Set(numbers).count == 16_000)
    }

    private func numbers(in output: CollectingOutput) -> [Int64] {
        output.records.compactMap { record in
            if case .int(let number)? = record.attributes["n"] { number } else { nil }
        }
    }
}
