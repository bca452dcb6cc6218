import DaybookBase
import DaybookChecklist
import Testing

/// Batches as other SDKs send them.
struct RequestBatchTests {
    private func entries(_ rules: String, _ target: String, _ body: String) throws -> [RequestEvents.Entry] {
        let request = RequestRules.Request(method: "POST", host: "a.example", target: target, body: Array(body.utf8))
        var reading = try #require(try RequestRules(json: #"{"rules": [\#(rules)]}"#).reading(request))
        var entries: [RequestEvents.Entry] = []
        while let entry = reading.next() { entries.append(entry) }
        return entries
    }

    private func events(_ rules: String, _ target: String, _ body: String) throws -> [RequestRules.Event] {
        try entries(rules, target, body).compactMap { if case .event(let event) = $0 { event } else { nil } }
    }

    @Test("Rules read a Segment batch") func segment() throws {
        let rules = #"""
            {"path": "/v1/batch", "each": "body.batch", "where": {"item.type": "track"}, "event": "{item.event}",
             "names": {"Product Viewed": "shop.product_viewed"}, "time": "item.timestamp", "uid": "item.messageId",
             "attributes": ["item.properties"]},
            {"path": "/v1/batch", "each": "body.batch", "where": {"item.type": ["screen", "page"]}, "fold": true,
             "event": "{item.type}.{item.name}", "attributes": ["item.properties"]}
            """#
        let body = #"""
            {"batch": [
              {"type": "identify", "userId": "u1", "traits": {"plan": "pro"}},
              {"type": "track", "event": "Product Viewed", "messageId": "m-1", "timestamp": "2026-11-20T10:02:11.204Z",
               "properties": {"sku": "G-32", "price": 18.99}},
              {"type": "screen", "name": "Home Feed"}, {"type": "group", "groupId": "g"}
            ], "sentAt": "2026-11-20T10:02:12.000Z"}
            """#
        #expect(
            try events(rules, "/v1/batch", body) == [
                RequestRules.Event(
                    tag: "shop.product_viewed", attributes: ["sku": "G-32", "price": 18.99],
                    time: 1_795_168_931_204_000_000, uid: "m-1"),
                RequestRules.Event(tag: "screen.home_feed", attributes: [:]),
            ])
        let skipped = try entries(rules, "/v1/batch", body).compactMap { entry -> String? in
            if case .skipped(let what) = entry { what } else { nil }
        }
        #expect(skipped == ["item.type is identify", "item.type is group"])
    }

    @Test("Rules read an Amplitude batch") func amplitude() throws {
        let rules = #"""
            {"path": "/2/httpapi", "each": "body.events", "event": "app.{item.event_type}", "fold": true,
             "time": "item.time", "uid": "item.insert_id", "attributes": ["item.event_properties"]}
            """#
        let body = #"""
            {"api_key": "k", "events": [{"event_type": "watch_tutorial", "time": 1795168931204, "insert_id": "5f0a",
              "event_properties": {"load_time": 0.8371}}, {"event_type": "[Amplitude] Start Session"}]}
            """#
        #expect(
            try events(rules, "/2/httpapi", body) == [
                RequestRules.Event(
                    tag: "app.watch_tutorial", attributes: ["load_time": 0.8371], time: 1_795_168_931_204_000_000,
                    uid: "5f0a"),
                RequestRules.Event(tag: "app.amplitude_start_session", attributes: [:]),
            ])
    }

    /// As JSON or its base64, in a form or in the body.
    @Test("Rules read Mixpanel events, single or listed, plain or encoded", arguments: [false, true], [false, true])
    func mixpanel(isList: Bool, isEncoded: Bool) throws {
        let event = #"""
            {"event": "Signed Up?", "properties": {"time": 1795168931, "$insert_id": "i>?1", "plan": "free"}}
            """#
        let data = isList ? "[\(event)]" : event
        let rule = #"""
            {"path": "/track", "json": ["body.data"], "each": "body.data", "event": "user.{item.event}", "fold": true,
             "time": "item.properties.time", "uid": "item.properties.$insert_id", "attributes": ["item.properties"]}
            """#
        let sent = isEncoded ? Base64.encode(Array(data.utf8)) : data
        let form = "verbose=1&data=" + sent.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let expected = RequestRules.Event(
            tag: "user.signed_up", attributes: ["time": 1_795_168_931, "$insert_id": "i>?1", "plan": "free"],
            time: 1_795_168_931_000_000_000, uid: "i>?1")
        #expect(try events(rule, "/track", form) == [expected])
        // A sender that leaves the plus signs of base64 unencoded.
        if isEncoded { #expect(try events(rule, "/track", "data=" + sent) == [expected]) }
        let inBody = #"{"path": "/track", "each": "body", "event": "user.{item.event}", "fold": true}"#
        #expect(try events(inBody, "/track", data).map(\.tag) == ["user.signed_up"])
    }

    @Test("Rules read Google Analytics 4 Measurement Protocol events") func googleAnalytics() throws {
        let rule = #"""
            {"path": "/mp/collect", "each": "body.events", "event": "ga.{item.name}", "time": "body.timestamp_micros",
             "attributes": ["body.client_id", "item.params"]}
            """#
        let body = #"""
            {"client_id": "c.1", "timestamp_micros": "1795168931204567",
             "events": [{"name": "tutorial_begin", "params": {"value": 3}}, {"name": "login"}]}
            """#
        let found = try events(rule, "/mp/collect?api_secret=s", body)
        #expect(found.map(\.tag) == ["ga.tutorial_begin", "ga.login"])
        #expect(found[0].attributes == ["client_id": "c.1", "value": 3])
        #expect(found.allSatisfy { $0.time == 1_795_168_931_204_567_000 })
    }

    @Test("Rules read a Firebase event log") func firebase() throws {
        let rule = #"""
            {"path": "/v1/events", "each": "body.event_log",
             "where": {"body.platform": ["ios", "android"], "item.internal": null}, "event": "app.{item.event_name}",
             "fold": true, "time": "item.event_timestamp", "attributes": ["item.event_params"]}
            """#
        let body = #"""
            {"platform": "ios", "event_log": [{"event_name": "selectContent", "event_timestamp": 1795168931204567,
             "event_params": {"content_type": "recipe"}}, {"event_name": "x", "internal": true}]}
            """#
        #expect(
            try events(rule, "/v1/events", body) == [
                RequestRules.Event(
                    tag: "app.select_content", attributes: ["content_type": "recipe"], time: 1_795_168_931_204_567_000)
            ])
        let other = try entries(rule, "/v1/events", #"{"platform": "web", "event_log": []}"#)
        guard case .skipped("body.platform is web")? = other.first, other.count == 1 else {
            Issue.record("\(other)")
            return
        }
    }

    @Test("Rules read Snowplow events, plain or encoded", arguments: [false, true]) func snowplow(isEncoded: Bool)
        throws
    {
        let unstructured = #"""
            {"schema": "iglu:com.snowplowanalytics.snowplow/unstruct_event/jsonschema/1-0-0",
             "data": {"schema": "iglu:com.acme/product_view/jsonschema/1-0-0", "data": {"sku": "G-32"}}}
            """#
        let (key, text) = isEncoded ? ("ue_px", Base64.encode(Array(unstructured.utf8))) : ("ue_pr", unstructured)
        let url = text.split(separator: "=").joined().map { $0 == "+" ? "-" : $0 == "/" && isEncoded ? "_" : $0 }
        let rule = #"""
            {"path": "/com.snowplowanalytics.snowplow/tp2", "each": "body.data", "where": {"item.e": "ue"},
             "json": ["item.ue_px", "item.ue_pr"], "event": "shop.{item.\#(key).data.schema}",
             "names": {"shop.iglu:com.acme/product_view/jsonschema/1-0-0": "shop.product_view"},
             "time": "item.dtm", "uid": "item.eid", "attributes": ["item.\#(key).data.data"]}
            """#
        let body = JSONWriter.text(
            .object(
                [
                    "schema": "iglu:com.snowplowanalytics.snowplow/payload_data/jsonschema/1-0-4",
                    "data": [
                        .object(
                            ["e": "ue", "eid": "e-1", "dtm": "1795168931204", key: .string(String(url))] as Attributes),
                        ["e": "pv", "page": "Home"],
                    ],
                ] as Attributes))
        #expect(
            try events(rule, "/com.snowplowanalytics.snowplow/tp2", body) == [
                RequestRules.Event(
                    tag: "shop.product_view", attributes: ["sku": "G-32"], time: 1_795_168_931_204_000_000, uid: "e-1")
            ])
    }

    /// An event without values has an empty text where others have JSON.
    @Test("Rules read AppsFlyer events with or without values", arguments: ["", " ", "{}", #"{\"af_price\": 7}"#])
    func appsFlyer(value: String) throws {
        let rule = #"""
            {"path": "/inappevent/*", "json": ["body.eventValue"], "event": "shop.{body.eventName}",
             "attributes": ["body.eventValue"]}
            """#
        let found = try events(rule, "/inappevent/a", #"{"eventName": "af_x", "eventValue": "\#(value)"}"#)
        #expect(found == [RequestRules.Event(tag: "shop.af_x", attributes: value.count > 2 ? ["af_price": 7] : [:])])
    }

    @Test(
        "Rules read a Braze batch with either, both or no lists",
        arguments: [
            (#"{"attributes": [{"a": 1}]}"#, 0), (#"{"events": null}"#, 0), (#"{"purchases": [{"name": "b"}]}"#, 1),
            (#"{"events": [{"name": "a"}, {"name": "c"}], "attributes": []}"#, 2),
        ]) func braze(body: String, count: Int) throws
    {
        let rules = #"""
            {"path": "/users/track", "each": "body.events", "event": "{item.name}"},
            {"path": "/users/track", "each": "body.purchases", "event": "{item.name}"}
            """#
        let found = try entries(rules, "/users/track", body)
        let events = found.filter { if case .event = $0 { true } else { false } }
        #expect(events.count == count)
        guard count == 0 else { return }
        guard case .absent("body.events is absent")? = found.first, found.count == 1 else {
            Issue.record("\(found)")
            return
        }
    }

    @Test(
        "A free name is folded to a tag",
        arguments: [
            ("Product Viewed", "product_viewed"), ("productViewed", "product_viewed"),
            ("PRODUCT-VIEWED", "product_viewed"),
            ("product_viewed", "product_viewed"), ("HTTPRequest Sent", "http_request_sent"), ("Level2Up", "level2_up"),
            ("  Sign  up! ", "sign_up"), ("$pageview", "pageview"), ("商品 閲覧", "商品_閲覧"),
            ("Éclair Eaten", "éclair_eaten"),
            ("feed.Show Article", "feed.show_article"), ("a..b.", "a.b"), ("v1.2 Shown", "v1.2_shown"),
        ]) func foldsFreeNames(name: String, tag: String) throws
    {
        let rule = #"{"path": "/a", "event": "{body.name}", "fold": true, "attributes": []}"#
        let body = JSONWriter.text(.object(["name": .string(name)]))
        #expect(try events(rule, "/a", body).map(\.tag) == [tag])
    }

    /// Also beside other words; a table can still name it.
    @Test("A name that folds to nothing is not an event", arguments: ["!!", " ", "…", "-._", "\u{1F600}"])
    func emptyFoldIsNoEvent(name: String) throws {
        let body = JSONWriter.text(.object(["name": .string(name), "category": "shop"]))
        for event in ["user.{body.name}", "{body.name}.tap", "{body.category}.{body.name}", "a{body.name}b"] {
            let rule = #"{"path": "/a", "event": "\#(event)", "attributes": [], "fold": "#
            #expect(try events(rule + "true}", "/a", body).isEmpty, "\(event)")
            #expect(try events(rule + "false}", "/a", body).count == 1)
        }
        let named =
            #"{"path": "/a", "event": "user.{body.name}", "fold": true, "names": {"user.\#(name)": "user.odd"}}"#
        #expect(try events(named, "/a", body).map(\.tag) == ["user.odd"])
    }

    @Test("A bad entry does not lose the others") func badEntryCostsItself() throws {
        let rules = #"""
            {"path": "/a", "each": "body.l", "json": ["item.d"], "where": {"item.t": 1}, "event": "{item.d.n}", "fold": true,
             "time": "item.at", "attributes": []}
            """#
        let bad = [
            #"{"t": 1}"#, #"{"t": 1, "d": "{"}"#, #"{"t": 1, "d": 5}"#, #"{"t": 1, "d": {"n": "!?"}}"#,
            #"{"t": 1, "d": {"n": "x"}, "at": "noon"}"#, #"{"t": "1", "d": "bm8="}"#,
        ]
        for entry in bad {
            let good = #"{"t": 1, "d": "{\"n\": \"x\"}"}"#
            let found = try entries(rules, "/a", #"{"l": [\#(good), \#(entry), 7, \#(good)]}"#)
            guard found.count == 4, case .event = found[0], case .refused(let problem) = found[1],
                case .skipped("item.t is absent") = found[2], case .event = found[3]
            else {
                Issue.record("\(entry): \(found)")
                continue
            }
            #expect(problem.description.hasPrefix("POST /a: entry 2: "), "\(problem)")
        }
    }

    @Test("A rule for the whole request is the fallback for a list") func wholeRuleIsFallback() throws {
        let rules = #"""
            {"path": "/v1/*", "each": "body.events", "event": "{item.name}"}, {"path": "/v1/*", "event": "one.{body.name}"}
            """#
        #expect(try events(rules, "/v1/a", #"{"events": [{"name": "a.b"}], "name": "c"}"#).map(\.tag) == ["a.b"])
        #expect(try events(rules, "/v1/a", #"{"name": "c"}"#).map(\.tag) == ["one.c"])
        #expect(try events(rules, "/v1/a", #"{"events": {"name": "a.b"}}"#).map(\.tag) == ["a.b"])
    }

    @Test("A byte order mark does not hide the JSON or form after it") func markDoesNotMakeForm() throws {
        for body in [#"{"name": "b"}"#, "name=b"] {
            let found = try events(#"{"path": "/a", "event": "a.{body.name}"}"#, "/a", "\u{FEFF}" + body)
            #expect(found.map(\.tag) == ["a.b"], "\(body)")
        }
        #expect(throws: Never.self) { try RequestRules(json: "\u{FEFF}" + #"{"rules": []}"#) }
    }

    /// Text decoded within text must stay shallow enough for a store to read again.
    @Test("JSON decoded from texts has a bounded depth") func nestedTextIsBounded() throws {
        let rule = #"{"path": "/a", "json": ["body.d"], "event": "e", "attributes": ["body"]}"#
        for depth in [10, 60, 61, 64, 1_000] {
            let deep = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            let body = JSONWriter.text(.object(["d": .string(deep)]))
            guard let found = try? events(rule, "/a", body) else {
                #expect(depth > 60)
                continue
            }
            let text = JSONWriter.text(found[0].attributes)
            #expect(throws: Never.self, "\(depth)") { try JSONReader.value(of: Array(text.utf8)) }
        }
    }

    @Test(
        "A wrong key in a rule is named in the error",
        arguments: [
            (#""where": []"#, "`where` says what is at places"),
            (#""where": {"item.a": {}}"#, "`where`: at `item.a` is a text"),
            (#""where": {"thing": 1}"#, "`thing`: a place begins with"), (#""names": ["a"]"#, "`names` says which tag"),
            (#""names": {"a": ""}"#, "`names`: the tag of `a` is a text"),
            (#""fold": "yes""#, "`fold` is true or false"),
            (#""json": "body.data""#, "`json` is a list of places"), (#""uid": 7"#, "`uid` is a text"),
            (#""whre": {}"#, "a rule has no key `whre`; did you mean `where`?"),
        ]) func badRuleKeyIsNamed(key: String, message: String)
    {
        let problem = #expect(throws: RequestRules.Problem.self) {
            try events(#"{"path": "/a", "each": "body", "event": "e", \#(key)}"#, "/a", "{}")
        }
        #expect(problem?.description.hasPrefix("rule 1: " + message) == true, "\(problem as Any)")
    }
}
