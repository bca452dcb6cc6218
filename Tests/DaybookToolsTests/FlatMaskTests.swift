import DaybookBase
import DaybookTools
import DaybookTrials
import Testing

/// Compares ``FlatMask`` with the policy, which decides what is right.
struct FlatMaskTests {
    private static let policies = [
        MaskingPolicy(), MaskingPolicy(private: ["mail", "user_id"], open: ["feed.show": ["mail"]]),
        MaskingPolicy(private: ["mail", "user_id"], open: ["feed.show": ["mail"]])
            .withPseudonyms(Pseudonyms(key: HashKey(1, 2))),
    ]

    private func mask(_ policy: MaskingPolicy) -> FlatMask { FlatMask(policy, MaskingSieve(columns: policy.names)) }

    /// The masked text; `nil` if it is unsure.
    private func masked(
        _ mask: inout FlatMask, _ text: String, of tag: String, context: String = "{}"
    ) -> String? {
        var (text, tag) = (text, tag)
        let told = mask.numbers(of: MaskingPolicy.told(in: context)) ?? []
        return text.withUTF8 { bytes in
            tag.withUTF8 { tag in
                guard mask.read(bytes) else { return nil }
                switch mask.mask(bytes, of: tag, alsoTold: told) {
                case .same: return String(decoding: bytes, as: UTF8.self)
                case .changed: return String(decoding: mask.output, as: UTF8.self)
                case .unsure: return nil
                }
            }
        }
    }

    @Test(
        "Flat objects are masked without the policy",
        arguments: [
            "{}", #"{"a":1}"#, #"{"mail":"a@b.example","n":null,"on":true,"off":false,"i":-7,"d":1.5,"z":0.0}"#,
            #"{"token":"abc","user_id":123456789012345678,"title":"卵焼き","user-id":2}"#,
            #"{"title":"a","note":"b","daybook.private":["note","service.version"],"service.version":"1"}"#,
            #"{"mail":null,"pin":"[private]","MAIL":0.25,"list":[1,{"b":"c"}]}"#,
            #"{"text":"a \"b\" c","url":"https://a.b/c"}"#,
        ])
    func masksFlatObjects(_ text: String) throws {
        for policy in Self.policies {
            var mask = mask(policy)
            for tag in ["user.sign_up", "feed.show", "user.sign_up"] {
                for context in ["{}", #"{"daybook.private.common":["title"],"title":"x"}"#] {
                    let right = policy.masked(attributes: text, context: context, of: tag).attributes
                    let shown = masked(&mask, text, of: tag, context: context)
                    if !text.contains("["), !text.contains("\\") || context == "{}" { #expect(shown != nil, "\(text)") }
                    #expect(shown == nil || shown == right)
                }
            }
        }
    }

    @Test("What is masked is what the policy masks, whatever the text") func agreesWithPolicy() {
        var random = SeededGenerator(seed: 11)
        let names = [
            "mail", "user_id", "Mail", "token", "x-api-key", "title", "a", "daybook.private", "daybook.private.common",
            "service.version", "名前", "a b", "m\\u0061il", "cookie",
        ]
        let values = [
            "1", "-1", "0", "-0", "01", "1.0", "1.50", "0.00001", "0.0001", "1e5", "1-2", "123456789012345678",
            "1234567890123456789012", "0.1234567890123456789", "true", "false", "null", "tru", #""""#, #""x""#, #""卵""#,
            #""[private]""#, #""[redacted]""#, #""a'mail':b""#, #""{\"mail\":1}""#, #""token=abcdefgh""#, #""a\nb""#,
            #""https://u:p@h/""#, "[1,2]", "[1,,2]", #"["mail"]"#, #"["title"]"#, #"["title","a"]"#, #"[1,"a"]"#, "[]",
            "{}",
            #"{"mail":1}"#, #"{"b":{"pin":2}}"#, #""'title': 5""#, "\"a\u{1}b\"", #""Bearer abcdefghij""#, " 1",
        ]
        var sure = 0
        for policy in Self.policies {
            var mask = mask(policy)
            for _ in 0..<20_000 {
                let members = (0..<Int.random(in: 0...4, using: &random)).map { _ in
                    "\"\(names.randomElement(using: &random) ?? "")\":\(values.randomElement(using: &random) ?? "")"
                }
                let text = "{\(members.joined(separator: ","))}"
                let tag = Bool.random(using: &random) ? "feed.show" : "user.sign_up"
                let context =
                    Int.random(in: 0..<3, using: &random) > 0
                    ? "{}" : #"{"daybook.private.common":["title","b"],"b":1}"#
                guard let shown = masked(&mask, text, of: tag, context: context) else { continue }
                sure += 1
                #expect(
                    shown == policy.masked(attributes: text, context: context, of: tag).attributes,
                    "\(text) of \(tag) with \(context)")
            }
        }
        #expect(sure > 10_000)
    }

    @Test("Texts have numbers in the order in which they are added") func numbersTexts() {
        var numbers = ByteNumbers()
        func number(_ text: String, adding: Bool) -> Int? {
            var text = text
            return text.withUTF8 { adding ? numbers.add($0) : numbers.number(of: $0) }
        }
        for round in 0..<2 {
            for index in 0..<1_000 {
                let text = String(repeating: "é", count: index % 7) + String(index)
                #expect(number(text, adding: false) == (round == 0 ? nil : index))
                #expect(number(text, adding: true) == index)
            }
        }
        #expect(number("", adding: false) == nil && numbers.count == 1_000)
    }
}
