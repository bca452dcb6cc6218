import DaybookTrials
import Testing

@testable import Daybook

/// The screen may only skip text that the scrubber would not change.
struct CredentialScreenTests {
    private let names = Redact.credentialNames.union(["mein"])
    private var scrubber: CredentialScrubber { CredentialScrubber(names: names) }
    private var screen: CredentialScreen { CredentialScreen(names: names) }

    private func isClean(_ record: Record) -> Bool {
        RecordEncoder.bytes(of: record).withUnsafeBytes { screen.isClean($0, isSpan: record.kind == .span) }
    }

    @Test("A random record the screen calls clean is unchanged by the scrubber") func screenAgreesWithScrubber() {
        var generator = SeededGenerator(seed: 7)
        let pieces = [
            "=", ":", " ", "//", "://", "@", "bearer", "Basic", "eyJ", ".", "\"", "'", "あ", "password", "PIN", "x",
            "a_b",
            "api-key", "mein", "longenough", "user", "-", "/", ",",
        ]
        func text() -> String {
            (0..<Int.random(in: 0...10, using: &generator)).map { _ in
                pieces.randomElement(using: &generator) ?? ""
            }.joined()
        }
        var clean = 0
        for round in 0..<20_000 {
            var record = Record(time: 1, kind: round % 3 == 0 ? .span : .message, level: .info, tag: "app")
            record.message = text()
            if record.kind == .span {
                record.span = SpanContext.make(parent: nil)
                record.duration = 1
                if round % 2 == 0 { record.failure = text() }
            }
            record.attributes = [text(): .string(text())]
            if round % 5 == 0 { record.attributes["deep"] = ["list": [.string(text()), [text(): 1]]] }
            guard isClean(record) else { continue }
            clean += 1
            #expect(scrubber.scrubbed(record.attributes) == record.attributes)
            #expect(record.message.map(scrubber.scrubbed) == record.message)
            #expect(record.failure.map(scrubber.scrubbed) == record.failure)
        }
        // The screen is useful only if it passes much.
        #expect(clean > 2000)
    }

    @Test(
        "The screen passes ordinary text as clean",
        arguments: [
            "A search started", "egg soup", "10:02:11", "https://api.example/v1?q=egg", "width: 4, height: 3", "a = b",
            "たまごスープ", "The bear ate.",
        ])
    func ordinaryTextIsClean(text: String) {
        #expect(isClean(Record(time: 1, kind: .message, level: .info, tag: "app", message: text, attributes: ["k": 1])))
    }

    @Test("Unreadable bytes are not clean") func unreadableIsNotClean() {
        let bytes: [UInt8] = [0x32, 0xFF]
        #expect(!bytes.withUnsafeBytes { screen.isClean($0, isSpan: false) })
    }
}
