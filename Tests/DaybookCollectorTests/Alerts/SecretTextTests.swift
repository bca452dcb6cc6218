import Daybook
import DaybookBase
import DaybookStore
import DaybookTestTraits
import DaybookTesting
import Foundation
import Testing

@testable import DaybookCollector

/// Targets that echo the request: no secret comes back with the echo.
@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct SecretTextTests {
    private static let targets = [
        "${HOOK}", "slack ${HOOK}", "${HOOK}/more?x=1", "https://hooks.example/a?key=${TOKEN}",
        "chatwork https://hooks.example/rooms ${TOKEN}", "template ${HOOK}",
    ]
    private static let secrets = try? AlertSecrets(
        ["HOOK", "TOKEN=https://hooks.example"],
        environment: ["HOOK": "https://hooks.example/\(secret)", "TOKEN": secret])

    private static let echoes: [@Sendable (String) -> String] = [
        { $0 }, { $0.uppercased() }, { String($0.reversed()) }, { $0.map { "\($0)\n" }.joined(separator: "-") },
        { JSONWriter.text(["path": .string($0)] as Attributes) },
        { $0.utf8.map { "%" + Hex.text([$0]) }.joined() }, { $0.utf8.map { "%25" + Hex.text([$0]) }.joined() },
        { $0.utf8.map { "\\u00" + Hex.text([$0]) }.joined() }, { $0.utf8.map { "&#\($0);" }.joined() },
        { $0.utf8.map { "&#x" + Hex.text([$0]) + ";" }.joined() }, { Hex.text(Array($0.utf8)) },
        { Hex.text(Array($0.utf8)).uppercased() }, { $0.utf8.map { Hex.text([$0]) }.joined(separator: ":") },
        { Data($0.utf8).base64EncodedString() }, { Data(("x" + $0).utf8).base64EncodedString() },
        { Data(("xy" + $0).utf8).base64EncodedString().replacing("=", with: "").replacing("+", with: "-") },
        { String(decoding: $0.utf8.map { $0 ^ 0x1 }, as: UTF8.self) },
    ]

    private func refusal(_ target: String, _ body: String) async throws -> AlertSender.Refusal {
        let receiver = Receiver()
        receiver.statuses.withLock { $0 = [404] }
        receiver.answer.withLock { $0 = (["location": body], body) }
        let sender = AlertSender(secrets: try #require(Self.secrets), version: "1", transport: receiver)
        let notice = AlertNotice(alert: "A", status: .firing, label: "", since: 0, time: 0)
        let destination = try AlertTarget.resolve(target, secrets: sender.secrets).get()
        return try #require(await sender.send(AlertMessage([(notice, nil)]), to: destination, at: 0))
    }

    /// Any more could reveal the secret in some encoding.
    @Test("Keeps only the length of a secret target's response", arguments: targets) func keepsOnlyAnswerLength(
        target: String
    ) async throws {
        for echo in Self.echoes {
            for padding in ["", String(repeating: "words ", count: 19)] {
                let body = padding + echo(secret)
                let whole = try await refusal(target, body).whole
                let count = body.utf8.count
                #expect(whole == "it answered 404 (\(count) bytes, not shown: the address is secret)", "\(body)")
                let other = String(repeating: "z", count: count)
                #expect(try await refusal(target, other).whole == whole)
            }
        }
        #expect(try await refusal(target, "").whole == "it answered 404")
    }

    @Test(
        "Shows the response of a target whose address is not secret",
        arguments: ["no_service", "invalid payload", #"{"message": "Unknown Webhook"}"#])
    func showsPublicAnswers(words: String) async throws {
        for target in ["https://hooks.example/a/b", "slack https://hooks.example/s3cr3tPath9"] {
            let refusal = try await refusal(target, words)
            #expect(refusal.whole == "it answered 404 (\(words))" && refusal.reason == "it answered 404")
        }
    }

    /// A transport whose errors name the address.
    private struct Broken: HTTPTransport {
        struct Failure: LocalizedError { let errorDescription: String? }
        let echo: @Sendable (String) -> String
        func send(_ request: TransportRequest) async throws -> TransportResponse {
            throw Failure(errorDescription: "no TLS with \(echo(request.url.absoluteString)) \(echo(secret))")
        }
    }

    private struct Echoing: HTTPTransport {
        let echo: @Sendable (String) -> String
        func send(_ request: TransportRequest) async throws -> TransportResponse {
            TransportResponse(status: 403, headers: [:], body: Array("refused: \(echo(secret))".utf8))
        }
    }

    @Test("Nothing stored or sent contains a secret", arguments: targets) func outputsHideSecrets(target: String)
        async throws
    {
        let collector = try Collector()
        try await collector.store.append(
            RecordBatch(rows: [RecordRow(uid: "u", time: 1, kind: .error, level: 17, tag: "a.b")]))
        let template = target.hasPrefix("template") ? "```template\n{\"a\": 1}\n```\n" : ""
        let rules = AlertParser.parse(
            "# A\n```sql\nSELECT count(*) FROM records\n```\n\(template)- every 1m\n- when value > 0\n- notify \(target)",
            file: "a.md"
        ).rules
        #expect(rules.count == 1)
        for echo in Self.echoes {
            for transport in [Broken(echo: echo), Echoing(echo: echo)] as [any HTTPTransport] {
                let state = TemporaryDirectory.current.url.appending(path: UUID().uuidString)
                let said = Mutex<[String]>([])
                let runner = try AlertRunner(
                    rules: rules, store: collector.store, file: AlertStateFile(path: state.path),
                    sender: AlertSender(secrets: try #require(Self.secrets), version: "1", transport: transport),
                    jitter: { 0.5 }
                ) { _, message, attributes in said.withLock { $0.append("\(message) \(attributes)") } }
                await runner.evaluate(at: 0)
                await runner.deliver(at: 0)
                var texts = said.withLock { $0 }
                texts.append(try String(contentsOf: state, encoding: .utf8))
                for isManager in [true, false] {
                    texts.append("\(await runner.summary(forManagers: isManager))")
                    texts.append("\(await runner.events(of: "A", forManagers: isManager) ?? [])")
                }
                #expect(
                    texts.contains {
                        $0.contains("not shown: the address is secret") || $0.contains("why is not shown")
                    })
                let hidden = [echo(secret), secret, "no TLS", "refused: "]
                #expect(!texts.contains { text in hidden.contains { text.contains($0) } }, "\(texts)")
            }
        }
    }
}

private let secret = "s3cr3tPath9"
