import Daybook
import DaybookChecklist
import DaybookProcesses
import DaybookTestTraits
import DaybookTesting
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(.temporaryDirectory) struct LogProbeTests {
    private let directory = TemporaryDirectory.current

    /// Not the shared session, which a stub intercepts in another test.
    private static let session = URLSession(configuration: .ephemeral)

    private static let checklist = """
        ## feed
        - [ ] app.launch exactly 1
        - [ ] feed.show_article exactly 1 per article_id
        """

    private func launch(_ probe: LogProbe, _ directory: TemporaryDirectory, _ mode: String) async throws -> Int32 {
        try await AppProcess(
            BuiltProduct.url("ProbeApp"), arguments: [directory.path, probe.url.absoluteString, mode],
            environment: probe.environment
        ).end(timeout: .seconds(60))
    }

    /// The failure text of a run of the app; empty if it fulfils the checklist.
    private func failure(articles: String?, mode: String = "once") async throws -> String {
        let probe = try LogProbe()
        defer { probe.stop() }
        if let articles { probe.serve("/articles", body: Array(articles.utf8)) }
        #expect(try await launch(probe, directory, mode) == 0)
        let checklist = try Checklist(markdown: Self.checklist, file: "feed.md")
        do {
            try await probe.wait(timeout: .milliseconds(50)) { try $0.expect(checklist) }
            return ""
        } catch {
            return "\(error)"
        }
    }

    @Test("The app under test fulfils its checklist") func appMeetsChecklist() async throws {
        #expect(try await failure(articles: "[7, 8]") == "")
    }

    @Test("A regression is explained with its item and counts") func regressionIsExplained() async throws {
        let text = try await failure(articles: "[7, 8]", mode: "twice")
        #expect(text.contains("✗ feed / feed.show_article exactly 1 per article_id; got 2 (article_id = 7)"), "\(text)")
    }

    @Test("A missing stub is named in the failure") func namesMissingStub() async throws {
        let text = try await failure(articles: nil)
        #expect(text.contains("got none"))
        #expect(text.contains("no stub for: GET /articles"), "\(text)")
    }

    @Test("Stubs distinguish query, method and status") func stubsMatchRequests() async throws {
        let probe = try LogProbe()
        defer { probe.stop() }
        probe.serve("/recipes", body: Array("[1]".utf8))
        probe.serve("/recipes?q=none", body: Array("[]".utf8))
        probe.serve("/recipes", method: "POST", status: 503, body: [])
        func answer(_ path: String, method: String = "GET") async throws -> String {
            var request = URLRequest(url: try #require(URL(string: probe.url.absoluteString + path)))
            request.httpMethod = method
            let (body, response) = try await Self.session.data(for: request)
            return "\((response as? HTTPURLResponse)?.statusCode ?? 0) \(String(decoding: body, as: UTF8.self))"
        }
        #expect(try await answer("/recipes?q=egg") == "200 [1]")
        #expect(try await answer("/recipes?q=none") == "200 []")
        #expect(try await answer("/recipes", method: "POST") == "503 ")
        #expect(probe.unexpectedRequests == [])
    }

    /// For an app that sends its own log requests to the address the test gives it.
    @Test("The probe turns a team's own log requests into records") func probeAppliesRules() async throws {
        let probe = try LogProbe()
        defer { probe.stop() }
        probe.record(
            try RequestRules(
                json: #"""
                    {"rules": [{"method": "POST", "host": "log.example", "path": "/logs", "each": "body.events",
                                "event": "feed.{item.name}", "attributes": ["item.params"]}]}
                    """#))
        probe.serve("/menu", json: ["eggs": 2])
        func send(_ body: String) async throws -> String {
            var request = URLRequest(url: try #require(URL(string: probe.url.absoluteString + "/logs")))
            request.httpMethod = "POST"
            request.httpBody = Data(body.utf8)
            return String(decoding: try await Self.session.data(for: request).0, as: UTF8.self)
        }
        #expect(try await send(#"{"events": [{"name": "show", "params": {"id": 7}}, {"name": "tap"}]}"#) == "{}")
        try probe.records.expect("feed.show exactly 1")
        try probe.records.expect("feed.tap after feed.show")
        #expect(probe.records.records.first?.attributes == ["id": 7])
        let failure = #expect(throws: ExpectationFailure.self) {
            try probe.records.expect("never feed.**")
        }
        #expect(failure?.description.contains("  #1 ") == true, "no number in: \(failure?.description ?? "")")
        let (menu, _) = try await Self.session.data(from: probe.url.appending(path: "menu"))
        #expect(String(decoding: menu, as: UTF8.self) == #"{"eggs":2}"#)
        #expect(try await send(#"{"events":5}"#) == "{}")
        do {
            try await probe.wait(timeout: .milliseconds(1)) { try $0.expect("feed.none") }
            Issue.record("met without a record")
        } catch {
            #expect("\(error)".contains("POST /logs: `body.events` is not a list"), "\(error)")
        }
    }

    @Test("A probe that nobody connects to explains how to connect") func idleProbeExplains() async throws {
        let probe = try LogProbe()
        defer { probe.stop() }
        do {
            try await probe.wait(timeout: .milliseconds(1)) { try $0.expect("app.launch") }
            Issue.record("an expectation was met without a record")
        } catch {
            #expect("\(error)".contains("no record has arrived: was the app launched with the probe's environment"))
        }
    }

    /// What a UI test does, with a process in place of `XCUIApplication`.
    @Test("One call in the test and one in the app connect them") func oneCallConnects() async throws {
        var launchEnvironment = ["LANG": "ja_JP.UTF-8"]
        let probe = try LogProbe(launchEnvironment: &launchEnvironment)
        defer { probe.stop() }
        #expect(launchEnvironment.keys.sorted() == ["DAYBOOK_PROBE", "LANG"])
        let app = try AppProcess(
            BuiltProduct.url("ProbeApp"), arguments: [directory.path, probe.url.absoluteString, "wait"],
            environment: launchEnvironment)
        try await probe.wait(timeout: .seconds(60)) { try $0.expect("app.launch exactly 1") }
        try app.send("")
        try await probe.wait(timeout: .seconds(60)) { try $0.expect("app.close") }
        #expect(try await app.end(timeout: .seconds(60)) == 0)
    }

    @Test("Records logged before the probe are left out and counted") func skipsEarlierRecords() async throws {
        let gone = try LogProbe()
        gone.stop()
        let earlier = try AppProcess(
            BuiltProduct.url("ProbeApp"), arguments: [directory.path, gone.url.absoluteString, "wait"],
            environment: gone.environment)
        try await earlier.wait(forLine: "logged", timeout: .seconds(60))
        earlier.kill()
        try await earlier.end(timeout: .seconds(60))

        // The app's journal still has the other test's record and delivers it to this probe first.
        let probe = try LogProbe()
        defer { probe.stop() }
        probe.serve("/articles", body: Array("[7]".utf8))
        #expect(try await launch(probe, directory, "once") == 0)
        try probe.records.expect("app.launch exactly 1")
        let failure = await #expect(throws: ExpectationFailure.self) {
            try await probe.wait(timeout: .milliseconds(1)) { try $0.expect("app.launch exactly 2") }
        }
        #expect(failure?.description.contains("left out: 1 records that the app logged before this probe") == true)
    }

    private struct FlightMode: ConditionSource {
        func start(_ changed: @escaping @Sendable (DeliveryConditions) -> Void) { changed(.offline) }
    }

    @Test("The probe is reachable without a network") func probeIgnoresNetwork() async throws {
        let probe = try LogProbe()
        defer { probe.stop() }
        var options = PipelineOptions()
        options.conditions = FlightMode()
        let pipeline = try Pipeline(store: .memory(), options: options) {
            if let route = Route.toProbe(environment: probe.environment) { route }
        }
        pipeline.log().post("app.launch")
        try await probe.wait(timeout: .seconds(60)) { try $0.expect("app.launch exactly 1") }
        await pipeline.shutdown(deadline: .seconds(60))
    }

    @Test("Only a client that knows the secret address can add records") func onlyToldAddressWorks() async throws {
        let probe = try LogProbe()
        defer { probe.stop() }
        let line = #"{"time":"2099-01-01T00:00:00Z","tag":"feed.forged"}"#
        func post(_ address: String) async throws -> Int? {
            var request = URLRequest(url: try #require(URL(string: address)))
            request.httpMethod = "POST"
            request.httpBody = Data(line.utf8)
            let (_, response) = try await Self.session.data(for: request)
            return (response as? HTTPURLResponse)?.statusCode
        }
        #expect(try await post(probe.url.absoluteString + "/probe/0") == 404)
        #expect(try await post(probe.url.absoluteString + "/v1/events") == 404)
        #expect(probe.records.records.isEmpty)
        let told = try #require(probe.environment[Route.probeVariable])
        #expect(try await post(told) == 200)
        try probe.records.expect("feed.forged exactly 1")
        #expect(try LogProbe().environment != probe.environment)
    }

    @Test("A release build connects only if it opts in") func releaseNeedsOptIn() {
        let launch = ["DAYBOOK_PROBE": "http://127.0.0.1:80/probe/1"]
        func url(_ isDebugBuild: Bool, _ inRelease: Bool) -> URL? {
            Route.probeAddress(in: launch, isDebugBuild: isDebugBuild, inRelease: inRelease)
        }
        #expect(url(true, false)?.path == "/probe/1")
        #expect(url(false, false) == nil)
        #expect(url(false, true)?.path == "/probe/1")
    }

    /// As editors on Windows and exports of other systems write it.
    @Test(
        "A text of records can have a byte order mark and any time unit",
        arguments: ["1795168931", "1795168931000", "\"1795168931000000\"", "\"2026-11-20T10:02:11Z\""])
    func acceptsAnyTimeUnit(time: String) throws {
        let line = #"{"tag":"a.b","time":\#(time)}"#
        let records = try RecordedRecords(ndjson: "\u{FEFF}\(line)\r\n\r\n\(line)\r\n").records
        #expect(records.map(\.time) == [1_795_168_931_000_000_000, 1_795_168_931_000_000_000])
        #expect(throws: ExpectationFailure.self) { try RecordedRecords(ndjson: #"{"tag":"a.b","time":"noon"}"#) }
    }

    @Test("Each line of a file is a record, and a bad line is named") func linesAreRecords() throws {
        let text = ["feed.open", "feed.close"].map { tag in
            TextFormat.json.text(of: Record(time: 0, kind: .event, level: .info, tag: tag, attributes: ["id": 7]))
        }.joined(separator: "\n")
        let records = try RecordedRecords(ndjson: text)
        #expect(records.ndjson == text + "\n")
        try records.expect("feed.open", [["id": 7]])
        try records.expect("feed.close exactly 1")
        let failure = #expect(throws: ExpectationFailure.self) { try RecordedRecords(ndjson: text + "\nfeed") }
        #expect(failure?.description.hasPrefix("line 3 is not a record: ") == true)
    }

    @Test("A probe's address is accepted only on this machine") func probeIsLocalOnly() {
        #expect(Route.toProbe(environment: [:]) == nil)
        #expect(Route.toProbe(environment: ["DAYBOOK_PROBE": "http://logs.example:80"]) == nil)
        #expect(Route.toProbe(environment: ["DAYBOOK_PROBE": "http://127.0.0.1:80"]) != nil)
    }
}
