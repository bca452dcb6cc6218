import DaybookBase
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

@testable import Daybook

/// The fast path of gates, enrichments and screens must agree with the slow path.
@Suite(.temporaryDirectory) struct FilterPathTests {
    private let directory = TemporaryDirectory.current

    private struct Chance {
        var generator: SeededGenerator

        mutating func pick<Element>(_ choices: [Element]) -> Element {
            choices[Int.random(in: 0..<choices.count, using: &generator)]
        }

        /// A deterministic filter, so that both paths get the same answers.
        mutating func filter(number: Int) -> PipelineBuilder.Part {
            let pattern = pick(["**", "a.**", "a.*", "a.b", "b.**", "*", "a.b.*"])
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: return .filter(Append(pattern, ["added.\(number)": .int(Int64(number)), "note": "x y"]))
            case 1: return .filter(Append(pattern, ["session_token": "abc"]))
            case 2: return .filter(Drop(pattern, below: pick([.info, .warning])))
            case 3: return .filter(Filtered(pattern, by: Weighing(weight: pick([1, 2, 4]))))
            case 4: return .filter(Redact(pattern))
            default: return .filter(Filtered(pattern, by: OnlyOdd()))
            }
        }
    }

    private struct Weighing: Gate {
        let weight: Double
        func decide(tag: String, level: Level) -> GateDecision { .pass(weight: weight) }
    }

    private struct OnlyOdd: Gate {
        func decide(tag: String, level: Level) -> GateDecision { tag.utf8.count % 3 == 0 ? .drop : .pass }
    }

    private struct Tap: LogEvent {
        static let tap = EventDescriptor("a.b")
        var text: String
        var descriptor: EventDescriptor { Self.tap }
        func encode(into fields: inout FieldEncoder) {
            fields.add("text", text)
            fields.add("count", 7)
        }
    }

    private func arriving(
        _ filters: [PipelineBuilder.Part], inline: Bool, calls: [(Pipeline<EmptyContext>) -> Void]
    ) async throws -> (records: [Record], filtered: UInt64) {
        let seen = RecordingOutput()
        let time = Mutex<Int64>(0)
        var options = PipelineOptions()
        options.report = { _ in }
        options.clock = PipelineClock(
            wall: {
                time.withLock { time in
                    time += 1
                    return time
                }
            }, monotonic: { 0 })
        let pipeline = try Pipeline(directory: directory.url, options: options) {
            for filter in filters { filter }
            Route("**", to: seen, timing: inline ? .inline : .immediate)
        }
        for call in calls { call(pipeline) }
        _ = await pipeline.ledgers()
        await pipeline.shutdown(deadline: .seconds(60))
        return (seen.records, pipeline.filteredCount)
    }

    /// What must not depend on the path. The time may: a dropped record reads no clock. So may an inline output's
    /// number and the position of the weight.
    private func essence(_ record: Record) -> Record {
        var record = record
        let weight = record.attributes[WireName.sampleWeight.description]
        record.attributes[WireName.sampleWeight.description] = nil
        if let weight { record.attributes[WireName.sampleWeight.description] = weight }
        record.time = 0
        record.duration = nil
        record.span = nil
        record.sequence = 0
        record.context = [:]
        return record
    }

    @Test("The fast path yields what the slow path does", arguments: 0..<24) func fastPathEqualsSlow(seed: Int)
        async throws
    {
        var chance = Chance(generator: SeededGenerator(seed: UInt64(seed)))
        let filters = (0..<Int.random(in: 1...6, using: &chance.generator)).map { chance.filter(number: $0) }
        var calls: [(Pipeline<EmptyContext>) -> Void] = []
        for _ in 0..<40 {
            let (tag, level) = (
                chance.pick(["a", "a.b", "a.b.c", "b", "b.cc", "zz", "", "a..b", "a."]), chance.pick(Level.allCases)
            )
            let text = chance.pick(["plain", "password=hunter2", "with a space", "Bearer abcdefgh12345678", ""])
            switch Int.random(in: 0..<3, using: &chance.generator) {
            case 0: calls.append { $0.log().post(Tap(text: text)) }
            case 1:
                calls.append {
                    $0.log(tag).message(level, text, ["token": .string(text), "list": ["x", .string(text)]])
                }
            default: calls.append { $0.log(tag).start(text, level: level).end(["n": 1, "t": .string(text)]) }
            }
        }
        // A filter that changes nothing still forces the slow path.
        let slow = try await arriving([.filter(Map("**") { _, _ in })] + filters, inline: false, calls: calls)
        let fast = try await arriving(filters, inline: false, calls: calls)
        let inline = try await arriving(filters, inline: true, calls: calls)
        #expect(fast.records.map(essence) == slow.records.map(essence))
        #expect(inline.records.map(essence) == slow.records.map(essence))
        #expect(fast.filtered == slow.filtered)
        #expect(inline.filtered == slow.filtered)
    }

    @Test("A record dropped by a gate reads no clock and is not encoded") func droppedCostsNothing() async throws {
        struct Costly: LogEvent {
            static let descriptor = EventDescriptor("a.costly")
            let encoded: @Sendable () -> Void
            var descriptor: EventDescriptor { Self.descriptor }
            func encode(into fields: inout FieldEncoder) { encoded() }
        }
        let readings = Mutex(0)
        let encodings = Mutex(0)
        var options = PipelineOptions()
        options.clock = PipelineClock(
            wall: {
                readings.withLock { $0 += 1 }
                return 0
            }, monotonic: { 0 })
        let pipeline = try Pipeline(directory: directory.url, options: options) {
            Drop("a.**", below: .error)
            Route("**", to: CollectingOutput())
        }
        pipeline.log().post(Costly { encodings.withLock { $0 += 1 } })
        pipeline.log("a.b").info("dropped")
        #expect(readings.withLock { $0 } == 0)
        #expect(encodings.withLock { $0 } == 0)
        #expect(pipeline.filteredCount == 2)
        pipeline.log("b").info("kept")
        #expect(readings.withLock { $0 } == 1)
        await pipeline.shutdown(deadline: .seconds(60))
    }

    @Test("A record is encoded once on either path") func encodesOnce() async throws {
        struct Counted: LogEvent {
            static let descriptor = EventDescriptor("a.counted")
            let text: String
            let encoded: @Sendable () -> Void
            var descriptor: EventDescriptor { Self.descriptor }
            func encode(into fields: inout FieldEncoder) {
                encoded()
                fields.add("text", text)
            }
        }
        let ways: [[PipelineBuilder.Part]] = [
            [], [.filter(Append("**", ["added": true]))], [.filter(Redact())], [.filter(Map("**") { _, _ in })],
        ]
        for way in ways {
            for text in ["plain", "password=hunter2"] {
                let encodings = Mutex(0)
                let event = Counted(text: text) { encodings.withLock { $0 += 1 } }
                let result = try await arriving(way, inline: false, calls: [{ $0.log().post(event) }])
                #expect(result.records.count == 1)
                #expect(encodings.withLock { $0 } == 1)
            }
        }
    }

    @Test("A record too long for a frame is filtered once") func longRecordFilteredOnce() async throws {
        let asked = Mutex(0)
        struct Counting: Gate {
            let ask: @Sendable () -> Void
            func decide(tag: String, level: Level) -> GateDecision {
                ask()
                return .pass(weight: 2)
            }
        }
        let text = String(repeating: "x", count: 100_000)
        let result = try await arriving(
            [
                .filter(Filtered(by: Counting { asked.withLock { $0 += 1 } })), .filter(Append("**", ["added": true])),
            ], inline: false, calls: [{ $0.log().info(text) }])
        #expect(result.records.count == 1)
        #expect(result.records[0].attributes["added"] == true)
        #expect(result.records[0].attributes["daybook.sample.weight"] == 2.0)
        #expect(asked.withLock { $0 } == 1)
    }

    @Test("A record is routed by the tag a filter gives it") func routesByNewTag() async throws {
        let output = CollectingOutput()
        let pipeline = try Pipeline(directory: directory.url) {
            Map("old.*") { record, tail in record.tag = "app.\(tail ?? "")" }
            Route("app.**", to: output)
        }
        pipeline.log("old.start").info("renamed")
        await pipeline.shutdown(deadline: .seconds(60))
        #expect(output.records.map(\.tag) == ["app.start"])
        #expect(pipeline.unroutedCount == 0)
    }

    @Test("A gate that logs does not invoke itself") func loggingGateTerminates() async throws {
        struct Chatty: Gate {
            let log: @Sendable () -> Void
            func decide(tag: String, level: Level) -> GateDecision {
                log()
                return .pass
            }
        }
        let log = Mutex<Log?>(nil)
        let said = Mutex<[String]>([])
        let output = CollectingOutput()
        var options = PipelineOptions()
        options.report = { text in said.withLock { $0.append(text) } }
        let pipeline = try Pipeline(directory: directory.url, options: options) {
            Filtered(by: Chatty { log.withLock { $0 }?.info("asked") })
            Route("**", to: output)
        }
        log.withLock { $0 = pipeline.log("gate") }
        pipeline.log("app").info("hello")
        await pipeline.shutdown(deadline: .seconds(60))
        #expect(output.records.map(\.message) == ["hello"])
        #expect(said.withLock { $0 } == ["A filter logged while it was filtering; such records are dropped."])
    }

    @Test("A record logged by an inline output does not return through a filter") func inlineLogSkipsSelf() async throws
    {
        final class Chatty: Output {
            let id = "chatty"
            let count = Mutex(0)
            let log = Mutex<Log?>(nil)
            func write(_ record: Record) {
                count.withLock { $0 += 1 }
                log.withLock { $0 }?.info("password=hunter2")
            }
        }
        let (chatty, quiet) = (Chatty(), CollectingOutput())
        let pipeline = try Pipeline(directory: directory.url) {
            Map("**") { record, _ in record.attributes["seen"] = true }
            Route("**", to: chatty, timing: .inline)
            Route("**", to: quiet)
        }
        chatty.log.withLock { $0 = pipeline.log("chatty") }
        pipeline.log("app").info("hello")
        await pipeline.shutdown(deadline: .seconds(60))
        #expect(chatty.count.withLock { $0 } == 1)
        #expect(quiet.records.map(\.tag) == ["app", "chatty"])
    }

    @Test("Filter chains beyond the numbering limit take the slow path") func manyChainsUseSlowPath() throws {
        let filters = try (0..<300).map { number in
            RoutingTable.CompiledFilter(
                pattern: try TagPattern("tag.\(number)"), action: Append("x", ["n": 1]).action)
        }
        let chains = FilterChains(filters)
        #expect(chains.number(for: "tag.0").map { chains.chains[Int($0)].rewriteFrom } == .some(nil))
        #expect(chains.number(for: "tag.299") == 0)
        #expect(chains.chains[0].rewriteFrom == 0)
        #expect(chains.number(for: "other") == nil)
    }
}
