import DaybookProcesses
import DaybookTestTraits
import DaybookTrials
import Foundation
import Testing

@testable import DaybookCLI

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct ServeCommandTests {
    private let tool = Tool()

    @Test("Records received by `serve` can be queried with SQL") func servesRecordsToSQL() async throws {
        try tool.write("# feed\n\n## show_article\n\nAn article.\n\n- article_id: !bigint\n", to: "feed.md")
        let serve = try tool.start("serve", "--port", "0", "--store", "sqlite:r.sqlite", "--definitions", ".")
        defer { serve.end() }
        let inspector = try await serve.line(beginning: "Inspector: ")
        let base = try #require(URL(string: String(inspector.prefix { $0 != "#" })))
        var request = URLRequest(url: base.appendingPathComponent("v1/events"))
        request.httpMethod = "POST"
        request.setValue("application/x-ndjson", forHTTPHeaderField: "content-type")
        let lines = (1...3).map { "{\"tag\": \"feed.show_article\", \"attributes\": {\"article_id\": \($0)}}\n" }
        let (_, response) = try await URLSession.shared.upload(for: request, from: Data(lines.joined().utf8))
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        let answer = try await tool.run(
            "query", "--store", "sqlite:r.sqlite", "--format", "csv",
            "SELECT count(*), sum(article_id) FROM feed__show_article")
        #expect(answer.output == "count(*),sum(article_id)\n3,6\n")
        #expect(answer.status == 0)
    }

    /// The earliest stop is not missed.
    @Test("A stop right after the start is obeyed") func obeysEarlyStop() async throws {
        for _ in 0..<8 {
            let serve = try tool.start("serve", "--port", "0", "--store", "sqlite:r.sqlite")
            _ = try await serve.line(beginning: "Inspector: ")
            #expect(serve.end() == 0)
        }
    }

    /// Commits to a file without a name are gone after a restart, so they must not be acknowledged.
    @Test("Notices a moved store before acknowledging anything") func noticesMovedStore() async throws {
        let serve = try tool.start("serve", "--port", "0", "--store", "sqlite:r.sqlite", mergingErrors: true)
        defer { serve.end() }
        let inspector = try await serve.line(beginning: "Inspector: ")
        let base = try #require(URL(string: String(inspector.prefix { $0 != "#" })))
        func post() async throws -> Int? {
            var request = URLRequest(url: base.appendingPathComponent("v1/events"))
            request.httpMethod = "POST"
            request.setValue("application/x-ndjson", forHTTPHeaderField: "content-type")
            let (_, response) = try await URLSession.shared.upload(for: request, from: Data("{\"tag\":\"a.b\"}".utf8))
            return (response as? HTTPURLResponse)?.statusCode
        }
        func health() async throws -> Int? {
            let (_, response) = try await URLSession.shared.data(from: base.appendingPathComponent("healthz"))
            return (response as? HTTPURLResponse)?.statusCode
        }
        let (store, away) = (tool.directory.appending(path: "r.sqlite"), tool.directory.appending(path: "away.sqlite"))
        #expect(try await post() == 200)
        #expect(try await health() == 200)
        try FileManager.default.moveItem(at: store, to: away)
        #expect(try await health() == 503)
        #expect(try await post() == 503)
        _ = try await serve.line(containing: "r.sqlite was deleted, moved or replaced")
        try FileManager.default.moveItem(at: away, to: store)
        #expect(try await post() == 200)
        #expect(try await health() == 200)
        // The collector's own record of the failure may restore the file.
        let answer = try await tool.run(
            "query", "--store", "r.sqlite", "--format", "csv", "SELECT count(*) FROM records WHERE tag = 'a.b'")
        #expect(answer.output == "count(*)\n2\n")
    }

    @Test("A port in use is explained in one line") func explainsPortInUse() async throws {
        let first = try tool.start("serve", "--port", "0", "--store", "sqlite:a.sqlite")
        defer { first.end() }
        let address = try await first.line(beginning: "Inspector: http://127.0.0.1:")
        let port = String(address.prefix { $0 != "/" })
        let second = try await tool.run("serve", "--port", port, "--store", "sqlite:b.sqlite")
        #expect(second.status == 2)
        #expect(second.output.isEmpty)
        #expect(
            second.errors
                == "error: 127.0.0.1:\(port) is in use by another process; stop it or choose another port with --port\n"
        )
    }

    @Test("`serve` does not start with invalid definitions") func refusesBadDefinitions() async throws {
        try tool.write("# feed\n\n## show\n\nText.\n\n- article_id: !bignit\n", to: "feed.md")
        let result = try await tool.run("serve", "--port", "0", "--store", "sqlite:a.sqlite", "--definitions", ".")
        #expect(result.status == 2)
        #expect(result.errors.contains("feed.md:7:15: error: "))
        #expect(result.errors.contains("`!bigint`"))
    }

    @Test("`serve` refuses a public address without TLS and keys") func refusesOpenExposure() async throws {
        let result = try await tool.run("serve", "--port", "0", "--listen", "0.0.0.0")
        #expect(result.status == 2)
        #expect(result.errors.contains("without TLS (--tls-cert, --tls-key) and keys (--keys)"))
    }

    @Test("The decompressed limit must not be below the body limit") func ordersBodyLimits() async throws {
        let result = try await tool.run("serve", "--body-limit", "8M", "--decompressed-limit", "1M", "--print-config")
        #expect(result.status == 2 && result.errors.contains("at least --body-limit, 8388608 bytes"))
        let alone = try await tool.run("serve", "--body-limit", "8M", "--print-config")
        #expect(alone.status == 0 && alone.output.contains("body-limit = 8M"))
    }

    @Test("Reports a wrong setting with its file and line") func locatesWrongSetting() async throws {
        for (line, words) in [
            ("port = abc", "--port takes a number"), ("keep = 90x", "90x"), ("listen = localhost", "numeric addresses"),
            ("store = mysql://x", "unknown kind of store `mysql`"),
            ("store = sqlite:", "names no file"), ("store = sqlite::memory:", "names no file"),
            ("own-records = loud", "not `loud`"), ("sql-time = 0", "from 1 to 600"), ("sql-time = 10s", "not `10s`"),
            ("records-per-minute = 0", "whole number above 0"),
            ("body-limit = 65M", "from 1K to 64M"), ("body-limit = 1", "not `1`"),
            ("decompressed-limit = 2G", "1K to 1G"),
            ("store-quota = 5X", "not `5X`"), ("store-quota = 9999999999T", "takes bytes"),
            ("host = https://logs.example", "takes a name"), ("keep = 100000w", "at most 100000 days"),
        ] {
            try tool.write("\u{FEFF}# settings\n\(line)\n", to: "d.conf")
            let result = try await tool.run("serve", "--config", "d.conf")
            #expect(result.status == 2)
            #expect(result.errors.hasPrefix("error: d.conf:2: "), "\(result.errors)")
            #expect(result.errors.contains(words), "\(result.errors)")
            let printed = try await tool.run("serve", "--config", "d.conf", "--print-config")
            #expect(printed.status == 2 && printed.output.isEmpty && printed.errors == result.errors)
        }
    }

    @Test(
        "Reports an unreadable file with its setting and location",
        arguments: [
            "checklists", "alerts", "boards", "coverage", "keys", "definitions", "token-file", "tls-cert", "tls-key",
            "request-rules",
        ]) func locatesUnreadableFile(name: String) async throws
    {
        try tool.write("-----BEGIN CERTIFICATE----- -----BEGIN PRIVATE KEY-----", to: "pair.pem")
        let other = ["tls-cert": "tls-key = pair.pem\n", "tls-key": "tls-cert = pair.pem\n"][name] ?? ""
        try tool.write("\(other)# settings\n\(name) = nowhere/x\n", to: "d.conf")
        let result = try await tool.run("serve", "--port", "0", "--store", "s.sqlite", "--config", "d.conf")
        #expect(result.status == 2)
        let line = other.isEmpty ? 2 : 3
        #expect(result.errors.hasPrefix("error: d.conf:\(line): --\(name): nowhere/x"), "\(result.errors)")
        guard other.isEmpty else { return }
        let given = try await tool.run("serve", "--port", "0", "--store", "s.sqlite", "--\(name)", "nowhere/x")
        #expect(given.status == 2)
        #expect(given.errors.hasPrefix("error: --\(name): nowhere/x"), "\(given.errors)")
    }

    @Test("Reports a TLS key without its certificate with its location") func locatesHalfPair() async throws {
        try tool.write("tls-key = key.pem\n", to: "d.conf")
        let result = try await tool.run("serve", "--config", "d.conf")
        #expect(result.status == 2)
        #expect(result.errors.hasPrefix("error: d.conf:1: --tls-key needs --tls-cert"), "\(result.errors)")
    }

    @Test("`--print-config` rejects settings that do not go together") func printConfigChecks() async throws {
        let result = try await tool.run("serve", "--print-config", "--listen", "0.0.0.0")
        #expect(result.status == 2 && result.errors.contains("without TLS"), "\(result)")
    }

    @Test("Warns of a `DAYBOOK_` variable that is not a setting") func warnsOfUnknownVariable() async throws {
        try tool.write(
            "# A\n\n```sql\nSELECT 1\n```\n\n- every 1h\n- when value > 1\n- notify ${DAYBOOK_SLACK}\n",
            to: "LogAlerts/a.md")
        let environment = [
            "DAYBOOK_KEYZ": "my.keys", "DAYBOOK_SLACK": "http://127.0.0.1:9/", "DAYBOOK_PORT": "4999",
            "DAYBOOK_LONG_TESTS": "1", "DAYBOOK_SERVICE_HOST": "10.0.0.1", "DAYBOOK_CLOUD_OF_ITS_OWN": "1",
        ]
        let warnings = EnvironmentNames.warnings(environment, options: Command.serveOptions) {
            tool.directory.appending(path: "LogAlerts").path
        }
        #expect(
            warnings == [
                "the variable DAYBOOK_CLOUD_OF_ITS_OWN is no setting and has no effect",
                "the variable DAYBOOK_KEYZ is no setting and has no effect; did you mean DAYBOOK_KEYS?",
            ])
        let serve = try tool.start(
            ["serve", "--print-config"], mergingErrors: true, environment: ["DAYBOOK_KEYZ": "my.keys"])
        defer { serve.end() }
        #expect(try await serve.line(containing: "DAYBOOK_KEYZ").hasPrefix("warning: the variable DAYBOOK_KEYZ"))
    }

    /// `/dev/full` refuses every byte, like a full disk.
    @Test(
        "The collector outlives a full log and leaves one store file",
        .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func outlivesItsLog() async throws {
        let program = BuiltProduct.daybook.path
        let serve = try tool.start(
            ["-c", "exec '\(program)' serve --port 0 --store r.sqlite --own-records info 2> /dev/full"],
            of: URL(fileURLWithPath: "/bin/sh"))
        let inspector = try await serve.line(beginning: "Inspector: ")
        let base = try #require(URL(string: String(inspector.prefix { $0 != "#" })))
        var request = URLRequest(url: base.appendingPathComponent("v1/events"))
        request.httpMethod = "POST"
        request.setValue("application/x-ndjson", forHTTPHeaderField: "content-type")
        let (_, response) = try await URLSession.shared.upload(for: request, from: Data("{\"tag\":\"a.b\"}".utf8))
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        #expect(serve.end() == 0)
        try FileManager.default.copyItem(
            at: tool.directory.appending(path: "r.sqlite"), to: tool.directory.appending(path: "alone.sqlite"))
        let found = try await tool.run("export", "--store", "alone.sqlite", "--tag", "a.b")
        #expect(found.output.contains("\"a.b\""), "\(found.errors)")
    }

    @Test("Does not overwrite a token file with other content") func keepsForeignTokenFile() async throws {
        let file = tool.directory.appending(path: "token")
        for content in [Data([0xFF, 0xFE, 0, 1]), Data("notes".utf8)] {
            try content.write(to: file)
            let result = try await tool.run("serve", "--port", "0", "--store", "s.sqlite", "--token-file", "token")
            #expect(result.status == 2)
            #expect(result.errors.hasPrefix("error: --token-file: token: "))
            #expect(try Data(contentsOf: file) == content)
        }
    }

    /// As cluster secrets are mounted: a symbolic link switches to another folder.
    @Test("Reloads a key file when its symbolic link changes") func reloadsLinkedKeyFile() async throws {
        let key = try await tool.run("keys", "add", "--keys", "keys", "ios").output.trimmingCharacters(in: .newlines)
        try tool.write(try tool.contents(of: "keys"), to: "old/keys")
        try tool.write("# All keys are revoked.\n", to: "new/keys")
        let manager = FileManager.default
        let (data, next) = (tool.directory.appending(path: "data").path, tool.directory.appending(path: "next").path)
        try manager.createSymbolicLink(atPath: data, withDestinationPath: "old")
        try manager.createSymbolicLink(
            atPath: tool.directory.appending(path: "link.keys").path, withDestinationPath: "data/keys")
        let serve = try tool.start("serve", "--port", "0", "--store", "r.sqlite", "--keys", "link.keys")
        defer { serve.end() }
        let inspector = try await serve.line(beginning: "Inspector: ")
        let base = try #require(URL(string: String(inspector.prefix { $0 != "#" })))
        func post() async throws -> Int {
            var request = URLRequest(url: base.appendingPathComponent("v1/events"))
            request.httpMethod = "POST"
            request.setValue("application/x-ndjson", forHTTPHeaderField: "content-type")
            request.setValue("Bearer \(key)", forHTTPHeaderField: "authorization")
            let (_, response) = try await URLSession.shared.upload(for: request, from: Data("{\"tag\":\"a.b\"}".utf8))
            return (response as? HTTPURLResponse)?.statusCode ?? 0
        }
        #expect(try await post() == 200)
        try manager.createSymbolicLink(atPath: next, withDestinationPath: "new")
        #expect(rename(next, data) == 0)
        // The file is read again within two seconds.
        try await eventually("the key is not known any more") { try await post() == 401 }
    }

    @Test("A key works until it is revoked, and the metrics count refusals") func revocationIsCounted() async throws {
        let key = try await tool.run("keys", "add", "--keys", "keys", "ios").output.trimmingCharacters(in: .newlines)
        let serve = try tool.start("serve", "--port", "0", "--store", "sqlite:r.sqlite", "--keys", "keys")
        defer { serve.end() }
        let inspector = try await serve.line(beginning: "Inspector: ")
        let base = try #require(URL(string: String(inspector.prefix { $0 != "#" })))
        func post(_ key: String?) async throws -> Int {
            var request = URLRequest(url: base.appendingPathComponent("v1/events"))
            request.httpMethod = "POST"
            request.setValue("application/x-ndjson", forHTTPHeaderField: "content-type")
            if let key { request.setValue("Bearer \(key)", forHTTPHeaderField: "authorization") }
            let (_, response) = try await URLSession.shared.upload(for: request, from: Data("{\"tag\":\"a.b\"}".utf8))
            return (response as? HTTPURLResponse)?.statusCode ?? 0
        }
        #expect(try await post("dbk_00000000_00") == 401)
        #expect(try await post(key) == 200)
        let listed = try await tool.run("keys", "list", "--keys", "keys")
        #expect(listed.output.contains("name=ios") && !listed.output.contains(key))
        let id = String(key.split(separator: "_")[1])
        #expect(try await tool.run("keys", "revoke", "--keys", "keys", id).status == 0)
        #expect(try await tool.run("keys", "revoke", "--keys", "keys", id).status == 1)
        // The file is read again within two seconds.
        try await eventually("the key is not known any more") { try await post(key) == 401 }
        let metrics = try await tool.run("keys", "add", "--keys", "keys", "--for", "metrics", "prometheus").output
        var request = URLRequest(url: base.appendingPathComponent("metrics"))
        request.setValue("Bearer \(metrics.trimmingCharacters(in: .newlines))", forHTTPHeaderField: "authorization")
        var answer = try await URLSession.shared.data(for: request)
        var text = ""
        // Metrics omit what a busy store does not answer in time.
        try await eventually("the key for metrics is known, and the store answers") {
            answer = try await URLSession.shared.data(for: request)
            text = String(decoding: answer.0, as: UTF8.self)
            return (answer.1 as? HTTPURLResponse)?.statusCode == 200
                && text.contains("daybook_stream_lost_records_total")
        }
        #expect(text.contains("daybook_ingest_requests_total{route=\"/v1/events\",status=\"401\",reason=\"key\"}"))
        #expect(text.contains("# TYPE daybook_ingest_commit_seconds histogram"))
        #expect(text.contains("\ndaybook_stream_lost_records_total{reason=\"disk_limit\",proven=\"true\"} 0\n"))
    }

    @Test("The printed configuration says where each value comes from") func printsSettingOrigins() async throws {
        try tool.write(
            "port = 4999\nkeys = my.keys\nkeep = 90d\n\nkeep = 7d debug.**\nrecords-per-minute = 600\nstore-quota = 50G\n",
            to: "daybook.conf")
        let result = try await tool.run("serve", "--config", "daybook.conf", "--print-config", "--port", "1")
        #expect(result.status == 0)
        let lines = result.output.split(separator: "\n").map(String.init)
        #expect(lines.contains { $0.hasPrefix("port = 1 ") && $0.hasSuffix("# the command line") })
        #expect(lines.contains { $0.hasPrefix("keys = my.keys ") && $0.hasSuffix("# daybook.conf:2") })
        #expect(lines.contains { $0.hasPrefix("keep = 90d ") && $0.hasSuffix("# daybook.conf:3") })
        #expect(lines.contains { $0.hasPrefix("keep = 7d debug.** ") && $0.hasSuffix("# daybook.conf:5") })
        #expect(lines.contains { $0.hasPrefix("records-per-minute = 600 ") && $0.hasSuffix("# daybook.conf:6") })
        #expect(lines.contains { $0.hasPrefix("store-quota = 50G ") && $0.hasSuffix("# daybook.conf:7") })
        #expect(lines.contains { $0.hasPrefix("store = sqlite:daybook.sqlite ") && $0.hasSuffix("# default") })
    }

    @Test("Quotas need keys, and a key's own quota is listed") func quotasNeedKeys() async throws {
        let without = try await tool.run("serve", "--records-per-minute", "5")
        #expect(without.status == 2 && without.errors.contains("--keys FILE"), "\(without)")
        _ = try await tool.run("keys", "add", "--keys", "keys", "--records-per-minute", "7", "ios")
        let wrong = try await tool.run("keys", "add", "--keys", "keys", "--records-per-minute", "some", "ios")
        #expect(wrong.status == 2 && wrong.errors.contains("not `some`"), "\(wrong)")
        #expect(try await tool.run("keys", "list", "--keys", "keys").output.contains("records_per_minute=7"))
    }

    /// OpenSSL makes the certificate and curl is the client, so that neither is ours.
    @Test(
        "Records arrive only over TLS with modern ciphers",
        .enabled(if: Tool.find("openssl") != nil && Tool.find("curl") != nil, "openssl and curl are not installed"))
    func servesOnlyTLS() async throws {
        let serve = try await tool.serveOverTLS()
        defer { serve.end() }
        let address = try await serve.line(beginning: "Inspector: ").prefix { $0 != "#" }
        #expect(address.hasPrefix("https://"))
        try tool.write("{\"tag\":\"a.b\"}\n", to: "line")
        let words = [
            "curl", "-s", "--cacert", "cert.pem", "-w", " %{http_code}", "-H", "content-type: application/x-ndjson",
        ]
        let sent = try await tool.runOther(words + ["--data-binary", "@line", "\(address)v1/events"])
        #expect(sent.output == "{\"stored\":1,\"duplicates\":0} 200")
        // Over the limit: behind TLS the whole body is read before the response.
        try tool.write(String(repeating: "x", count: 5 << 20), to: "large")
        let large = try await tool.runOther(words + ["--data-binary", "@large", "\(address)v1/events"])
        #expect(large.output.hasSuffix(" 413"))
        let plain = try await tool.runOther(words + ["\(address.replacing("https:", with: "http:"))healthz"])
        #expect(!plain.output.hasSuffix("200"))
        let old = try await tool.runOther(words + ["--tls-max", "1.1", "\(address)healthz"])
        #expect(old.status != 0)
        // TLS 1.2 with and without forward secrecy.
        for (cipher, isTaken) in [
            ("ECDHE-RSA-AES128-GCM-SHA256", true), ("AES128-GCM-SHA256", false), ("AES256-SHA", false),
            ("AES128-SHA256", false), ("AES256-GCM-SHA384", false),
        ] {
            let result = try await tool.runOther(
                words + ["--tls-max", "1.2", "--ciphers", cipher, "\(address)healthz"])
            #expect((result.status == 0) == isTaken, "\(cipher): \(result)")
        }
    }

    @Test("`serve` does not start with an unusable certificate pair") func refusesBadTLSPair() async throws {
        try tool.write("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", to: "cert.pem")
        try tool.write("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", to: "key.pem")
        let result = try await tool.run(
            "serve", "--port", "0", "--store", "s.sqlite", "--tls-cert", "cert.pem", "--tls-key", "key.pem")
        #expect(result.status == 2)
        #expect(result.errors.contains("cannot be used for TLS"))
        let alone = try await tool.run("serve", "--port", "0", "--tls-cert", "cert.pem")
        #expect(alone.errors.contains("belong together"))
    }
}
