import Daybook
import DaybookTesting
import Foundation
import Synchronization
import Testing

@testable import DaybookFirebase

struct FirebaseOutputTests {
    /// Writes down what is called, as one line each.
    private final class Recorder: CrashReporter, PerformanceTrace, Sendable {
        private let calls = Mutex<[String]>([])
        var lines: [String] { calls.withLock { $0 } }

        func record(error: any Error) {
            let error = error as NSError
            let cause = (error.userInfo[NSUnderlyingErrorKey] as? NSError)?.code
            note(
                "error \(error.domain) \(error.code) \(error.localizedDescription) cause \(cause.map(String.init) ?? "none")"
            )
        }
        func log(_ line: String) { note("log \(line)") }
        func setValue(_ value: String, forAttribute attribute: String) { note("attribute \(attribute)=\(value)") }
        func setValue(_ value: Int64, forMetric metric: String) {
            note("metric \(metric)\(metric == "failed" ? "=\(value)" : "")")
        }
        func stop() { note("stop") }
        func note(_ line: String) { calls.withLock { $0.append(line) } }
    }

    private func logging(
        to output: some Output, level: Level, timing: Route.Timing = .inline, _ body: (Log) -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let pipeline = try Pipeline(directory: directory.url) { Route("**", to: output, level: level, timing: timing) }
        body(pipeline.log("kitchen"))
        await pipeline.shutdown(deadline: .seconds(5))
    }

    @Test func errorsAreRecordedAndTheRestIsLogged() async throws {
        let recorder = Recorder()
        let cause = NSError(domain: "disk", code: 28)
        let error = NSError(
            domain: "kitchen", code: 7, userInfo: [NSLocalizedDescriptionKey: "no eggs", NSUnderlyingErrorKey: cause])
        try await logging(to: CrashlyticsOutput { recorder }, level: .warning) { log in
            log.info("below the level")
            log.warning("hot", ["degrees": 260])
            log.error(error)
        }
        #expect(recorder.lines.count == 2)
        #expect(recorder.lines.first?.hasSuffix("hot {degrees: 260}") == true)
        #expect(recorder.lines.last == "error kitchen 7 no eggs cause 28")
    }

    @Test func aFinishedMeasurementBecomesATrace() async throws {
        let recorder = Recorder()
        let output = PerformanceOutput { name in
            recorder.note("start \(name)")
            return recorder
        }
        try await logging(to: output, level: .trace) { log in
            log.info("no measurement")
            log.start(" _load menu").end(["recipes.count": 12, "source": "cache"])
            log.start("fails").end(throwing: NSError(domain: "net", code: 1))
        }
        let lines = recorder.lines
        #expect(
            lines.prefix(5) == [
                "start load menu", "attribute recipes_count=12", "attribute source=cache", "metric duration_ms", "stop",
            ])
        #expect(lines.contains("start fails"))
        #expect(lines.contains("metric failed=1"))
        #expect(lines.count { $0 == "stop" } == 2)
    }

    @Test(arguments: [
        ("load menu", "load menu"), ("__x ", "x"), ("  ", nil),
        (String(repeating: "n", count: 120), String(repeating: "n", count: 100)),
    ])
    func traceNamesAreCutToWhatFirebaseTakes(_ name: String, _ expected: String?) {
        #expect(PerformanceOutput.traceName(name) == expected)
    }

    @Test(arguments: [("a.b", "a_b"), ("1st", "a_1st"), ("料理", "a___"), ("ok", "ok")])
    func attributeNamesAreCutToWhatFirebaseTakes(_ key: String, _ expected: String) {
        #expect(PerformanceOutput.attributeName(key) == expected)
        #expect(PerformanceOutput.attributeName(String(repeating: key, count: 30)).count <= 40)
    }
}
