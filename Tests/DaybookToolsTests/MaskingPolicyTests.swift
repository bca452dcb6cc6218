import DaybookBase
import DaybookTools
import DaybookTrials
import Foundation
import Testing

struct MaskingPolicyTests {
    private let policy = MaskingPolicy(private: ["mail", "age", "user_id"], open: ["feed.show": ["mail"]])

    @Test("Columns named private by definitions or sender are masked") func masksNamedColumns() {
        let (attributes, context) = policy.masked(
            attributes: #"{"mail":"a@b.example","age":31,"note":"hi","plan":null,"daybook.private":["note"]}"#,
            context: #"{"user_id":7,"city":"Kobe","daybook.private.common":["city"]}"#, of: "user.sign_up")
        #expect(
            attributes
                == #"{"mail":"[private]","age":"[private]","note":"[private]","plan":null,"daybook.private":["note"]}"#)
        #expect(
            context == #"{"user_id":"[private]","city":"[private]","daybook.private.common":["city"]}"#)
        let other = policy.masked(attributes: #"{"mail":"a@b.example"}"#, context: "{}", of: "feed.show")
        #expect(other.attributes == #"{"mail":"a@b.example"}"#)
    }

    @Test(
        "Text with nothing to mask stays the same byte for byte",
        arguments: [
            #"{"n":1.0,"big":12345678901234567890,"text":"plain \/ text","deep":{"a":[1,2]}}"#, "{broken", "", "{}",
        ])
    func unmaskedIsUnchanged(_ text: String) {
        #expect(policy.masked(attributes: text, context: text, of: "user.sign_up") == (text, text))
    }

    @Test(
        "Credentials are redacted wherever they appear",
        arguments: [
            (#"{"http.request.header.authorization":["Bearer 8f3a9c51"]}"#, "8f3a9c51"),
            (#"{"http.request.header.set-cookie":"sid=8f3a9c51"}"#, "8f3a9c51"),
            (#"{"API_KEY":"8f3a9c51"}"#, "8f3a9c51"),
            (#"{"refreshToken":"8f3a9c51"}"#, "8f3a9c51"),
            (#"{"pin":83159}"#, "83159"),
            (#"{"url.full":"https://a.example/?q=egg&token=8f3a9c51&x=1"}"#, "8f3a9c51"),
            (#"{"url.full":"https://me:8f3a9c51@a.example/"}"#, "8f3a9c51"),
            (#"{"line":"sent with Bearer 8f3a9c51d2"}"#, "8f3a9c51"),
            (#"{"user":{"session":{"password":"8f3a9c51"}}}"#, "8f3a9c51"),
            (#"{"list":[{"secret":"8f3a9c51"}]}"#, "8f3a9c51"),
            (#"{"http.request.body.content":"{\"user\":{\"token\":\"8f3a9c51\"},\"n\":1}"}"#, "8f3a9c51"),
            (#"{"body":"{\"password\":\"correct horse battery\"}"}"#, "battery"),
            (#"{"body":"{\"inner\":\"{\\\"access_token\\\":\\\"8f3a9c51\\\"}\"}"}"#, "8f3a9c51"),
            (#"{"body":"{\"password\":\"8f3a9c51 and mo"}"#, "8f3a9c51"),
            (#"{"jwt":"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI4ZjNhIn0.8f3a9c51"}"#, "8f3a9c51"),
        ])
    func findsCredentials(_ text: String, _ secret: String) {
        let clean = MaskingPolicy().masked(attributes: text, context: "{}", of: "a.b").attributes
        #expect(!clean.contains(secret))
        #expect(clean.contains("[redacted]"))
        // Masking twice changes nothing.
        #expect(MaskingPolicy().masked(attributes: clean, context: "{}", of: "a.b").attributes == clean)
        #expect(!MaskingPolicy().masked(text).contains(secret))
    }

    @Test("Names that only resemble secret ones are kept", arguments: ["author", "tokens_left", "keyword", "ping"])
    func keepsSimilarNames(_ name: String) {
        let text = "{\"\(name)\":\"egg\"}"
        #expect(MaskingPolicy().masked(attributes: text, context: "{}", of: "a.b").attributes == text)
    }

    @Test("A query's answer is masked by the names of its columns") func masksByColumnName() {
        #expect(policy.masked(.int(7), named: "USER_ID") == .string("[private]"))
        #expect(policy.masked(.null, named: "user_id") == .null)
        #expect(policy.masked(.string("x"), named: "password") == .string("[redacted]"))
        #expect(policy.masked(.int(7), named: "count(*)") == .int(7))
        let whole = #"{"user_id":7,"plan":"free"}"#
        #expect(policy.masked(.string(whole), named: "context") == .string(#"{"user_id":"[private]","plan":"free"}"#))
    }

    @Test(
        "A reason shows no private value",
        arguments: [
            (#"got 2 (mail = "a@b.c", id = 7, user_id = 42)"#, "got 2 (mail = [private], id = 7, user_id = [private])"),
            ("#3: `age > 40` does not hold: age is 31", "#3: `age > 40` does not hold: age is [private]"),
            (#"age is "31", text, not integer"#, "age is [private], text, not integer"),
            (#"mail = "it is "quoted"": 1 old, 2 new"#, "mail = [private]: 1 old, 2 new"),
            (#"user_id is {"a": [1, 2]}, not 3"#, "user_id is [private], not 3"),
            (#"email = "a@b.c""#, #"email = "a@b.c""#),
            ("mail is absent", "mail is absent"),
            (#"api_key is "9f3a""#, "api_key is [redacted]"),
            (##"body is "{"a":"{\"password\":\"9f3a\"}"}""##, ##"body is "{"a":"{\"password\":\"[redacted]\"}"}""##),
            ("none for plan = free", "none for plan = free"),
        ])
    func masksReasons(_ reason: String, _ masked: String) {
        #expect(policy.masked(reason: reason) == masked)
    }

    @Test("A name private in any event is masked unless the event declares it") func undeclaredIsMasked() throws {
        let policy = MaskingPolicy(private: ["mail", "user_id"], open: ["feed.show": ["mail", "title"]])
        let text = #"{"mail":"a@b.example","user_id":7,"title":"soup"}"#
        for policy in [policy, try JSONDecoder().decode(MaskingPolicy.self, from: JSONEncoder().encode(policy))] {
            #expect(
                policy.masked(attributes: text, context: "{}", of: "user.sing_up").attributes
                    == #"{"mail":"[private]","user_id":"[private]","title":"soup"}"#)
            #expect(
                policy.masked(attributes: text, context: "{}", of: "feed.show").attributes
                    == #"{"mail":"a@b.example","user_id":"[private]","title":"soup"}"#)
            #expect(
                policy.masked(attributes: text, context: text, of: "feed.hide").context
                    == #"{"mail":"[private]","user_id":"[private]","title":"soup"}"#)
            #expect(policy.isPrivate("mail", of: "") && !policy.isPrivate("mail", of: "feed.show"))
            #expect(!policy.isPrivate("title", of: ""))
        }
    }

    /// Spellings that people read as the same name.
    private static func spellings(of name: String, _ random: inout some RandomNumberGenerator) -> String {
        let unseen = [
            " ", "\t", "\u{0}", "\u{FEFF}", "\u{200B}", "\u{AD}", "\u{3000}", "\u{2060}", "\u{FFFD}",
            Unicode.Scalar(0xFDD0).map { String($0) } ?? "", "",
        ]
        return name.unicodeScalars.map { scalar in
            let wide = Unicode.Scalar(scalar.value + 0xFEE0).map { String($0) } ?? ""
            let written = [String(scalar), String(scalar).uppercased(), wide].randomElement(using: &random) ?? ""
            return written
                + (Int.random(in: 0...3, using: &random) == 0 ? unseen.randomElement(using: &random) ?? "" : "")
        }.joined()
    }

    @Test("A private name is masked however and wherever it is written") func masksEverySpelling() {
        var random = SeededGenerator(seed: 20)
        let sieve = MaskingSieve(columns: policy.names)
        for _ in 0..<300 {
            var name = Self.spellings(of: ["mail", "age", "user_id"].randomElement(using: &random) ?? "", &random)
            // As received, and as stores keep it.
            if Bool.random(using: &random) { name = name.storable }
            let member: Attributes = Attributes([(name, .string("5ecret"))])
            let object = JSONWriter.text(.object(member))
            let deep = JSONWriter.text(.object(["body": .string(object), "a": 1] as Attributes))
            let texts = [
                object, JSONWriter.text(.object(["a": .object(member), "b": .array([.object(member)])] as Attributes)),
                deep, JSONWriter.text(.object(["c": .string(deep)] as Attributes)),
                JSONWriter.text(.object(["d": .string("got \(object) twice")] as Attributes)),
                JSONWriter.text(.object(["e": .string(String(deep.dropLast(8)))] as Attributes)),
            ]
            for var text in texts {
                let isSuspect = text.withUTF8(sieve.suspects)
                #expect(isSuspect, "\(text)")
                for clean in [
                    policy.masked(attributes: text, context: "{}", of: "feed.hide").attributes,
                    policy.masked(attributes: "{}", context: text, of: "no.such").context, policy.masked(text),
                    policy.masked("told: " + text),
                ] {
                    #expect(!clean.contains("5ecret"), "\(clean)")
                    #expect(policy.masked(clean) == clean)
                }
            }
        }
        for text in [#"{"mailing":"x","e_mail":"x"}"#, "the mail: x", #"a "quoted" mail"#, #"{"service.version":"1"}"#]
        {
            #expect(policy.masked(text) == text)
        }
    }

    @Test("A column is hidden where masking changes it", arguments: 0..<200) func hidesWhatIsMasked(_ seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let members = [
            #""mail":"a@b.example""#, #""mail":null"#, #""age":31"#, #""user_id":"[private]""#, #""user_id":7"#,
            #""note":"Bearer 8f3a9c51d2""#, #""note":"hi""#, #""body":"{\"password\":\"8f3a9c51\"}""#,
            #""deep":{"mail":"x","big":123456789012345678901}"#, #""token":"8f3a9c51""#, #""plan":1e300"#,
            #""daybook.private":["note","PLAN"]"#, #""daybook.private.common":["deep",5]"#,
        ]
        func object() -> String {
            "{\(members.filter { _ in Bool.random(using: &random) }.shuffled(using: &random).joined(separator: ","))}"
        }
        let (attributes, context) = (object(), object())
        for tag in ["feed.show", "user.sign_up"] {
            let shown = policy.masked(attributes: attributes, context: context, of: tag)
            let texts = [attributes, context, shown.attributes, shown.context]
            let objects = texts.map { Attributes(json: $0) ?? [:] }
            for column in ["mail", "age", "user_id", "note", "body", "deep", "token", "plan", "daybook.private", "no"] {
                let isChanged = objects[0][column] != objects[2][column] || objects[1][column] != objects[3][column]
                #expect(
                    policy.hides(column, attributes: objects[0], context: objects[1], of: tag) == isChanged,
                    "\(column) in \(attributes) \(context) of \(tag)")
            }
        }
    }

    @Test("A union of policies masks what either masks") func unionMasksBoth() {
        let other = MaskingPolicy(private: ["mail", "plan"], open: ["feed.show": ["plan"], "user.sign_up": ["mail"]])
        let union = policy.union(other)
        for tag in ["feed.show", "user.sign_up", "no.such"] {
            for name in ["mail", "plan", "age", "title"] {
                #expect(
                    union.isPrivate(name, of: tag)
                        == (policy.isPrivate(name, of: tag) || other.isPrivate(name, of: tag)),
                    "\(name) of \(tag)")
            }
        }
    }

    @Test("A policy learns the private names a record declares") func learnsFromRecord() {
        var policy = MaskingPolicy()
        policy.learn(tag: "a.b", attributes: #"{"mail":"x","daybook.private":["mail"]}"#, context: "{}")
        #expect(policy.isPrivate("mail", of: "a.b"))
        #expect(!policy.isPrivate("mail", of: "a.c"))
        #expect(policy.masked(reason: #"mail is "x""#) == "mail is [private]")
    }
}
