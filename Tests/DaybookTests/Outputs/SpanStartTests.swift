import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

@testable import Daybook

@Suite(.temporaryDirectory) struct SpanStartTests {
    private let directory = TemporaryDirectory.current

    /// Notes one word per call.
    private final class Diary: Output {
        let id: String
        let takesStarts: Bool
        private let entries = Mutex<[String]>([])
        private let spans = Mutex<[SpanContext?]>([])

        init(_ id: String = "diary", takesStarts: Bool = true) {
            (self.id, self.takesStarts) = (id, takesStarts)
        }

        var lines: [String] { entries.withLock { $0 } }
        var contexts: [SpanContext?] { spans.withLock { $0 } }

        func start(_ record: Record) { note("start", record) }
        func write(_ record: Record) { note("write", record) }

        private func note(_ word: String, _ record: Record) {
            let state = record.isRunning ? "running" : "done"
            entries.withLock { $0.append("\(word) \(record.message ?? record.tag) \(state)") }
            spans.withLock { $0.append(record.span) }
        }
    }

    private func logging(
        @PipelineBuilder _ parts: () -> [PipelineBuilder.Part], _ body: ((String) -> Log) -> Void
    ) async throws -> [String: Ledger] {
        let pipeline = try Pipeline(directory: directory.url, options: quietOptions(), parts)
        body { pipeline.log($0) }
        try await pipeline.flush(deadline: .seconds(60))
        let ledgers = await pipeline.ledgers()
        await pipeline.shutdown(deadline: .seconds(60))
        return ledgers
    }

    @Test(
        "A start precedes its record, shares its span and is not counted", arguments: [Route.Timing.inline, .immediate])
    func startPrecedesRecord(_ timing: Route.Timing) async throws {
        let diary = Diary()
        let ledgers = try await logging {
            Route("**", to: diary, timing: timing)
        } _: { log in
            let running = log("app").start("import")
            log("app").info("between")
            running.end()
        }
        #expect(diary.lines == ["start import running", "write between done", "write import done"])
        #expect(diary.contexts.first == diary.contexts.last)
        let ledger = try #require(ledgers["diary"])
        #expect(ledger.accepted == 2)
        #expect(ledger.delivered == 2)
        #expect(ledger.pending == 0)
    }

    @Test("An output that does not ask for starts gets none", arguments: [Route.Timing.inline, .immediate])
    func startsAreOptIn(_ timing: Route.Timing) async throws {
        let asks = Diary("asks")
        let asksNot = Diary("asks not", takesStarts: false)
        _ = try await logging {
            Route("**", to: asks, timing: timing)
            Route("**", to: asksNot, timing: timing)
        } _: {
            $0("app").start("import").end()
        }
        #expect(asks.lines == ["start import running", "write import done"])
        #expect(asksNot.lines == ["write import done"])
    }

    @Test("Routes, filters and transforms apply to starts", arguments: [Route.Timing.inline, .immediate])
    func startsAreRouted(_ timing: Route.Timing) async throws {
        let diary = Diary()
        _ = try await logging {
            Drop("app.secret")
            Map("app.renamed") { record, _ in record.message = "renamed" }
            Route("app.**", to: diary, level: .info, timing: timing, transform: Redacting())
        } _: { log in
            for (tag, level) in [("app.secret", Level.info), ("app.renamed", .info), ("app", .debug), ("app", .error)] {
                log(tag).start("import", level: level).end()
            }
        }
        #expect(
            diary.lines == [
                "start renamed! running", "write renamed! done", "start import! running", "write import! done",
            ])
    }

    private struct Redacting: Filter {
        func filter(_ record: Record, captured: Substring?, emit: (Record) -> Void) {
            var record = record
            record.message?.append("!")
            emit(record)
        }
    }

    @Test("A switched output forwards starts only while it is on") func switchGatesStarts() async throws {
        let diary = Diary()
        let switched = SwitchedOutput(diary)
        _ = try await logging {
            Route("**", to: switched, timing: .inline)
        } _: { log in
            log("app").start("seen").end()
            switched.isOn = false
            log("app").start("unseen").end()
        }
        #expect(diary.lines == ["start seen running", "write seen done"])
    }

    @Test("A running measurement has a line of its own") func runningSpanHasLine() {
        var record = Record(time: 0, kind: .span, level: .info, tag: "app.menu", message: "load menu")
        record.span = SpanContext(traceHigh: 1, traceLow: 2, span: 3)
        var format = TextFormat.line
        format.time = .hidden
        #expect(format.text(of: record) == "● app.menu ▶ load menu")
        record.duration = 1_500_000
        #expect(format.text(of: record) == "● app.menu load menu (1.5 ms)")
        record.duration = nil
        format.layout = .siteFirst
        #expect(format.text(of: record) == "[●][app.menu] -> ▶ load menu")
    }

    @Test("A console shows starts only on request and never as JSON") func consoleStartsAreOptIn() {
        #expect(!ConsoleOutput().takesStarts)
        #expect(ConsoleOutput(showsStarts: true).takesStarts)
        #expect(!ConsoleOutput(format: .json, showsStarts: true).takesStarts)
    }
}
