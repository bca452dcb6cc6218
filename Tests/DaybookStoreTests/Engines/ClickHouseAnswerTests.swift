import DaybookTrials
import Foundation
import Testing

@testable import DaybookDatabases

/// A server in ClickHouse's place that is something else or hostile.
@Suite(.timeLimit(.minutes(5))) struct ClickHouseAnswerTests {
    @Test(
        "Reports a hostile server response as an error or as truncated",
        arguments: HostileAnswer.kinds + HostileAnswer.prefixes)
    func rejectsHostileAnswers(answer: HostileAnswer) async throws {
        let server = try HostileServer(answer)
        defer { server.stop() }
        let address = try ClickHouseAddress("clickhouse://127.0.0.1:\(server.port)/logs")
        let isRefused = try await offPool {
            // A result over the limit is reported as truncated.
            let rows = try? ClickHouseSession(address: address).rows(
                "SELECT 1", timeout: answer.isSlow ? .milliseconds(300) : .seconds(60), limit: 64 << 10)
            return rows?.isCut ?? true
        }
        #expect(isRefused)
        #expect(server.sent.load(ordering: .relaxed) < 16 << 20)
    }
}
