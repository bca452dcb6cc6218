import DaybookBase
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

@testable import Daybook

@Suite(.temporaryDirectory) struct SwitchingTests {
    private let directory = TemporaryDirectory.current

    private struct Tap: LogEvent {
        static let tap = EventDescriptor("feed.tap")
        var descriptor: EventDescriptor { Self.tap }
        func encode(into fields: inout FieldEncoder) {}
    }

    @Test("An output can be switched off and on again") func switchesOutputOff() async throws {
        let (console, other) = (RecordingOutput(id: "console"), RecordingOutput(id: "other"))
        let said = Mutex<[String]>([])
        var options = PipelineOptions()
        options.report = { text in said.withLock { $0.append(text) } }
        let pipeline = try Pipeline(directory: directory.url, options: options) {
            Route("app.**", to: console, timing: .inline)
            Route("**", to: other, level: .warning, timing: .inline)
        }
        let log = pipeline.log("app.test")
        log.post(Tap())
        log.info("one")
        try pipeline.setEnabled(false, output: "console")
        #expect(pipeline.isEnabled(output: "console") == false)
        #expect(!log.isEnabled(.info))
        #expect(log.minimumLevel == .warning)
        log.info("two")
        log.warning("three")
        try pipeline.setEnabled(true, output: "console")
        log.info("four")
        await pipeline.shutdown(deadline: .seconds(60))
        #expect(console.records.map(\.message) == ["one", "four"])
        #expect(other.records.map(\.message) == ["three"])
        // A tag still counts as routed while its output is off.
        #expect(pipeline.unroutedCount == 0)
        #expect(said.withLock { $0 }.isEmpty)
    }

    @Test("A level override replaces the route's level and can be removed") func levelOverrideReverts() async throws {
        let console = RecordingOutput(id: "console")
        let pipeline = try Pipeline(directory: directory.url) {
            Route("**", to: console, level: .error, timing: .inline)
        }
        let log = pipeline.log("app")
        log.post(Tap())
        log.debug("no")
        try pipeline.setLevel(.debug, output: "console")
        #expect(pipeline.level(output: "console") == .debug)
        #expect(log.isEnabled(.debug))
        log.debug("yes")
        log.post(Tap())
        try pipeline.setLevel(nil, output: "console")
        #expect(log.minimumLevel == .error)
        log.warning("no")
        log.post(Tap())
        await pipeline.shutdown(deadline: .seconds(60))
        #expect(console.records.map(\.message) == ["yes", nil])
    }

    @Test("Nothing is evaluated while every output is off") func allOffEvaluatesNothing() async throws {
        let pipeline = try Pipeline(directory: directory.url) { Route("**", to: CollectingOutput(id: "all")) }
        try pipeline.setEnabled(false, output: "all")
        let log = pipeline.log()
        var evaluations = 0
        func text() -> String {
            evaluations += 1
            return "x"
        }
        log.fatal(text(), tag: text())
        log.post(Tap())
        #expect(evaluations == 0)
        #expect(log.minimumLevel == nil)
        #expect(await pipeline.ledgers()["all"]?.accepted == 0)
        await pipeline.shutdown(deadline: .seconds(60))
    }

    @Test("An unknown output is an error that names the known ones") func unknownOutputNamesKnown() async throws {
        let pipeline = try Pipeline(directory: directory.url) {
            Route("**", to: CollectingOutput(id: "server"))
            Route("**", to: RecordingOutput(id: "console"))
        }
        let error = #expect(throws: PipelineError.self) { try pipeline.setEnabled(false, output: "consol") }
        #expect(error?.code == .unknownOutput)
        #expect(
            error?.description
                == "The pipeline has no output with the id \"consol\". Its outputs are: \"server\", \"console\".")
        #expect(pipeline.isEnabled(output: "consol") == nil)
        await pipeline.shutdown(deadline: .seconds(60))
    }

    @Test("Toggling an output reuses two routing tables") func togglingReusesTables() throws {
        let table = try RoutingTable([
            .route(Route("**", to: RecordingOutput(id: "a"))), .route(Route("**", to: RecordingOutput(id: "b"))),
        ])
        let switchboard = Switchboard(table)
        let first = switchboard.table.generation
        var generations: Set<UInt32> = [first]
        for round in 0..<100 {
            try switchboard.change("b") { $0.isOn = round % 2 == 1 }
            generations.insert(switchboard.table.generation)
        }
        #expect(generations.count == 2)
        #expect(switchboard.table.generation == first)
    }

    @Test("Records logged while switching arrive whole or not at all") func switchingLosesNothing() async throws {
        let (always, sometimes) = (CollectingOutput(id: "always"), CollectingOutput(id: "sometimes"))
        let pipeline = try Pipeline(directory: directory.url) {
            Append("**", ["added": true])
            Route("**", to: always)
            Route("**", to: sometimes)
        }
        let (threads, calls) = (4, 2000)
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<threads {
                group.addTask {
                    for number in 0..<calls {
                        let log = pipeline.log("thread.\(thread)")
                        if number % 2 == 0 { log.info("\(number)") } else { log.post(Tap()) }
                    }
                }
            }
            group.addTask {
                for round in 0..<400 {
                    try? pipeline.setEnabled(round % 2 == 1, output: "sometimes")
                    try? pipeline.setLevel(round % 3 == 0 ? .error : nil, output: "sometimes")
                }
            }
        }
        try pipeline.setEnabled(true, output: "sometimes")
        try pipeline.setLevel(nil, output: "sometimes")
        pipeline.log("last").info("last")
        try await pipeline.flush(deadline: .seconds(60))
        await pipeline.shutdown(deadline: .seconds(60))
        #expect(always.records.count == threads * calls + 1)
        #expect(always.records.allSatisfy { $0.attributes["added"] == true })
        #expect(sometimes.records.last?.message == "last")
        let numbers = always.records.map(\.sequence)
        #expect(Set(numbers).count == numbers.count)
        #expect(Set(sometimes.records.map(\.sequence)).isSubset(of: numbers))
    }
}
