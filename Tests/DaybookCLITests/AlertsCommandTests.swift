import DaybookHTTP
import DaybookHTTPServer
import DaybookTestTraits
import DaybookTrials
import Foundation
import Testing

@testable import DaybookCLI

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct AlertsCommandTests {
    private let tool = Tool()
    private let alert = """
        # Errors

        Call Ann.

        ```sql
        SELECT count(*) FROM records WHERE tag = 'payment.failed'
        ```

        - every 1s
        - when value > 0
        - notify ${HOOK}

        """

    @Test("Reloads alerts and their checklists when the files change") func reloadsChangedAlerts() throws {
        let checklist = "# shop\n\n## buying\n\n- [ ] shop.complete\n"
        try tool.write(checklist, to: "LogChecklists/shop.md")
        try tool.write(
            "# Shop\nCall.\n\n- checklist ../LogChecklists/shop.md\n- every 1m\n- over 10m\n- notify https://h.example\n",
            to: "LogAlerts/a.md")
        var watch = try AlertFolderWatch(tool.directory.appending(path: "LogAlerts").path)
        func text() -> String {
            guard case .watch(let watched)? = watch.rules.first?.question else { return "" }
            return watched.text
        }
        #expect(try !watch.readIfChanged())
        try tool.write(checklist + "- [ ] shop.pay\n", to: "LogChecklists/shop.md")
        #expect(try watch.readIfChanged())
        #expect(text() == "## buying\n- [ ] shop.complete\n- [ ] shop.pay\n")
        // An unreadable file is reported once, and its items stay.
        try tool.write("# shop\n\n## buying\n\n- [ ] shop.complete exactly\n", to: "LogChecklists/shop.md")
        #expect(throws: AlertFolder.Problems.self) { try watch.readIfChanged() }
        #expect(try !watch.readIfChanged())
        #expect(text().contains("shop.pay"))
        try tool.write(checklist, to: "LogChecklists/shop.md")
        try tool.write(
            "# Other\nCall.\n\n```sql\nSELECT 1\n```\n- every 1m\n- when value > 0\n- notify https://h.example\n",
            to: "LogAlerts/b.md")
        #expect(try watch.readIfChanged())
        #expect(watch.rules.map(\.name) == ["Shop", "Other"])
    }

    @Test("`alerts check` reports every problem with its location") func checkLocatesProblems() async throws {
        try tool.write(alert, to: "a.md")
        let good = try await tool.run("alerts", "check", ".")
        #expect(good.status == 0)
        #expect(good.output == "./a.md:1: Errors: value > 0\n")
        let unset = try await tool.run("alerts", "check", ".", "--environment", "--secret", "HOOK")
        #expect(unset.status == 1)
        #expect(unset.errors.contains("./a.md:1:1: error: the environment has no HOOK"))
        try tool.write(alert.replacing("- every 1s", with: "- evry 1s"), to: "b.md")
        let bad = try await tool.run("alerts", "check", ".")
        #expect(bad.status == 1)
        #expect(bad.errors.contains("./b.md:9:3: error: an alert has no setting `evry`"))
    }

    @Test("`alerts check` warns of alerts without targets and rejects ambiguous zones") func checkWarnsOfSilentAlert()
        async throws
    {
        try tool.write(
            alert.replacing("- notify ${HOOK}", with: "- quiet 22:00-07:00\n- quiet 12:00-13:00 Asia/Tokyo"), to: "a.md"
        )
        let silent = try await tool.run("alerts", "check", ".")
        #expect(silent.status == 0)
        #expect(
            silent.output == "./a.md:1: Errors: value > 0, quiet 22:00-07:00 UTC, quiet 12:00-13:00 Asia/Tokyo\n")
        #expect(
            silent.errors
                == "./a.md:1:1: warning: the alert `Errors` notifies nobody: it is only shown (write `- notify URL`)\n")
        try tool.write(alert + "- quiet 22:00-07:00 IST\n", to: "a.md")
        let zone = try await tool.run("alerts", "check", ".")
        #expect(
            zone.status == 1 && zone.errors.contains("./a.md:12:9: error: `quiet` takes hours and the place"), "\(zone)"
        )
    }

    @Test("A missing variable does not prevent startup, but a mistake does") func startsWithoutVariable() async throws {
        try tool.write(alert, to: "LogAlerts/a.md")
        let words = ["serve", "--port", "0", "--store", "s.sqlite", "--alerts", "LogAlerts", "--secret", "HOOK"]
        let serve = try tool.start(words, mergingErrors: true)
        defer { serve.end() }
        let told = try await serve.line(containing: "HOOK")
        #expect(told.contains("error: A target of the alert Errors cannot be notified: the environment has no HOOK"))
        _ = try await serve.line(beginning: "Inspector: ")
        try tool.write(alert.replacing("- every 1s", with: "- evry 1s"), to: "LogAlerts/b.md")
        _ = try await serve.line(containing: "The alerts were not reloaded: LogAlerts/b.md:9:3: an alert has no")
        let second = try await tool.run(words)
        #expect(second.status == 2)
        #expect(second.errors.hasPrefix("error: LogAlerts/b.md:9:3: an alert has no setting `evry`"), "\(second)")
    }

    @Test("Only declared secrets are sent, and wrong declarations are errors") func sendsOnlyDeclaredSecrets()
        async throws
    {
        try tool.write(alert.replacing("${HOOK}", with: "http://127.0.0.1:9/?leak=${HOME}"), to: "LogAlerts/a.md")
        let words = ["serve", "--port", "0", "--store", "s.sqlite", "--alerts", "LogAlerts"]
        let serve = try tool.start(words, mergingErrors: true)
        let told = try await serve.line(containing: "HOME")
        #expect(told.contains("names HOME, which is not declared: start the collector with --secret HOME"), "\(told)")
        serve.end()
        // The variable holds a path and no address.
        let wrong = try await tool.run(words + ["--secret", "HOME"])
        #expect(
            wrong.status == 2 && wrong.errors.contains("the secret HOME holds no http or https address"), "\(wrong)")
        let tested = try await tool.run("alerts", "test", "LogAlerts", "Errors", "--secret", "HOME=https://h.example")
        #expect(tested.status == 1 && tested.output.contains("would send HOME to another place"), "\(tested)")
        try tool.write("secret = TOKEN=nowhere\n", to: "daybook.conf")
        let located = try await tool.run(words + ["--config", "daybook.conf", "--print-config"])
        #expect(located.status == 2 && located.errors.contains("daybook.conf:1: "), "\(located)")
    }

    private let watch = """
        # Searching works

        ```checklist
        - [ ] recipe_serch.search at least 1
        ```

        - every 1m
        - over 1h

        """
    private let definitions = """
        # recipe_search

        ## search

        Somebody searched.

        - keyword: !string
            - What was searched for.

        """

    @Test("Checks watched checklists against the definitions") func checksWatchDefinitions() async throws {
        try tool.write(watch, to: "alerts/a.md")
        try tool.write(definitions, to: "LogDefinitions/recipe_search.md")
        #expect(try await tool.run("alerts", "check", "alerts").status == 0)
        let wrong = try await tool.run("alerts", "check", "alerts", "--definitions", "LogDefinitions")
        let place = "alerts/a.md:4:7: "
        let message = "no event `recipe_serch.search` is defined (did you mean `recipe_search.search`?)\n"
        #expect(wrong.status == 1)
        #expect(wrong.errors.hasSuffix("\n" + place + "error: " + message), "\(wrong)")
        // The collector warns and starts; the last setting then makes it exit.
        let serve = try await tool.run(
            "serve", "--port", "0", "--store", "s.sqlite", "--alerts", "alerts", "--definitions", "LogDefinitions",
            "--alerts-state", "nowhere/state.json")
        #expect(serve.errors.hasPrefix(place + "warning: " + message))
        try tool.write(watch.replacing("serch", with: "search"), to: "alerts/a.md")
        #expect(
            try await tool.run("alerts", "check", "alerts", "--definitions", "LogDefinitions").status == 0)
    }

    @Test("`alerts check --store` tries the statements on the store") func checkTriesStatements() async throws {
        try tool.write(#"{"tag": "a.b"}"# + "\n", to: "one.ndjson")
        #expect(try await tool.run("import", "one.ndjson", "--store", "s.sqlite").status == 0)
        try tool.write(alert, to: "alerts/a.md")
        #expect(try await tool.run("alerts", "check", "alerts", "--store", "s.sqlite").status == 0)
        try tool.write(alert.replacing("WHERE tag", with: "WHERE tga"), to: "alerts/a.md")
        let wrong = try await tool.run("alerts", "check", "alerts", "--store", "s.sqlite")
        #expect(wrong.status == 1)
        #expect(wrong.errors.hasPrefix("alerts/a.md:1:1: error: Errors: ") && wrong.errors.contains("tga"))
    }

    @Test("An unwritable alert state is an error at startup") func refusesUnwritableState() async throws {
        try tool.write(alert.replacing("- notify ${HOOK}", with: ""), to: "alerts/a.md")
        let result = try await tool.run(
            "serve", "--port", "0", "--store", "s.sqlite", "--alerts", "alerts", "--alerts-state", "/nonexist/x.json")
        #expect(result.status == 2)
        #expect(
            result.errors
                == "error: /nonexist/x.json: the folder /nonexist does not exist; make it, or choose another file with "
                + "--alerts-state\n")
    }

    @Test("Deleting the last alert file resolves its alert") func deletedAlertResolves() async throws {
        let receiver = Receiver()
        let hook = HTTPServer(configuration: .init(addresses: ["127.0.0.1"], port: 0), handler: receiver)
        let port = try hook.start()
        let always = alert.replacing("WHERE tag = 'payment.failed'", with: "").replacing(
            "value > 0", with: "value >= 0")
        try tool.write(always.replacing("${HOOK}", with: "http://127.0.0.1:\(port)/hook"), to: "alerts/a.md")
        let words = ["serve", "--port", "0", "--store", "s.sqlite", "--alerts", "alerts"]
        var told = receiver.bodies.makeAsyncIterator()
        let first = try tool.start(words)
        #expect(await told.next()?.contains(#""status":"firing""#) == true)
        first.end()
        try FileManager.default.removeItem(at: tool.directory.appending(path: "alerts/a.md"))
        let second = try tool.start(words)
        defer { second.end() }
        var last: String?
        // The first was answered 500, so it may be sent again.
        repeat { last = await told.next() } while last?.contains(#""status":"firing""#) == true
        #expect(last?.contains(#""status":"resolved","alert":"Errors""#) == true)
        #expect(last?.contains("no file contains it") == true)
        await hook.stop()
    }

    @Test("Commands send a test message and mute an alert") func testsAndMutesAlert() async throws {
        let receiver = Receiver()
        let hook = HTTPServer(configuration: .init(addresses: ["127.0.0.1"], port: 0), handler: receiver)
        let port = try hook.start()
        try tool.write(
            alert.replacing("${HOOK}", with: "slack http://127.0.0.1:\(port)/hook"), to: "alerts/a.md")
        var told = receiver.bodies.makeAsyncIterator()
        // The receiver refuses the first message.
        let refused = try await tool.run("alerts", "test", "alerts", "Errors")
        #expect(
            refused.status == 1 && refused.output.contains(":\(port)/…: not accepted: it answered 500"), "\(refused)")
        let taken = try await tool.run("alerts", "test", "alerts", "Errors")
        #expect(taken.status == 0 && taken.output == "slack http://127.0.0.1:\(port)/…: accepted\n", "\(taken)")
        #expect(await told.next()?.contains("TEST: Errors") == true)
        #expect(try await tool.run("alerts", "test", "alerts", "Eror").errors.contains("did you mean `Errors`?"))
        await hook.stop()

        try tool.write(alert.replacing("- notify ${HOOK}", with: ""), to: "alerts/a.md")
        let serve = try tool.start("serve", "--port", "0", "--store", "s.sqlite", "--alerts", "alerts")
        defer { serve.end() }
        let address = try await serve.line(beginning: "Inspector: ")
        let words = ["alerts", "mute", "Errors", "--by", "Ann", "--collector", address, "--for"]
        #expect(try await tool.run(words + ["2h"]).output == "Errors is muted for 2h, by Ann.\n")
        #expect(try tool.contents(of: "daybook.alerts.json").contains(#""by":"Ann""#))
        #expect(try await tool.run(words + ["0s"]).output == "Errors is no longer muted.\n")
        // An impossible time sends no request.
        for time in ["2y", "31d", "2x", "-1h"] {
            let wrong = try await tool.run(
                "alerts", "mute", "Errors", "--for=\(time)", "--collector", "http://localhost:1", "--key", "k")
            #expect(
                wrong.errors.hasPrefix("error: --for takes a time from 0s to 30d, such as 2h, not `\(time)`\n"),
                "\(wrong)")
            #expect(wrong.status == 2)
        }
        let missing = try await tool.run("alerts", "mute", "Errors", "--for", "2h", "--collector", "http://127.0.0.1:9")
        #expect(missing.status == 2 && missing.errors.contains("needs a key"), "\(missing)")
        #expect(missing.errors.contains("`daybook keys add --for manage` makes one"), "\(missing)")
    }

    @Test("`alerts run` evaluates the alerts once") func runEvaluatesOnce() async throws {
        try tool.write(alert, to: "a.md")
        let serve = try tool.start("serve", "--port", "0", "--store", "s.sqlite")
        defer { serve.end() }
        let base = try await serve.line(beginning: "Inspector: ").prefix { $0 != "#" }
        let quiet = try await tool.run("alerts", "run", ".", "--store", "s.sqlite")
        #expect(quiet.status == 0)
        #expect(quiet.output == "quiet  Errors  value 0.0\n")
        try await post("payment.failed", to: String(base))
        let holds = try await tool.run("alerts", "run", ".", "--store", "s.sqlite", "--json")
        #expect(holds.status == 1)
        #expect(holds.output.contains(#""alert":"Errors","label":null,"outcome":"holds","value":1.0"#))
    }

    @Test("A firing alert reaches the webhook and the inspector's API") func notifiesWebhookAndAPI() async throws {
        let receiver = Receiver()
        let hook = HTTPServer(configuration: .init(addresses: ["127.0.0.1"], port: 0), handler: receiver)
        let port = try hook.start()
        try tool.write(alert.replacing("${HOOK}", with: "http://127.0.0.1:\(port)/hook"), to: "a.md")
        let serve = try tool.start("serve", "--port", "0", "--store", "s.sqlite", "--alerts", ".")
        defer { serve.end() }
        let inspector = try await serve.line(beginning: "Inspector: ")
        let base = String(inspector.prefix { $0 != "#" })
        try await post("payment.failed", to: base)
        var told = receiver.bodies.makeAsyncIterator()
        let first = try #require(await told.next())
        #expect(first.contains(#""status":"firing""#) && first.contains("Call Ann."))
        // The first attempt was answered 500; this is the second.
        #expect(await told.next() == first)
        let token = try #require(inspector.split(separator: "token=").last)
        var request = URLRequest(url: try #require(URL(string: base + "api/v1/alerts")))
        let (_, denied) = try await URLSession.shared.data(for: request)
        #expect((denied as? HTTPURLResponse)?.statusCode == 401)
        request.setValue("Bearer \(token)", forHTTPHeaderField: "authorization")
        let (data, _) = try await URLSession.shared.data(for: request)
        #expect(String(decoding: data, as: UTF8.self).contains(#""name":"Errors","state":"firing""#))
        await hook.stop()
    }

    @Test("Hostile webhooks delay neither other targets nor shutdown") func survivesHostileWebhooks() async throws {
        let hostile = try ["half a head", "silence", "an endless body", "a trickling head"].map { name in
            try HostileServer(try #require(HostileAnswer.kinds.first { $0.description == name }))
        }
        defer { hostile.forEach { $0.stop() } }
        let receiver = Receiver()
        let hook = HTTPServer(configuration: .init(addresses: ["127.0.0.1"], port: 0), handler: receiver)
        let ports = hostile.map(\.port) + [UInt16(try hook.start())]
        let targets = ports.map { "- notify http://127.0.0.1:\($0)/hook" }.joined(separator: "\n")
        try tool.write(
            alert.replacing("WHERE tag = 'payment.failed'", with: "").replacing("value > 0", with: "value >= 0")
                .replacing("- notify ${HOOK}", with: targets), to: "alerts/a.md")
        // Twice: pending messages are sent after the next start.
        for _ in 0..<2 {
            let before = hostile.map { $0.connections.load(ordering: .relaxed) }
            let serve = try tool.start("serve", "--port", "0", "--store", "s.sqlite", "--alerts", "alerts")
            _ = try await serve.line(beginning: "Inspector: ")
            try await eventually("all are asked") {
                zip(hostile, before).allSatisfy { $0.connections.load(ordering: .relaxed) > $1 }
            }
            #expect(serve.end() == 0)
        }
        var told = receiver.bodies.makeAsyncIterator()
        #expect(await told.next()?.contains(#""status":"firing""#) == true)
        await hook.stop()
    }

    private func post(_ tag: String, to base: String) async throws {
        var request = URLRequest(url: try #require(URL(string: base + "v1/events")))
        request.httpMethod = "POST"
        request.setValue("application/x-ndjson", forHTTPHeaderField: "content-type")
        let (_, response) = try await URLSession.shared.upload(for: request, from: Data("{\"tag\":\"\(tag)\"}".utf8))
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
    }
}

/// A webhook that answers its first request with 500 and the others with 204.
private final class Receiver: HTTPHandler {
    let bodies: AsyncStream<String>
    private let arrive: AsyncStream<String>.Continuation
    private let statuses: AsyncStream<Int>

    init() {
        (bodies, arrive) = AsyncStream.makeStream(of: String.self)
        let (statuses, give) = AsyncStream.makeStream(of: Int.self)
        give.yield(500)
        give.finish()
        self.statuses = statuses
    }

    func admit(_ head: HTTPRequest.Head) -> HTTPAdmission { .accept(bodyLimit: 1 << 20) }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        arrive.yield(String(decoding: request.body, as: UTF8.self))
        for await status in statuses { return HTTPResponse(status: status) }
        return HTTPResponse(status: 204)
    }
}
