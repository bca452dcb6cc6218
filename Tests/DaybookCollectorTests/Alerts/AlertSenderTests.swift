import Daybook
import DaybookBase
import DaybookTrials
import Foundation
import Testing

@testable import DaybookCollector

#if os(Linux)
    /// Hostile webhooks.
    @Suite(.timeLimit(.minutes(5))) struct AlertSenderTests {
        private func refusal(of answer: HostileAnswer) async throws -> AlertSender.Refusal? {
            let server = try HostileServer(answer)
            defer { server.stop() }
            var sender = AlertSender(secrets: .none, version: "1")
            sender.deadline = answer.isSlow ? .milliseconds(300) : .seconds(60)
            let target = "http://127.0.0.1:\(server.port)/hook"
            let notice = AlertNotice(alert: "A", status: .firing, label: "", since: 0, time: 0)
            let refusal = await sender.send(
                AlertMessage([(notice, nil)]), to: try AlertTarget.resolve(target, secrets: .none).get(), at: 0)
            #expect(server.sent.load(ordering: .relaxed) < 16 << 20)
            return refusal
        }

        @Test("A hostile webhook response counts as a refusal", arguments: HostileAnswer.kinds)
        func hostileAnswerIsRefusal(answer: HostileAnswer) async throws {
            let refusal = try #require(try await refusal(of: answer))
            #expect(refusal.whole == refusal.whole.printable)
        }

        @Test("An incomplete webhook response counts as a refusal") func partialAnswerIsRefusal() async throws {
            for answer in HostileAnswer.prefixes { #expect(try await refusal(of: answer) != nil, "\(answer)") }
        }
    }
#endif
