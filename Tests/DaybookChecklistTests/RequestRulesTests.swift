import DaybookBase
import DaybookChecklist
import Testing

struct RequestRulesTests {
    private func events(
        _ rule: String, _ method: String, _ target: String, _ body: String = "", host: String? = "log.example"
    ) throws -> [RequestRules.Event]? {
        try RequestRules(json: #"{"rules": [\#(rule)]}"#).events(
            of: RequestRules.Request(method: method, host: host, target: target, body: Array(body.utf8)))
    }

    @Test("The query of a GET becomes a record") func queryBecomesRecord() throws {
        let found = try events(
            #"{"path": "/logs/*", "event": "{path.last}"}"#, "GET",
            "/logs/show_article?article_id=7&title=a+b%26%E5%8D%B5&x")
        #expect(
            found == [
                RequestRules.Event(tag: "show_article", attributes: ["article_id": "7", "title": "a b&卵", "x": ""])
            ])
    }

    @Test("A body can be a form or JSON") func bodyFormOrJSON() throws {
        let rule = #"{"method": "post", "path": "/logs", "event": "feed.{body.name}", "attributes": ["body.params"]}"#
        let json = try events(rule, "POST", "/logs", #" {"name": "tap", "params": {"id": 7, "is": true}}"#)
        #expect(json == [RequestRules.Event(tag: "feed.tap", attributes: ["id": 7, "is": true])])
        let form = #"{"path": "/logs", "event": "feed.{body.name}", "attributes": ["query.from", "body"]}"#
        #expect(
            try events(form, "POST", "/logs?from=home", "name=tap&id=7") == [
                RequestRules.Event(tag: "feed.tap", attributes: ["from": "home", "name": "tap", "id": "7"])
            ])
    }

    @Test("Each entry of a list becomes a record") func entriesBecomeRecords() throws {
        let rule = #"""
            {"path": "/track", "each": "body.events", "event": "{item.category}.{item.name}",
             "attributes": ["body.common", "item.params"]}
            """#
        let body = #"""
            {"common": {"user": 1}, "events": [{"category": "feed", "name": "show", "params": {"id": 7}},
            {"category": "feed", "name": "tap"}]}
            """#
        #expect(
            try events(rule, "POST", "/track", body) == [
                RequestRules.Event(tag: "feed.show", attributes: ["user": 1, "id": 7]),
                RequestRules.Event(tag: "feed.tap", attributes: ["user": 1]),
            ])
        #expect(
            try events(
                #"{"path": "/track", "each": "body", "event": "{item.name}"}"#, "POST", "/track",
                #"[{"name": "a", "n": 1}]"#)
                == [RequestRules.Event(tag: "a", attributes: ["name": "a", "n": 1])])
    }

    @Test(
        "A rule can name the time in any unit",
        arguments: [
            ("\"2026-11-20T10:02:11.204Z\"", 1_795_168_931_204_000_000), ("1795168931", 1_795_168_931_000_000_000),
            ("1795168931.5", 1_795_168_931_500_000_000), ("\"1795168931204\"", 1_795_168_931_204_000_000),
            ("1795168931204567", 1_795_168_931_204_567_000), ("null", nil), ("0", 0),
        ]) func ruleCanNameTime(time: String, nanoseconds: Int64?) throws
    {
        let rule = #"{"path": "/a", "event": "e", "each": "body", "time": "item.at", "attributes": []}"#
        #expect(
            try events(rule, "POST", "/a", #"[{"at": \#(time)}]"#)
                == [RequestRules.Event(tag: "e", attributes: [:], time: nanoseconds)])
    }

    @Test("A request with 100,000 members is read in linear time", .timeLimit(.minutes(5))) func largeRequestIsLinear()
        throws
    {
        let many = (0..<100_000).map { "k\($0)=1" }.joined(separator: "&")
        let all = try events(#"{"path": "/a", "event": "e"}"#, "POST", "/a", many)
        #expect(all?[0].attributes.elements.count == 100_000)
        #expect(throws: RequestRules.Problem.self) {
            try events(#"{"path": "/a", "event": "e"}"#, "POST", "/a", many + "&one=more")
        }
        let members = (0..<100_000).map { "\"k\($0)\": 1" }.joined(separator: ",")
        let items = repeatElement("{}", count: 100_000).joined(separator: ",")
        let rule = #"{"path": "/a", "each": "body.events", "event": "{body.name}", "attributes": ["item"]}"#
        let body = #"{\#(members), "name": "e", "events": [\#(items)]}"#
        #expect(try events(rule, "POST", "/a", body)?.count == 100_000)
    }

    @Test(
        "Paths are matched by segments",
        arguments: [
            ("/logs/*", "/logs/a", true), ("/logs/*", "/logs/a/b", false), ("/logs/*", "/logs", false),
            ("/logs/**", "/logs", true), ("/logs/**", "/logs/a/b?q", true), ("/logs/**", "/logsx", false),
            ("/logs", "/logs?x=/y", true), ("/*/event", "/v1/event", true), ("/", "/", true),
            ("/logs", "/logs/", false),
            ("/a%20b", "/a%20b", false), ("/a b", "/a%20b", true),
        ]) func pathsMatchBySegment(pattern: String, target: String, fits: Bool) throws
    {
        #expect(try (events(#"{"path": "\#(pattern)", "event": "e"}"#, "GET", target) != nil) == fits)
    }

    @Test("Method and host select a rule") func methodAndHostSelect() throws {
        let rule = #"{"method": "POST", "host": "Log.Example", "path": "/a", "event": "e"}"#
        #expect(try events(rule, "GET", "/a") == nil)
        #expect(try events(rule, "POST", "/a", host: "other.example") == nil)
        #expect(try events(rule, "POST", "/a")?.count == 1)
        #expect(try events(rule, "POST", "/a", host: nil)?.count == 1)
    }

    @Test(
        "A problem in a request is named with its place",
        arguments: [
            (#"{"path": "/a", "event": "{body.name}"}"#, "{}", "POST /a: no event: it has no text at `body.name`"),
            (
                #"{"path": "/a", "event": "e", "each": "body.events"}"#, #"{"events": 5}"#,
                "POST /a: `body.events` is not a list"
            ),
            (#"{"path": "/a", "event": "e"}"#, "{", "POST /a: its body is not JSON"),
            (#"{"path": "a", "event": "e"}"#, "", "rule 1: `path` is missing"),
            (#"{"path": "/a"}"#, "", "rule 1: `event` is missing"),
            (#"{"path": "/a", "event": "{name}"}"#, "", "rule 1: `name`: a place begins with path, query or body"),
            (#"{"path": "/a", "event": "e", "each": "item.a"}"#, "", "rule 1: `each` is a place in the body"),
            (#"{"path": "/a", "event": "e", "time": "body.at"}"#, "at=noon", "POST /a: `body.at` is not a time"),
            (#"{"path": "/a", "event": "{query.a"}"#, "", "rule 1: `{query.a`: a place is written in braces"),
            (#"{"path": "/a", "path": "/b", "event": "e"}"#, "", "rule 1: a rule has the key `path` twice"),
            (#"{"path": "/a", "event": "e", "host": "https://log.example"}"#, "", "rule 1: `host` is a name"),
            (#"{"path": "/a", "event": "e", "host": "log.example:443"}"#, "", "rule 1: `host` is a name"),
            (#"{"path": "/a", "event": "e", "host": "log.example/a"}"#, "", "rule 1: `host` is a name"),
            (#"{"path": "/a", "event": "e", "host": "*.example"}"#, "", "rule 1: `host` is a name"),
            (#"{"path": "/a", "event": "e", "method": "GET, POST"}"#, "", "rule 1: `method` is one method"),
            (#"{"path": "/**/a", "event": "e"}"#, "", "rule 1: `path`: `/**/a` matches nothing"),
            (#"{"path": "/a*", "event": "e"}"#, "", "rule 1: `path`: `/a*` matches nothing"),
            (#"{"path": "/a?x=1", "event": "e"}"#, "", "rule 1: `path`: `/a?x=1` matches nothing"),
            (#"{"path": "/a", "event": "{body.l.0.n}"}"#, "", "rule 1: `body.l.0.n`: lists have no numbers in places"),
            (#"{"path": "/a", "event": "e", "each": "body.0"}"#, "", "rule 1: `body.0`: lists have no numbers"),
            (#"{"path": "/a", "event": "e", "attributes": ["body.l.12"]}"#, "", "rule 1: `body.l.12`: lists have no"),
            (#"{"path": "/a", "event": "{path.first}"}"#, "", "rule 1: `path.first`: the path has path.1, path.2"),
            (#"{"path": "/a", "event": "{path.0}"}"#, "", "rule 1: `path.0`: the path has path.1, path.2"),
            (
                #"{"path": "/a", "event": "e", "names": {"a": "b", "a": "c"}}"#, "",
                "rule 1: `names` has the key `a` twice"
            ),
            (
                #"{"path": "/a", "event": "e", "where": {"body.a": 1, "body.a": 2}}"#, "",
                "rule 1: `where` has the key `body.a` twice"
            ),
            (#"{"path": "/a", "event": "e", "where": {"body.a": []}}"#, "", "rule 1: `where`: at `body.a` is a text"),
            (#"{"paht": "/a", "event": "e"}"#, "", "rule 1: a rule has no key `paht`; did you mean `path`?"),
        ]) func namesRequestProblem(rule: String, body: String, message: String)
    {
        let problem = #expect(throws: RequestRules.Problem.self) { try events(rule, "POST", "/a", body) }
        #expect(problem?.description.hasPrefix(message) == true, "\(problem as Any)")
    }

    @Test(
        "A body that is neither form nor JSON is named by its kind",
        arguments: [
            ("--b\r\nContent-Disposition: form-data; name=\"n\"\r\n\r\na=b\r\n--b--", "it is multipart"),
            ("<e n=\"a\"/>", "it is XML or HTML"), ("\u{FEFF}<!DOCTYPE html><a href=b>", "it is XML or HTML"),
            ("hello world", "it is a text without `=`"), ("a\nb", "it is a text without `=`"),
            (#""a=b""#, "it is a single value of JSON"), ("null", "it is a single value of JSON"),
            ("5", "it is a single value of JSON"), ("true\n", "it is a single value of JSON"),
            ("\u{0A}\u{05}a=b\u{12}\u{01}c", "it has control characters, as protobuf"),
            ("a=b\u{0}", "it has control characters"),
            ("en=x&num=1\r\nen=page_view&num=2", "several forms, one a line, are not read"),
            ("a=1\nb=2\n", "several forms, one a line"), ("a=1\rb=2", "several forms, one a line"),
            ("nm=%83J", "`%83J` is not UTF-8"), ("%FF=1", "`%FF` is not UTF-8"), ("a=%E5%8D", "`%E5%8D` is not UTF-8"),
        ]) func nonFormIsNamed(body: String, words: String)
    {
        for event in ["e", "{body.en}"] {
            let problem = #expect(throws: RequestRules.Problem.self) {
                try events(#"{"path": "/a", "event": "\#(event)"}"#, "POST", "/a", body)
            }
            #expect(problem?.description.hasPrefix("POST /a: ") == true && problem?.description.contains(words) == true)
        }
    }

    /// Bytes of other encodings and of MessagePack, in a body and percent-encoded in query and path.
    @Test(
        "Text in other encodings is an error and never replaced",
        arguments: [
            ([0x6E, 0x6D, 0x3D, 0x83, 0x4A], "/a", "its body is neither JSON nor a form: it is not UTF-8"),
            ([0x82, 0xA1, 0x61, 0xA1, 0x3D], "/a", "its body is neither JSON nor a form: it is not UTF-8"),
            ([], "/a?nm=%83J", "`%83J` is not UTF-8"), ([], "/%83J", "its path is not UTF-8"),
        ] as [([UInt8], String, String)]) func otherEncodingsFail(
            body: [UInt8], target: String, words: String
        )
    {
        let problem = #expect(throws: RequestRules.Problem.self) {
            try RequestRules(json: #"{"rules": [{"path": "/*", "event": "e"}]}"#).events(
                of: RequestRules.Request(method: "POST", host: nil, target: target, body: body))
        }
        #expect(problem?.description.contains(words) == true, "\(problem as Any)")
    }

    @Test(
        "White space after a form is not part of it",
        arguments: ["en=x&num=1\r\n", "en=x&num=1\n", "\u{FEFF}en=x&num=1", "en=x&num=1 "])
    func trimsFormEnd(body: String) throws {
        #expect(
            try events(#"{"path": "/a", "event": "{body.en}"}"#, "POST", "/a", body)
                == [RequestRules.Event(tag: "x", attributes: ["en": "x", "num": "1"])])
    }

    @Test("An empty body is accepted", arguments: ["", "\r\n", " "]) func emptyBodyIsAccepted(body: String) throws {
        #expect(try events(#"{"path": "/a", "event": "e"}"#, "POST", "/a?x=1", body)?.count == 1)
    }

    /// A browser's preflight, and requests that only read.
    @Test(
        "Methods that log nothing match only rules that name them", arguments: ["OPTIONS", "HEAD", "TRACE", "CONNECT"])
    func quietMethodsNeedRule(method: String)
        throws
    {
        #expect(try events(#"{"path": "/a", "event": "e"}"#, method, "/a") == nil)
        #expect(try events(#"{"method": "\#(method)", "path": "/a", "event": "e"}"#, method, "/a")?.count == 1)
        for other in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
            #expect(try events(#"{"path": "/a", "event": "e"}"#, other, "/a")?.count == 1)
        }
    }

    @Test("Path segments and query parameters can be read by number") func numberedPlacesAreRead() throws {
        let found = try events(#"{"path": "/*/*", "event": "{path.2}.{query.1}", "attributes": []}"#, "GET", "/a/b?1=c")
        #expect(found?.map(\.tag) == ["b.c"])
    }

    @Test("A file that contains no rules is refused") func nonRulesFileIsRefused() {
        for text in ["", "[]", #"{"rules": {}}"#] {
            #expect(throws: RequestRules.Problem.self) { try RequestRules(json: text) }
        }
    }
}
