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
    /// Answers nothing until nobody waits for it.
    private final class Endless: ColumnarStore {
        let running = Atomic(0)
        let ended = Atomic(0)

        func fold<Answer: Sendable>(
            limit: Duration, progress: @escaping @Sendable (SearchProgress) -> Void,
            _ body: @escaping @Sendable (any ColumnSource) throws(StoreError) -> Answer
        ) async throws -> Answer {
            running.add(1, ordering: .relaxed)
            let (never, end) = AsyncStream.makeStream(of: Void.self)
            for await _ in never {}
            end.finish()
            ended.add(1, ordering: .relaxed)
            throw StoreError(.limit, "The insight was cancelled.")
        }
    }

    @Test("Revoking a key ends its insights and no others") func revocationEndsInsight() async throws {
        let isRevoked = Atomic(false)
        let (columns, token) = (Endless(), AccessToken())
        let inspector = InspectorHandler(
            store: try SQLiteStore(path: TemporaryDirectory.current.file("s.sqlite")), definitions: .sample,
            checklists: [],
            token: token, notices: LiveNotices()
        ) {
            $0.insightColumns = columns
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
        try await eventually("all run") { columns.running.load(ordering: .relaxed) == 3 }
        isRevoked.store(true, ordering: .relaxed)
        try await eventually("those of the key end") { columns.ended.load(ordering: .relaxed) == 2 }
        try await eventually("they are told as ended") {
            let answers = [await ask("GET", "/\(ids[0])", "bob"), await ask("GET", "/\(ids[2])", "bob")]
            return answers.allSatisfy { $0.status != 200 && $0.text.contains("cancelled") }
        }
        #expect(try await ask("GET", "/\(ids[1])", "bob").data()["running"] == true)
        #expect(await ask("DELETE", "/\(ids[1])", "bob").status == 200)
        try await eventually("the other ends") { columns.ended.load(ordering: .relaxed) == 3 }
    }
}
