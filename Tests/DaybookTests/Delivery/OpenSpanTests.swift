import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

@testable import Daybook

@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct OpenSpanTests {
    private let directory = TemporaryDirectory.current.subdirectory("first")

    /// A copy of the disk, as the next launch would find it if the process died now.
    private static func state(of directory: TemporaryDirectory) async throws -> TemporaryDirectory {
        let copy = TemporaryDirectory.current.subdirectory(UUID().uuidString)
        try await snapshot(of: directory.url, to: copy.url)
        return copy
    }

    private static func launch(
        _ directory: TemporaryDirectory, version: String, to output: some BatchOutput,
        _ filters: [any FilterStage] = []
    ) throws -> Pipeline<EmptyContext> {
        let options = quietOptions { $0.resource["service.version"] = .string(version) }
        return try Pipeline(directory: directory.url, options: options) {
            for filter in filters { PipelineBuilder.Part.filter(filter) }
            Route("**", to: output, batch: neverByItself)
        }
    }

    private static func delivered(
        from directory: TemporaryDirectory, _ filters: [any FilterStage] = []
    ) async throws -> (records: [Record], ledger: Ledger, batches: [Batch]) {
        let output = CollectingOutput(id: "out")
        let pipeline = try launch(directory, version: "next", to: output, filters)
        try await pipeline.flush(deadline: .seconds(60))
        let ledger = try #require(await pipeline.ledgers()["out"])
        await pipeline.shutdown(deadline: .seconds(60))
        return (output.records, ledger, output.batches)
    }

    private func resource(_ batch: Batch) -> String {
        String(decoding: batch.contexts.flatMap(\.resource), as: UTF8.self)
    }

    @Test("Open nested spans are recovered once with their own contexts") func openSpansRecoverOnce() async throws {
        let first = try Self.launch(directory, version: "first", to: CollectingOutput(id: "out"))
        let log = first.log("work")
        let outer = log.start("outer", level: .warning)
        let inner = log.start("inner", parent: outer)
        log.start("ended", parent: outer).end()
        log.info("last")
        let state = try await Self.state(of: directory)
        await first.shutdown(deadline: .seconds(60))

        let (records, ledger, batches) = try await Self.delivered(from: state)
        let open = records.filter { $0.attributes["daybook.unfinished"] == true }
        #expect(open.map(\.message) == ["outer", "inner"])
        #expect(open.map(\.span) == [outer.context, inner.context])
        #expect(open.map(\.parentSpanID) == [nil, outer.context.span])
        #expect(open.map(\.level) == [.warning, .info])
        #expect(open.allSatisfy { $0.kind == .span && $0.failure != nil && $0.tag == "work" })
        #expect(open.allSatisfy { $0.context["session.id"] == .string(first.sessionID) })
        let last = try #require(records.first { $0.message == "last" })
        #expect(open.allSatisfy { $0.time + ($0.duration ?? -1) == last.time })
        #expect(records.compactMap(\.message) == ["ended", "last", "outer", "inner"])
        // The records have the sender's stream but another resource, hence batches of their own.
        #expect(batches.count == 2 && batches.allSatisfy { resource($0).contains("first") })
        #expect((ledger.accepted, ledger.recovered, ledger.delivered, ledger.pending) == (4, 2, 4, 0))
        // The spans are now recorded as ended: a third launch finds nothing.
        let later = try await Self.delivered(from: state)
        #expect(later.records.isEmpty && later.ledger.accepted == 0)
    }

    @Test("Launches that die before delivery recover an open span once") func undeliveredRecoverOnce() async throws {
        let first = try Self.launch(directory, version: "first", to: GatedOutput(id: "out"))
        let span = first.log().start("open")
        var current = try await Self.state(of: directory)
        await first.shutdown(deadline: .zero)
        for _ in 0..<3 {
            let next = try Self.launch(current, version: "next", to: GatedOutput(id: "out"))
            // The answer proves that recovery is done.
            #expect(await next.ledgers()["out"]?.accepted == 1)
            let dead = try await Self.state(of: current)
            await next.shutdown(deadline: .zero)
            current = dead
        }
        let (records, ledger, _) = try await Self.delivered(from: current)
        #expect(records.map(\.span) == [span.context])
        #expect((ledger.accepted, ledger.recovered, ledger.delivered) == (1, 1, 1))
    }

    @Test(
        "A span is not recovered as open if its end goes unrecorded",
        arguments: ["drop", "limit", "rewrite", "message", "off"])
    func unstoredEndClosesSpan(how: String) async throws {
        struct Remove: Filter {
            func filter(_ record: Record, captured: Substring?, emit: (Record) -> Void) {
                if record.duration == nil { emit(record) }
            }
        }
        struct Flatten: Filter {
            func filter(_ record: Record, captured: Substring?, emit: (Record) -> Void) {
                var record = record
                if record.duration != nil { record.kind = .message }
                emit(record)
            }
        }
        struct EndGate: Gate {
            func decide(tag: String, level: Level) -> GateDecision { .drop }
            var isCounting: Bool { true }
        }
        let filters: [any FilterStage] =
            switch how {
            case "drop": [Filtered("work", by: EndGate())]
            case "limit": [RateLimit("work", 1, per: .seconds(36_000))]
            case "rewrite": [Filtered("work", by: Remove())]
            case "message": [Filtered("work", by: Flatten())]
            default: []
            }
        let first = try Self.launch(directory, version: "first", to: GatedOutput(id: "out"), filters)
        let log = first.log("work")
        if how == "limit" { log.info("takes the place") }
        let span = log.start("span")
        if how == "off" { try first.setEnabled(false, output: "out") }
        span.end()
        let state = try await Self.state(of: directory)
        await first.shutdown(deadline: .zero)
        let (records, ledger, _) = try await Self.delivered(from: state)
        #expect(records.allSatisfy { $0.kind != .span })
        #expect(records.count == (["limit", "message"].contains(how) ? 1 : 0))
        #expect(ledger.accepted == UInt64(records.count) && ledger.delivered == ledger.accepted)
    }

    @Test("Dropped spans are not recovered, and redacted text never reaches disk") func recoveryRespectsFilters()
        async throws
    {
        let filters: [any FilterStage] = [Drop("noise.**"), Redact.credentials, Append("work", ["build": 7])]
        let first = try Self.launch(directory, version: "first", to: GatedOutput(id: "out"), filters)
        let dropped = first.log("noise.loud").start("dropped")
        let kept = first.log("work").start("login token=hunter2hunter2")
        let state = try await Self.state(of: directory)
        await first.shutdown(deadline: .zero)
        for case let file as String in FileManager.default.enumerator(atPath: state.path) ?? .init() {
            let bytes = FileManager.default.contents(atPath: state.path + "/" + file) ?? Data()
            #expect(bytes.range(of: Data("hunter2".utf8)) == nil, "\(file) holds the secret")
        }
        let records = try await Self.delivered(from: state, filters).records
        #expect(records.map(\.message) == ["login token=[redacted]"])
        #expect(records.first?.attributes["build"] == 7)
        #expect(dropped.name == "dropped" && kept.name.hasPrefix("login"))
    }

    @Test("Immediate outputs see no spans recovered from an earlier launch") func immediateSkipsRecovered() async throws
    {
        let none = ClosureOutput(id: "now") { _ in }
        let first = try Pipeline(directory: directory.url, options: quietOptions()) {
            Route("**", to: none)
            Route("**", to: GatedOutput(id: "out"), batch: neverByItself)
        }
        let span = first.log().start("open")
        let state = try await Self.state(of: directory)
        await first.shutdown(deadline: .zero)
        let output = CollectingOutput(id: "out")
        let second = try Pipeline(directory: state.url, options: quietOptions()) {
            Route("**", to: ClosureOutput(id: "now") { _ in Issue.record("it came at once") })
            Route("**", to: output, batch: neverByItself)
        }
        try await second.flush(deadline: .seconds(60))
        let ledgers = await second.ledgers()
        await second.shutdown(deadline: .seconds(60))
        #expect(output.records.map(\.span) == [span.context])
        #expect(ledgers["now"]?.accepted == 0 && ledgers["out"]?.delivered == 1)
    }

    @Test("Finds a thousand open spans among many records") func findsThousandOpenSpans() async throws {
        let first = try Self.launch(directory, version: "first", to: GatedOutput(id: "out"))
        let log = first.log()
        var open: [LogMeasurement] = []
        for number in 0..<20_000 {
            let span = log.start("s")
            if number % 20 == 0 { open.append(span) } else { span.end() }
        }
        let state = try await Self.state(of: directory)
        await first.shutdown(deadline: .zero)
        let (records, ledger, _) = try await Self.delivered(from: state)
        let unfinished = records.filter { $0.attributes["daybook.unfinished"] == true }
        #expect(unfinished.map(\.span) == open.map(\.context))
        #expect((ledger.accepted, ledger.delivered, ledger.recovered) == (20_000, 20_000, 19_000))
    }
}
