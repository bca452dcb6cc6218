import Daybook
import DaybookProcesses
import DaybookTestTraits
import DaybookTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct AppFaultTests {
    private let directory = TemporaryDirectory.current

    @Test("A full disk loses nothing that memory can hold") func fullDiskLosesNothing() async throws {
        let files = FaultyFileSystem()
        let output = CollectingOutput()
        var options = PipelineOptions()
        options.report = { _ in }
        files.fillDisk()
        let pipeline = try Pipeline(store: .directory(directory.url, files: files), options: options) {
            Route("**", to: output)
        }
        for number in 0..<100 { pipeline.log().post("feed.show", ["id": .int(Int64(number))]) }
        try await pipeline.flush(deadline: .seconds(60))
        #expect(output.records.count == 100)
        #expect(files.calls.contains { $0.failed })
        #expect(await pipeline.ledgers().values.allSatisfy(\.dropped.isEmpty))
        await pipeline.shutdown(deadline: .seconds(60))
    }

    @Test("A killed app delivers its records at the next launch") func killedAppDeliversLater() async throws {
        let probe = try LogProbe()
        defer { probe.stop() }
        probe.serve("/articles", body: Array("[7]".utf8))
        // No listener: the first launch can deliver nothing.
        let offline = try AppProcess(
            BuiltProduct.url("ProbeApp"), arguments: [directory.path, "http://127.0.0.1:9", "wait"],
            environment: [Route.probeVariable: "http://127.0.0.1:9"])
        try await offline.wait(forLine: "logged", timeout: .seconds(60))
        offline.kill()
        #expect(try await offline.end(timeout: .seconds(60)) == 9)
        let app = try AppProcess(
            BuiltProduct.url("ProbeApp"), arguments: [directory.path, probe.url.absoluteString, "once"],
            environment: probe.environment)
        #expect(try await app.end(timeout: .seconds(60)) == 0)
        try probe.records.expect("app.launch exactly 2")
    }

    @Test("An app that exits too early is reported with its last lines") func earlyExitIsNamed() async throws {
        let app = try AppProcess(URL(fileURLWithPath: "/bin/echo"), arguments: ["hello"])
        await #expect {
            try await app.wait(forLine: "ready", timeout: .seconds(60))
        } throws: { error in
            "\(error)" == "echo: no line “ready”: it has ended; last lines: hello"
        }
        #expect(app.lines == ["hello"])
    }
}
