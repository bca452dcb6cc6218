import Daybook
import DaybookTesting
import Foundation
import PublishedFirebase
import Testing

@testable import DaybookFirebase

// As in an app, but without `@retroactive`, which is only allowed across packages.
extension Crashlytics: CrashReporter {}
extension Trace: PerformanceTrace {}

struct FirebaseOutputTests {
    private func logging(
        to output: some Output, level: Level, timing: Route.Timing = .inline, _ body: (Log) -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let pipeline = try Pipeline(directory: directory.url) { Route("**", to: output, level: level, timing: timing) }
        body(pipeline.log("kitchen"))
        await pipeline.shutdown(deadline: .seconds(5))
    }

    private let spoilt = NSError(
        domain: "kitchen", code: 7,
        userInfo: [NSLocalizedDescriptionKey: "no eggs", NSUnderlyingErrorKey: NSError(domain: "disk", code: 28)])

    @Test("Errors are recorded with their codes, and other records are logged") func crashlyticsTakesErrors()
        async throws
    {
        let calls = Calls()
        try await logging(to: CrashlyticsOutput { Crashlytics(calls) }, level: .warning) { log in
            log.info("below the level")
            log.warning("hot", ["degrees": 260])
            log.error(spoilt)
        }
        let lines = calls.lines.filter { !$0.hasPrefix("keys") }
        #expect(lines.count == 2)
        #expect(lines.first?.hasSuffix("hot {degrees: 260}") == true)
        #expect(
            lines.last
                == #"error kitchen 7 no eggs cause 28 ["daybook.function", "daybook.source", "daybook.tag"]"#)
    }

    @Test("An error can become an exception whose frame is its log call") func exceptionHasLogFrame() async throws {
        let calls = Calls()
        let output = CrashlyticsOutput(exception: { issue in
            let model = ExceptionModel(name: issue.name, reason: issue.reason)
            model.stackTrace = issue.frames.map { StackFrame(symbol: $0.symbol, file: $0.file, line: $0.line) }
            return model
        }) { Crashlytics(calls) }
        try await logging(to: output, level: .warning, timing: .immediate) { log in
            log.error(spoilt, function: "cook()", line: 12)
        }
        let line = try #require(calls.lines.last)
        #expect(line.hasPrefix("exception kitchen 7: no eggs; caused by "))
        #expect(line.hasSuffix(#"at ["cook() DaybookFirebaseTests/FirebaseOutputTests.swift:12"]"#))
    }

    @Test("Common attributes are set once per change") func commonValuesSetOnce() {
        let calls = Calls()
        let output = CrashlyticsOutput { Crashlytics(calls) }
        var record = Record(time: 0, kind: .message, level: .warning, tag: "kitchen", message: "hot")
        record.context = ["user_id": 7]
        output.write(record)
        output.write(record)
        record.context = ["user_id": 8, "plan": "pro"]
        output.write(record)
        #expect(calls.lines.filter { $0.hasPrefix("keys") } == ["keys user_id", "keys plan user_id"])
    }

    @Test(
        "A trace begins and ends with its measurement",
        arguments: [Route.Timing.inline, .immediate])
    func traceFollowsMeasurement(_ timing: Route.Timing) async throws {
        let calls = Calls()
        let output = PerformanceOutput { name in Trace(name: name, calls) }
        try await logging(to: output, level: .trace, timing: timing) { log in
            let outer = log.start(" _load menu")
            log.info("no measurement")
            log.start("fails").end(throwing: NSError(domain: "net", code: 1))
            outer.end(["recipes.count": 12, "source": "cache"])
        }
        let lines = calls.lines.filter { !$0.contains("exception") && !$0.contains("error") }
        #expect(
            lines == [
                "start load menu", "start fails", "metric failed=1", "stop fails", "attribute recipes_count=12",
                "attribute source=cache", "stop load menu",
            ])
    }

    @Test("A measurement whose start was not seen is no trace") func unseenStartIsNoTrace() {
        let calls = Calls()
        let output = PerformanceOutput { name in Trace(name: name, calls) }
        var record = Record(time: 0, kind: .span, level: .info, tag: "kitchen", message: "cook")
        record.duration = 1
        output.write(record)
        #expect(calls.lines.isEmpty)
    }

    @Test("The number of traces never stopped is bounded") func boundsOpenTraces() async throws {
        let calls = Calls()
        let output = PerformanceOutput { name in Trace(name: name, calls) }
        let limit = PerformanceOutput.maximumOpen
        try await logging(to: output, level: .trace) { log in
            let open = (0..<limit + 10).map { log.start("t\($0)") }
            for _ in 0..<3 * limit { log.start("short").end() }
            for measurement in open { measurement.end() }
        }
        let stopped = calls.lines.filter { $0.hasPrefix("stop t") }
        // The oldest trace was dropped, even for a short one.
        #expect(stopped.first == "stop t11")
        #expect(stopped.count == limit - 1)
        #expect(calls.lines.count { $0 == "stop short" } == 3 * limit)
    }

    @Test(
        "Trace names are cut to what Firebase accepts",
        arguments: [
            ("load menu", "load menu"), ("__x ", "x"), ("  ", nil),
            (String(repeating: "n", count: 120), String(repeating: "n", count: 100)),
        ])
    func cutsTraceNames(_ name: String, _ expected: String?) {
        #expect(FirebaseText.traceName(name) == expected)
    }

    @Test(
        "Attribute names are cut to what Firebase accepts",
        arguments: [("a.b", "a_b"), ("1st", "a_1st"), ("料理", "a___"), ("ok", "ok")])
    func cutsAttributeNames(_ key: String, _ expected: String) {
        #expect(FirebaseText.attributeName(key) == expected)
        #expect(FirebaseText.attributeName(String(repeating: key, count: 30)).count <= 40)
    }
}
