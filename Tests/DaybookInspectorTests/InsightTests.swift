import DaybookAPI
import DaybookBase
import DaybookHTTP
import DaybookStore
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

@testable import DaybookInspector

/// A question that outlives its request ends with the key that asked it.
@Suite(.temporaryDirectory) struct InsightTests {
    /// Answers no statement until nobody waits for it.
    private final class Endless: StatementRunner {
        let running = Atomic(0)
        let ended = Atomic(0)

        func query(_ sql: String, limits: QueryLimits) async throws -> QueryResult {
            running.add(1, ordering: .relaxed)
            let (never, end) = AsyncStream.makeStream(of: Void.self)
            for await _ in never {}
            end.finish()
            ended.add(1, ordering: .relaxed)
            throw StoreError(.limit, "The statement was cancelled.")
        }
    }

    @Test("Revoking a key ends its insights and no others") func revocationEndsInsight() async throws {
        let isRevoked = Atomic(false)
        let (statements, token) = (Endless(), AccessToken())
        let inspector = InspectorHandler(
            store: try SQLiteStore(path: TemporaryDirectory.current.file("s.sqlite")), definitions: .sample,
            checklists: [],
            token: token, notices: LiveNotices()
        ) {
            $0.insightStatements = statements
            $0.keys = { headers in
                switch headers["authorization"] {
                case "Bearer ann": isRevoked.load(ordering: .relaxed) ? nil : .everything
                case "Bearer bob": .everything
                default: nil
                }
            }
        }
        func ask(_ method: String, _ path: String, _ key: String, _ body: String = "") async -> HTTPResponse {
            let head = HTTPRequest.Head(
                method: method, path: "/api/v1/insights" + path, headers: ["authorization": "Bearer \(key)"])
            return await inspector.respond(to: HTTPRequest(head: head, body: Array(body.utf8)))
        }
        var ids: [Int] = []
        for key in ["ann", "bob", "ann"] {
            let begun = try await ask("POST", "", key, #"{"insight":"a.b -> a.c within 1h"}"#).data()
            ids.append(try #require(begun["id"].int))
        }
        try await eventually("all run") { statements.running.load(ordering: .relaxed) == 3 }
        isRevoked.store(true, ordering: .relaxed)
        try await eventually("those of the key end") { statements.ended.load(ordering: .relaxed) == 2 }
        try await eventually("they are told as ended") {
            let answers = [await ask("GET", "/\(ids[0])", "bob"), await ask("GET", "/\(ids[2])", "bob")]
            return answers.allSatisfy { $0.status != 200 && $0.text.contains("cancelled") }
        }
        #expect(try await ask("GET", "/\(ids[1])", "bob").data()["running"] == true)
        #expect(await ask("DELETE", "/\(ids[1])", "bob").status == 200)
        try await eventually("the other ends") { statements.ended.load(ordering: .relaxed) == 3 }
    }
}
