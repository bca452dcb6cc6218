import DaybookBase
import DaybookProcesses
import DaybookTestTraits
import DaybookTrials
import Foundation
import Testing

@testable import DaybookCLI

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A phone, in another process, gets a checklist from a collector and sends to it.
@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct PairingTests {
    private let tool = Tool()
    private static let checklist = """
        # release

        | persona | plan |
        |---------|------|
        | member  | paid |

        ## feed
        - [ ] feed.show
        - [ ] feed.tap
        """

    private struct Inspector {
        var base: URL
        var token: String

        init(_ line: String) throws {
            let parts = line.split(separator: "#token=")
            base = try #require(URL(string: String(parts[0])))
            token = String(parts[1])
        }

        func ask(_ path: String, _ body: String? = nil, authorized: Bool = true) async throws -> Value {
            var request = URLRequest(url: try #require(URL(string: "api/v1/\(path)", relativeTo: base)))
            if authorized { request.setValue("Bearer \(token)", forHTTPHeaderField: "authorization") }
            if let body {
                request.httpMethod = "POST"
                request.httpBody = Data(body.utf8)
            }
            let (data, _) = try await URLSession.shared.data(for: request)
            return try JSONReader.value(of: Array(data))
        }

        /// The runs on the board of the only checklist.
        func board() async throws -> [Value] {
            try #require(try await ask("checklists")["data"]["checklists"][0]["board"].list)
        }
    }

    private func serve(_ tool: Tool, _ more: String...) throws -> RunningTool {
        try FileManager.default.createDirectory(
            at: tool.directory.appending(path: "lists"), withIntermediateDirectories: true)
        try tool.write(Self.checklist, to: "lists/release.md")
        return try tool.start(
            ["serve", "--port", "0", "--store", "sqlite:r.sqlite", "--checklists", "lists"] + more)
    }

    private func phone(_ tool: Tool, _ link: String, input: Pipe) throws -> RunningTool {
        try RunningTool(
            BuiltProduct.url("PairedPhone"), [tool.directory.appending(path: "phone").path, link], input: .pipe(input))
    }

    private func strings(_ line: String) throws -> [String: String] {
        try JSONDecoder().decode([String: String].self, from: Data(line.utf8))
    }

    @Test("A paired phone gets the checklist and streams live") func phonePairsAndStreams() async throws {
        _ = try await tool.run("keys", "add", "--keys", "keys.ndjson", "ios")
        let serve = try serve(tool, "--keys", "keys.ndjson")
        defer { serve.end() }
        let inspector = try Inspector(try await serve.line(beginning: "Inspector: "))
        let opened = try await inspector.ask(
            "pairings", #"{"checklist": "release", "persona": "member", "tester": "Aya"}"#)
        let data = try #require(opened["data"])
        // A server on loopback says so.
        #expect(data["local"] == true)
        let link = try #require(data["link"].text)
        #expect(!link.contains(inspector.token))
        let input = Pipe()
        let phone = try phone(tool, link, input: input)
        defer { phone.end() }
        let told = try strings(try await phone.line(beginning: "paired "))
        #expect(told["checklist"] == Self.checklist)
        #expect(told["persona"] == "member")
        #expect(told["tester"] == "Aya")
        #expect(told["key"]?.hasPrefix("dbk_") == true)
        // Records from before the pairing stay on the phone; the run has begun.
        let started = try await inspector.board()
        #expect(started.map { $0["state"] } == ["under_way"])
        #expect(started.first?["waiting"] == 2)
        #expect(started.first?["tester"] == "Aya")
        #expect(started.first?["build"] == "4.12.0")
        try input.fileHandleForWriting.write(contentsOf: Data("feed.show\n".utf8))
        // The phone is still running when its record arrives.
        try await eventually("the record is judged") { try await inspector.board().first?["ok"] == 1 }
        try input.fileHandleForWriting.close()
        let records = try await inspector.ask("records?installation=\(try #require(told["installation"]))")["data"]
        let tags = records["records"].list?.compactMap { $0["tag"].text }
        #expect(tags?.filter { !$0.hasPrefix("daybook.") } == ["feed.show", "run.start"])
        // The key sends and reads nothing.
        var request = URLRequest(url: try #require(URL(string: "api/v1/status", relativeTo: inspector.base)))
        request.setValue("Bearer \(told["key"] ?? "")", forHTTPHeaderField: "authorization")
        let (_, refused) = try await URLSession.shared.data(for: request)
        #expect((refused as? HTTPURLResponse)?.statusCode == 403)
    }

    @Test("A pairing code works only once") func pairingCodeWorksOnce() async throws {
        let serve = try serve(tool)
        defer { serve.end() }
        let inspector = try Inspector(try await serve.line(beginning: "Inspector: "))
        let data = try #require(try await inspector.ask("pairings", "{}")["data"])
        let link = try #require(data["link"].text)
        let input = Pipe()
        let first = try phone(tool, link, input: input)
        // Without keys none is lent, and without a checklist no run begins.
        let told = try strings(try await first.line(beginning: "paired "))
        #expect(told["key"] == "" && told["run"] == "")
        try input.fileHandleForWriting.close()
        first.end()
        let second = try phone(tool, link, input: Pipe())
        defer { second.end() }
        let refusal = try strings(try await second.line(beginning: "refused "))
        #expect(refusal["reason"] == "The code is wrong, used or too old: have the inspector show a new one.")
    }
}

@Suite struct PairingAddressTests {
    @Test(
        "Pairing chooses an address that the phone can reach",
        arguments: [
            (["127.0.0.1:4318", "[::1]:4318"], [], false, "http://127.0.0.1:4318", true),
            (["192.168.1.5:4318"], [], true, "https://192.168.1.5:4318", false),
            (["127.0.0.1:4318", "[fd00::5]:4318"], [], false, "http://[fd00::5]:4318", false),
            // A wildcard is no address; the server answers only to names it was given.
            (["0.0.0.0:4318"], [], true, "https://127.0.0.1:4318", true),
            (["0.0.0.0:4318"], ["mac.local:4318"], true, "https://mac.local:4318", false),
            (["0.0.0.0:4318"], ["mac.local:4318"], false, "http://mac.local:4318", false),
            // Behind a proxy.
            (["127.0.0.1:4318"], ["logs.example"], false, "https://logs.example", false),
            (["127.0.0.1:4318"], ["localhost:4318"], false, "http://127.0.0.1:4318", true),
        ] as [([String], [String], Bool, String, Bool)])
    func choosesReachableAddress(
        endpoints: [String], names: [String], isSecure: Bool, collector: String, isLocal: Bool
    ) {
        let address = PairingAddress.choose(endpoints: endpoints, names: names, isSecure: isSecure)
        #expect(address.collector == collector)
        #expect(address.isLocal == isLocal)
    }
}
