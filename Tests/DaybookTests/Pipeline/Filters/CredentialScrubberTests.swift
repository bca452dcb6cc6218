import Testing

@testable import Daybook

struct CredentialScrubberTests {
    private let scrubber = CredentialScrubber(names: Redact.credentialNames)

    @Test(
        "Replaces credentials in text",
        arguments: [
            ("Authorization: Bearer abcdefgh12345678", "Authorization: [redacted] [redacted]"),
            ("sent bearer abcdefgh12345678 on", "sent bearer [redacted] on"),
            ("password=hunter2&q=egg", "password=[redacted]&q=egg"),
            ("{\"password\": \"hunter2\", \"n\": 1}", "{\"password\": \"[redacted]\", \"n\": 1}"),
            ("https://user:pass@api.example/x", "https://[redacted]@api.example/x"),
            ("token eyJhbGciOi.eyJzdWIi.c2lnbmF0dXJl end", "token [redacted] end"),
            ("X-Api-Key: k-123", "X-Api-Key: [redacted]"),
            ("set-cookie: id=5; Path=/", "set-cookie: [redacted]; Path=/"),
        ])
    func replacesCredentials(text: String, expected: String) {
        #expect(scrubber.scrubbed(text) == expected)
    }

    @Test(
        "Leaves other text unchanged",
        arguments: [
            "The bearer of news came by.", "a=b", "10:02:11", "pinned: yes", "path /eyJ/x", "", "日本語: テキスト",
            "http://host/a@b",
            "basic rules", "e = mc²",
        ])
    func leavesOtherText(text: String) {
        #expect(scrubber.scrubbed(text) == text)
    }

    @Test("Replaces values of secret names at any depth") func redactsNamedValues() {
        let attributes: Attributes = [
            "Access-Token": 5, "user": ["pass_word": "x", "name": "egg"], "list": [["cookie": "a=b"]],
            "http.request.header.authorization": "abc", "plan": "free",
        ]
        #expect(
            scrubber.scrubbed(attributes) == [
                "Access-Token": "[redacted]", "user": ["pass_word": "[redacted]", "name": "egg"],
                "list": [["cookie": "[redacted]"]], "http.request.header.authorization": "[redacted]", "plan": "free",
            ])
    }

    @Test("Scrubs any text without trapping or breaking characters") func scrubsAnyText() {
        var generator = SystemRandomNumberGenerator()
        let pieces = ["=", ":", " ", "//", "@", "bearer", "eyJ", ".", "\"", "あ", "password", "\u{0}", "🍳", "x"]
        for _ in 0..<2000 {
            let text = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
                pieces.randomElement(using: &generator) ?? ""
            }.joined()
            let once = scrubber.scrubbed(text)
            #expect(once.unicodeScalars.allSatisfy { $0 != "\u{FFFD}" })
        }
    }
}
