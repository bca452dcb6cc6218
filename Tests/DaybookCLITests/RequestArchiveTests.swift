import DaybookBase
import DaybookTestTraits
import Foundation
import Testing

/// Requests in the archives of browsers and proxies.
@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct RequestArchiveTests {
    private let tool = Tool()
    private static let rules = #"""
        {"rules": [{"method": "POST", "host": "log.example", "path": "/track", "event": "feed.{body.name}",
         "attributes": ["body.n"]}]}
        """#
    private static let definitions = "# feed\n\n## show\n\n- n: !bigint\n\n## tap\n\n- n: !bigint\n"

    private func convert(_ request: String) async throws -> Tool.Result {
        try tool.write(Self.definitions, to: "defs/feed.md")
        try tool.write("\u{FEFF}" + Self.rules, to: "rules.json")
        try tool.write("\u{FEFF}" + #"{"log": {"version": "1.2", "entries": [{"request": \#(request)}]}}"#, to: "a.har")
        return try await tool.run(
            "fixtures", "import", "--definitions", "defs", "--request-rules", "rules.json", "a.har")
    }

    private static func request(
        _ body: String, url: String = "https://log.example/track", headers: String = ""
    ) -> String {
        #"{"method": "POST", "url": "\#(url)", "headers": [\#(headers)], \#(body)}"#
    }

    private static let json = #"{"name": "show", "n": 7}"#
    private static let base64 = Base64.encode(Array(json.utf8))

    @Test(
        "Finds a request body wherever the archive keeps it",
        arguments: [
            request(#""postData": {"text": "{\"name\": \"show\", \"n\": 7}"}"#),
            request(#""postData": {"text": "name=show&n=7"}"#),
            request(
                #""postData": {"text": "", "params": [{"name": "name", "value": "show"}, {"name": "n", "value": "7"}]}"#
            ),
            request(#""postData": {"text": "\#(base64)", "encoding": "base64"}"#),
            request(#""postData": {"text": "\#(base64)", "_encoding": "base64"}"#),
            request(
                #""postData": {"text": "\#(Base64.encode(Array(("\u{FEFF}" + json).utf8)))", "encoding": "base64"}"#),
            // Decompressed by the proxy, with the header still claiming compression.
            request(
                #""postData": {"text": "name=show&n=7"}"#, headers: #"{"name": "Content-Encoding", "value": "gzip"}"#),
            request(
                #""bodySize": 9, "postData": {"text": "name=show&n=7"}"#,
                headers: #"{"name": "Content-Encoding", "value": "gzip"}"#),
            request(#""bodySize": 13, "postData": {"text": "name=show&n=7"}"#),
            request(#""postData": {"text": "name=show&n=7"}"#, headers: #"{"name": "Content-Length", "value": "13"}"#),
            request(#""bodySize": 19, "postData": {"text": "name=show&n=7&x=\ufffd"}"#),
            request(
                #""postData": {"text": "name=show&n=7"}"#, url: "/track",
                headers: #"{"name": ":authority", "value": "log.example:443"}, {"name": ":method", "value": "POST"}"#),
        ]) func findsBodyAnywhere(request: String) async throws
    {
        let result = try await convert(request)
        #expect(result.output == #"{"tag":"feed.show","attributes":{"n":7}}"# + "\n" && result.status == 0, "\(result)")
    }

    @Test(
        "Reports a request whose body is missing from the archive",
        arguments: [
            (request(#""bodySize": 24"#), "the archive does not have its body of 24 bytes"),
            (request(#""bodySize": 20, "postData": {"text": ""}"#), "the archive does not have its body of 20 bytes"),
            (request(#""postData": {"mimeType": "application/json"}"#), "the archive does not have its body"),
            (
                request(#""postData": {"mimeType": "x", "params": []}, "bodySize": -1"#),
                "the archive does not have its body"
            ),
            (
                request(#""bodySize": 0"#, headers: #"{"name": "content-length", "value": "20"}"#),
                "the archive does not have its body of 20 bytes"
            ),
            (request(#""postData": {"text": 5}"#), "`text` of its body is not a text"),
            (request(#""postData": {"params": [{"name": "name", "value": 5}]}"#), "a parameter has no name"),
            (
                request(#""bodySize": 2000000, "postData": {"text": "name=show&n=7"}"#),
                "the archive has 13 of the 2000000 bytes of its body"
            ),
            (
                request(#""postData": {"text": "name=\ufffdJ"}"#),
                "its body has U+FFFD, which stands for bytes that were no text"
            ),
            (
                request(#""postData": {"text": "\#(Base64.encode([0x0A, 0x05, 0xFF, 0x01]))", "encoding": "base64"}"#),
                "its body is neither JSON nor a form: it has control characters, as protobuf and MessagePack do"
            ),
            (request(#""postData": {"text": "name=%83J"}"#), "`%83J` is not UTF-8"),
            (request(#""postData": {"mimeType": "x", "_file": "b.json"}"#), "its body is in another file, b.json"),
            (
                request(#""postData": {"text": "%%", "encoding": "base64"}"#),
                "its body is not base64, as the archive says"
            ),
            (request(#""postData": {"text": "x", "encoding": "rot13"}"#), "its body has the encoding rot13"),
            (
                request(
                    #""postData": {"text": "\u001f\ufffd\b\u0000"}"#,
                    headers: #"{"name": "content-encoding", "value": "br"}"#),
                "its body is no text, and the header says it is compressed by br"
            ),
            (request(#""postData": {"text": "{\"name\": 1.5}"}"#), "no event: it has no text at `body.name`"),
        ]) func reportsMissingBody(request: String, words: String) async throws
    {
        let result = try await convert(request)
        #expect(result.status == 1 && result.errors.contains("error: a.har:1: POST /track: \(words)"), "\(result)")
    }

    /// Some archives list an address's parameters only beside it.
    @Test("Finds URL parameters wherever the archive keeps them") func findsURLParameters() async throws {
        let query = #""queryString": [{"name": "name", "value": "show"}, {"name": "n", "value": "7"}], "#
        let rules = Self.rules.replacing("body.", with: "query.")
        for (url, list, output) in [
            ("/track", query, true), ("/track?name=show&n=7", "", true), ("/track?name=show&n=7", query, true),
            ("/track", "", false),
        ] {
            try tool.write(Self.definitions, to: "defs/feed.md")
            try tool.write(rules, to: "rules.json")
            let request = #"{"method": "POST", \#(list)"url": "https://log.example\#(url)"}"#
            try tool.write(#"{"log": {"entries": [{"request": \#(request)}]}}"#, to: "a.har")
            let result = try await tool.run(
                "fixtures", "import", "--definitions", "defs", "--request-rules", "rules.json", "a.har")
            #expect((result.output == #"{"tag":"feed.show","attributes":{"n":7}}"# + "\n") == output, "\(result)")
            #expect(result.status == (output ? 0 : 1))
        }
    }

    @Test("Notes names given twice in an archived request") func notesRepeatedNames() async throws {
        let parameters = ["show", "tap"].map { #"{"name": "name", "value": "\#($0)"}"# }.joined(separator: ",")
        for data in [
            #""text": "name=show&name=tap""#, #""params": [\#(parameters)]"#,
            #""text": "{\"name\":1,\"name\":\"tap\"}""#,
        ] {
            let result = try await convert(Self.request(#""postData": {\#(data)}"#))
            #expect(result.output == #"{"tag":"feed.tap","attributes":{}}"# + "\n" && result.status == 0, "\(result)")
            #expect(result.errors.contains("note: a.har:1: not read: name given twice (1)"), "\(result)")
        }
    }

    /// An archive without requests, and one whose requests match no rule.
    @Test("An archive without convertible requests is an error") func nothingConvertedFails() async throws {
        let result = try await convert(
            Self.request(#""postData": {"text": "name=show"}"#, url: "https://other.example/"))
        #expect(result.status == 2 && result.errors.contains("error: nothing was converted"), "\(result)")
    }

    /// The same event was sent again, or never arrived.
    @Test(
        "Counts a request that was sent again only once",
        arguments: [
            ("307", "POST /track was redirected (307) and sent again; it is not converted"),
            ("308", "POST /track was redirected (308) and sent again; it is not converted"),
            ("0", "POST /track failed; it is not converted"), ("200", nil), ("500", nil), ("302", nil),
        ]) func countsResentOnce(status: String, note: String?) async throws
    {
        let sent = Self.request(#""postData": {"text": "name=show&n=7"}"#)
        let result = try await convert(sent + #"}, {"response": {"status": \#(status)}, "request": "# + sent)
        #expect(result.status == 0 && result.output.split(separator: "\n").count == (note == nil ? 2 : 1), "\(result)")
        #expect(note.map { result.errors.contains("note: a.har:1: " + $0) } ?? result.errors.isEmpty, "\(result)")
    }

    @Test("Decompresses a compressed body in an archive") func inflatesArchivedBody() async throws {
        try tool.write(Self.json, to: "body")
        let made = try await tool.runOther("sh", "-c", "gzip -c body | base64 | tr -d '\\n'")
        let text = made.output.trimmingCharacters(in: .whitespacesAndNewlines)
        let result = try await convert(Self.request(#""postData": {"text": "\#(text)", "encoding": "base64"}"#))
        #expect(result.output.contains("feed.show"), "\(result)")
    }
}
