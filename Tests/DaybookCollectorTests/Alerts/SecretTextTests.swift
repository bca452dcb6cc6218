import Daybook
import DaybookBase
import DaybookStore
import DaybookTrials
import Foundation
import Testing

@testable import DaybookCollector

/// Targets that say what they were asked for: no secret of the environment comes back with it.
@Suite(.timeLimit(.minutes(5))) struct SecretTextTests {
    /// Addresses, each with what of it is secret, as it is sent.
    private static let addresses = [
        ("https://hooks.example/T0123/s3cr3tPath9", "/T0123/s3cr3tPath9"),
        ("https://hooks.example/a?key=s3cr3tPath9&x=1", "s3cr3tPath9"),
        ("https://hooks.example/%73%33cr3t%50ath9", "/%73%33cr3t%50ath9"),
        ("https://hooks.example/%73%33cr3t%50ath9", "s3cr3tPath9"),
        ("https://ann:s3cr3tPath9@hooks.example/", "ann:s3cr3tPath9"),
        ("https://hooks.example/x#s3cr3tPath9", "s3cr3tPath9"),
        ("https://hooks.example/s3-cr3t_Path.9", "s3-cr3t_Path.9"), ("https://hooks.example/s3cr3t", "/s3cr3t"),
    ]

    /// What an echo makes of a text.
    private static let echoes: [@Sendable (String) -> String] = [
        { $0 }, { $0.uppercased() }, { "No route for \($0)." },
        { JSONWriter.text(["path": .string($0)] as Attributes) },
        { $0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "" },
        { ($0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "").replacing("%", with: "%25") },
        { $0.utf8.map { "%" + Hex.text([$0]) }.joined() }, { $0.utf8.map { "\\u00" + Hex.text([$0]) }.joined() },
        { $0.replacing("/", with: "\\/") }, { $0.map { "\($0)\n" }.joined() }, { $0.replacing("-", with: "&#45;") },
    ]

    private func refusal(_ address: String, _ body: String) async throws -> AlertSender.Refusal {
        let receiver = Receiver()
        receiver.statuses.withLock { $0 = [404] }
        receiver.answer.withLock { $0 = (["location": address], body) }
        let sender = AlertSender(
            secrets: try .holding(["HOOK": address]), userAgent: "daybook/1", transport: receiver)
        let notice = AlertNotice(alert: "A", status: .firing, label: "", since: 0, time: 0)
        let destination = try AlertTarget.resolve("${HOOK}", secrets: sender.secrets).get()
        return try #require(await sender.send(AlertMessage([(notice, nil)]), to: destination, at: 0))
    }

    @Test(arguments: addresses) func noAnswerRepeatsASecret(address: String, secret: String) async throws {
        for part in [address, secret] {
            for (number, echo) in Self.echoes.enumerated() {
                // Cut in its middle by who shows it, too.
                for padding in ["", String(repeating: "words ", count: 19)] {
                    let whole = try await refusal(address, padding + echo(part)).whole
                    #expect(whole == "it answered 404 (\(SecretTexts.mark))", "\(number): \(echo(part)): \(whole)")
                }
            }
        }
    }

    /// Who repeats a secret may cut it.
    @Test func aPartOfALongSecretIsOne() async throws {
        let secret = "s3cr3tPath9"
        for start in 0...3 {
            let part = String(secret.dropFirst(start).prefix(8))
            #expect(
                try await refusal("https://hooks.example/a/\(secret)", part).answer.contains(SecretTexts.mark),
                "\(part)")
        }
    }

    @Test(arguments: addresses) func otherAnswersAreTold(address: String, secret: String) async throws {
        for words in ["no_service", "invalid payload", "hooks.example is closed", #"{"message": "Unknown Webhook"}"#] {
            #expect(try await refusal(address, words).whole == "it answered 404 (\(words))")
        }
    }

    /// A transport whose errors name what it was asked for.
    private struct Broken: HTTPTransport {
        struct Failure: LocalizedError { let errorDescription: String? }
        func send(_ request: TransportRequest) async throws -> TransportResponse {
            throw Failure(errorDescription: "no TLS with \(request.url.absoluteString)")
        }
    }

    @Test(arguments: addresses) func nothingThatIsKeptOrToldHasASecret(address: String, secret: String) async throws {
        let state = FileManager.default.temporaryDirectory.appending(path: "daybook-echo-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: state) }
        let collector = try Collector()
        try await collector.store.append(
            RecordBatch(rows: [RecordRow(uid: "u", time: 1, kind: .error, level: 17, tag: "a.b")]))
        let rules = AlertParser.parse(
            "# A\n```sql\nSELECT count(*) FROM records\n```\n- every 1m\n- when value > 0\n- notify ${HOOK}",
            file: "a.md"
        ).rules
        let said = Mutex<[String]>([])
        let runner = try AlertRunner(
            rules: rules, store: collector.store, file: AlertStateFile(path: state),
            secrets: try .holding(["HOOK": address]), version: "1", transport: Broken(), jitter: { 0.5 }
        ) { _, message, attributes in said.withLock { $0.append("\(message) \(attributes)") } }
        await runner.evaluate(at: 0)
        await runner.deliver(at: 0)
        var texts = said.withLock { $0 }
        texts.append(try String(contentsOfFile: state, encoding: .utf8))
        texts.append("\(await runner.summary(forManagers: true))")
        #expect(texts.contains { $0.contains("it did not answer: \(SecretTexts.mark)") }, "\(texts)")
        #expect(!texts.contains { $0.contains(secret) || $0.contains("cr3t") }, "\(texts)")
    }
}
