import DaybookBase
import DaybookTestTraits
import DaybookTesting
import Foundation
import Testing

@testable import Daybook

/// Static calls, and logs without their own pipeline. One test, because the installed pipeline is process-wide.
@Suite(.temporaryDirectory) struct InstalledPipelineTests {
    private struct Order: LogEvent {
        static let order = EventDescriptor("installed.order")
        var number: Int64
        var descriptor: EventDescriptor { Self.order }
        func encode(into fields: inout FieldEncoder) { fields.add("number", number) }
    }

    private struct Spoilt: Error {}

    @Test("Records logged before a pipeline is installed arrive with their origin") func earlyRecordsArrive()
        async throws
    {
        let log = Log("installed.early")
        let before = PipelineClock.system.wall()
        Log.warning("static", ["n": 1], tag: "installed.static")
        let line = #line - 1
        let outer = log.start("outer")
        outer.context.whileCurrent {
            log.post(Order(number: 1))
            log.post("installed.untyped", ["n": 2])
            log.post("installed.closure") { $0["n"] = 3 }
            log.error(Spoilt())
        }
        log.measure("inner") { log.debug("within") }
        outer.end(["done": true])
        let open = log.start("ends behind the installation")
        let after = PipelineClock.system.wall()
        // A flood keeps its first records and reports the rest.
        for number in 0..<600 { log.info("flood", ["n": .int(Int64(number))]) }
        #expect(log.isEnabled(.trace))

        let told = Mutex<[String]>([])
        let output = CollectingOutput()
        let pipeline = try Pipeline(
            directory: TemporaryDirectory.current.subdirectory("first").url,
            options: quietOptions { $0.report = { text in told.withLock { $0.append(text) } } }
        ) { Route("installed.**", to: output) }
        Log.install(pipeline)
        open.end()
        log.info("installed")
        try await pipeline.flush(deadline: .seconds(60))

        let early = output.records.prefix(8)
        #expect(
            early.map(\.tag) == [
                "installed.static", "installed.order", "installed.untyped", "installed.closure", "installed.early",
                "installed.early", "installed.early", "installed.early",
            ])
        #expect(early.map(\.kind) == [.message, .event, .event, .event, .error, .message, .span, .span])
        #expect(early.allSatisfy { (before...after).contains($0.time) })
        let message = try #require(early.first)
        #expect(message.level == .warning)
        #expect(message.attributes == ["n": 1])
        #expect(message.file == "DaybookTests/InstalledPipelineTests.swift")
        #expect(message.function?.hasPrefix("earlyRecordsArrive") == true)
        #expect(message.line == line)
        #expect(message.span == nil)
        #expect(early.dropFirst().prefix(4).allSatisfy { $0.span == outer.context })
        let attributes: [Attributes] = [["number": 1], ["n": 2], ["n": 3]]
        #expect(early.dropFirst().prefix(3).map(\.attributes) == attributes)
        #expect(early[5].span == early[6].span)
        #expect(early[7].message == "outer")
        #expect(early[7].attributes["done"] == true)
        #expect((early[7].duration ?? -1) >= 0)

        let rest = output.records.dropFirst(8)
        #expect(rest.count(where: { $0.message == "flood" }) == 512 - 8)
        #expect(told.withLock { $0.contains { $0.hasPrefix("96 records were logged before a pipeline") } })
        #expect(rest.suffix(2).map(\.message) == ["ends behind the installation", "installed"])

        // A second installation is allowed and gets all later records, whichever log writes them.
        let later = CollectingOutput()
        let successor = try Pipeline(
            directory: TemporaryDirectory.current.subdirectory("second").url, options: quietOptions()
        ) {
            Route("installed.**", to: later, level: .warning)
        }
        Log.install(successor)
        #expect(!log.isEnabled(.info))
        log.info("too low now")
        log.error("later")
        await successor.shutdown(deadline: .seconds(60))
        await pipeline.shutdown(deadline: .seconds(60))
        #expect(later.records.map(\.message) == ["later"])
        #expect(output.records.last?.message == "installed")
    }
}
