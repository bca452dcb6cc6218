import DaybookBase
import DaybookTools
import Foundation
import Testing

struct MaskingPolicyTests {
    private let policy = MaskingPolicy(own: ["user.sign_up": ["mail", "age"]], common: ["user_id"])

    @Test func privateColumnsAreMaskedWhereTheDefinitionsOrTheSenderNameThem() {
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

    @Test(arguments: [
        #"{"n":1.0,"big":12345678901234567890,"text":"plain \/ text","deep":{"a":[1,2]}}"#, "{broken", "", "{}",
    ])
    func whatHoldsNothingToMaskStaysByteForByte(_ text: String) {
        #expect(policy.masked(attributes: text, context: text, of: "user.sign_up") == (text, text))
    }

    @Test(arguments: [
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
    func credentialsAreFoundWhereverTheyStand(_ text: String, _ secret: String) {
        let clean = MaskingPolicy().masked(attributes: text, context: "{}", of: "a.b").attributes
        #expect(!clean.contains(secret))
        #expect(clean.contains("[redacted]"))
        // Masking twice changes nothing.
        #expect(MaskingPolicy().masked(attributes: clean, context: "{}", of: "a.b").attributes == clean)
        #expect(!MaskingPolicy().masked(text).contains(secret))
    }

    @Test(arguments: ["author", "tokens_left", "keyword", "ping"])
    func namesThatOnlyResembleSecretOnesAreNone(_ name: String) {
        let text = "{\"\(name)\":\"egg\"}"
        #expect(MaskingPolicy().masked(attributes: text, context: "{}", of: "a.b").attributes == text)
    }

    @Test func anAnswerIsMaskedByTheNamesOfItsColumns() {
        #expect(policy.masked(.int(7), named: "USER_ID") == .string("[private]"))
        #expect(policy.masked(.null, named: "user_id") == .null)
        #expect(policy.masked(.string("x"), named: "password") == .string("[redacted]"))
        #expect(policy.masked(.int(7), named: "count(*)") == .int(7))
        let whole = #"{"user_id":7,"plan":"free"}"#
        #expect(policy.masked(.string(whole), named: "context") == .string(#"{"user_id":"[private]","plan":"free"}"#))
    }

    @Test(arguments: [
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
    func aReasonTellsNoPrivateValue(_ reason: String, _ masked: String) {
        #expect(policy.masked(reason: reason) == masked)
    }

    @Test func aRecordOfNoDefinedEventHidesWhatIsPrivateInAnyEvent() throws {
        let policy = MaskingPolicy(
            own: ["user.sign_up": ["mail"], "feed.show": []], common: ["user_id"],
            defined: ["user.sign_up", "feed.show"])
        let text = #"{"mail":"a@b.example","user_id":7,"title":"soup"}"#
        for policy in [policy, try JSONDecoder().decode(MaskingPolicy.self, from: JSONEncoder().encode(policy))] {
            #expect(
                policy.masked(attributes: text, context: "{}", of: "user.sing_up").attributes
                    == #"{"mail":"[private]","user_id":"[private]","title":"soup"}"#)
            #expect(
                policy.masked(attributes: text, context: "{}", of: "feed.show").attributes
                    == #"{"mail":"a@b.example","user_id":"[private]","title":"soup"}"#)
            #expect(policy.isPrivate("mail", of: "") && !policy.isPrivate("mail", of: "feed.show"))
            #expect(!policy.isPrivate("title", of: ""))
        }
    }

    @Test func whatARecordSaysOfItselfIsLearned() {
        var policy = MaskingPolicy()
        policy.learn(tag: "a.b", attributes: #"{"mail":"x","daybook.private":["mail"]}"#, context: "{}")
        #expect(policy.isPrivate("mail", of: "a.b"))
        #expect(!policy.isPrivate("mail", of: "a.c"))
        #expect(policy.masked(reason: #"mail is "x""#) == "mail is [private]")
    }
}
