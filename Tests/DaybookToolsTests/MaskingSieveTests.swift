import DaybookBase
import DaybookTools
import DaybookTrials
import Testing

struct MaskingSieveTests {
    private let policy = MaskingPolicy(private: ["mail", "名前", "user_id"])
    private var sieve: MaskingSieve { MaskingSieve(columns: policy.names) }

    private func suspects(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { sieve.suspects($0) }
    }

    @Test(
        "The sieve suspects text that may need masking",
        arguments: [
            #"{"mail":1}"#, #"{"a":1,"名前":"x"}"#, #"{"user_id":7}"#, #"{"a":{"pass_word":"x"}}"#, #"{"X-API-Key":"x"}"#,
            #"{"a":"token = 5"}"#, #"{"a":"{\"p.i.n\":1}"}"#, #"{"a":"Bearer abcdefghij"}"#, #"{"a":"eyJh.b.c"}"#,
            #"{"a":"https://u:p@h/"}"#, #"{"a":"\\u0070in"}"#, #"{"daybook.private":["a"]}"#, #"{"cookie_":1}"#,
            #"{"MAIL":1}"#, #"{"ｍａｉｌ":1}"#, "{\"ma\u{FEFF}il\":1}", #"{"m\tail":1}"#, #"{"a":"{\"mail\":1}"}"#,
            "{'mail': 1}",
            #"{"user id":1,"user_ id":2}"#,
        ])
    func suspectsMaskable(_ text: String) { #expect(suspects(text)) }

    @Test(
        "The sieve passes plain text",
        arguments: [
            "", "{}", #"{"keyword":"tomato soup","n":12,"list":[1.5,true,null],"screen":"search.results"}"#,
            #"{"mailing":1,"a":"mail me","tokens_used":5,"opinion":"basics","a":"https://a.example/b@c","spin_count":1}"#,
            #"{"a":"a \"quoted\" line\nand \\ more"}"#,
        ])
    func passesPlainText(_ text: String) { #expect(!suspects(text)) }

    @Test("Nothing the policy masks passes the sieve") func sieveMissesNothing() {
        var random = SeededGenerator(seed: 5)
        let parts =
            CredentialScrubber.credentialNames.sorted() + [
                "mail", "名前", "user_id", "-", "_", ".", " ", "\"", "\\\"", "\\\\", "\\u0070", ":", "=", "://", "@", "/",
                "bearer ", "'", "M", "ail", "ｍ", "\u{200B}", "\\t", "\\ufeff",
                "Basic ", "eyJ", "abcdefgh", "x", "1", "{", "}", "[", "]", ",", "\\n", "daybook.private", "T", "o", "k",
                "e", "n",
            ]
        var passed = 0
        for _ in 0..<5_000 {
            let texts = (0..<2).map { _ in
                (0..<Int.random(in: 0...7, using: &random)).map { _ in parts.randomElement(using: &random) ?? "" }
                    .joined()
            }
            let attributes =
                Bool.random(using: &random) ? "{\"\(texts[0])\":\"\(texts[1])\"}" : "{\"a\":\"\(texts[0])\"}"
            guard !suspects(attributes) else { continue }
            passed += 1
            let clean = policy.masked(attributes: attributes, context: "{}", of: "user.sign_up").attributes
            #expect(clean == attributes, "\(attributes)")
        }
        #expect(passed > 300)
    }

    @Test("Stand-ins keep equal values equal and different ones different") func standInsAreConsistent() throws {
        let pseudonyms = Pseudonyms(key: HashKey(1, 2))
        let numbers = (0..<5_000).map { pseudonyms.standIn(for: .int($0)) }
        #expect(Set(numbers).count > 4_998)
        for case .int(let number) in numbers { #expect((Int64(Int32.min)..<0).contains(number)) }
        guard case .int(let large) = pseudonyms.standIn(for: .int(.max)) else { throw Unexpected() }
        #expect(large <= -(1 << 52))
        #expect(pseudonyms.standIn(for: .string("a")) == pseudonyms.standIn(for: .string("a")))
        #expect(pseudonyms.standIn(for: .string("a")) != Pseudonyms(key: HashKey(1, 3)).standIn(for: .string("a")))
        let masked = policy.withPseudonyms(pseudonyms).masked(
            attributes: #"{"mail":"a@b.example","名前":"[private]","pin":5}"#, context: #"{"user_id":null}"#,
            of: "user.sign_up")
        #expect(masked.attributes.hasPrefix(#"{"mail":"[private "#))
        #expect(masked.attributes.hasSuffix(#"","名前":"[private]","pin":"[redacted]"}"#))
        #expect(masked.context == #"{"user_id":null}"#)
    }

    private struct Unexpected: Error {}
}
