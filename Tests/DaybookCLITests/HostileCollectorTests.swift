import Daybook
import DaybookAPI
import DaybookBase
import DaybookStore
import DaybookTrials
import Foundation
import Testing

@testable import DaybookCLI

/// Commands talking to a hostile collector.
@Suite(.timeLimit(.minutes(5))) struct HostileCollectorTests {
    /// Answers every request with the same text.
    private final class Parrot: HTTPTransport {
        let count = Atomic(0)
        private let status: Int
        private let text: String

        init(status: Int = 200, text: String) { (self.status, self.text) = (status, text) }

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            // An endless loop ends here with an error.
            guard count.add(1, ordering: .relaxed) < 100 else { throw URLError(.cancelled) }
            return TransportResponse(status: status, headers: [:], body: Array(text.utf8))
        }
    }

    private func records(_ parrot: Parrot) -> CollectorRecords {
        var client = CollectorClient(
            address: CollectorAddress(base: "http://collector.example", key: "k"), transport: parrot)
        client.attempts = 1
        client.console = Console(output: { _ in }, errors: { _ in })
        return CollectorRecords(client: client)
    }

    private func page(_ ids: [Int], next: String, partial: Bool = true) -> String {
        let records = ids.map {
            #"{"id":\#($0),"uid":"u","time":1,"kind":"event","level":9,"tag":"a.b","attributes":"{}","context":"{}"}"#
        }
        return
            #"{"ok":true,"data":{"head":9,"records":[\#(records.joined(separator: ","))],"partial":\#(partial),"next":\#(next),"#
            + #""progress":{"done":1,"total":9}}}"#
    }

    @Test(
        "Reading ends with an error when pages do not advance",
        arguments: [RecordQuery.Order.oldestFirst, .newestFirst])
    func stalledPageEndsReading(order: RecordQuery.Order) async throws {
        var query = RecordQuery()
        query.order = order
        (query.after, query.before) = (3, 8)
        // The same position, one before it, records outside the bounds, out of order, or before `next`.
        let isOldest = order == .oldestFirst
        let start = isOldest ? 3 : 8
        for (ids, next) in [
            ([], "\(start)"), ([], isOldest ? "2" : "9"), ([start], "null"), (isOldest ? [5, 4] : [4, 5], "null"),
            ([5, 5], "null"), (isOldest ? [8] : [3], "null"), ([5], isOldest ? "4" : "6"),
        ] as [([Int], String)] {
            let parrot = Parrot(text: page(ids, next: next))
            let error = await #expect(throws: StoreError.self, "\(ids) \(next)") {
                try await records(parrot).page(query)
            }
            #expect(error?.message.contains("does not go on") == true || ids == [5], "\(String(describing: error))")
            #expect(parrot.count.load(ordering: .relaxed) <= 2)
        }
    }

    @Test("Reading ends with an error when names or counts do not advance") func stalledNamesEndReading() async throws {
        let tags = Parrot(text: #"{"ok":true,"data":{"tags":[],"next":"a"}}"#)
        let endless = await #expect(throws: StoreError.self) { try await records(tags).forEachTag { _ in } }
        #expect(endless?.message.contains("does not go on") == true)
        #expect(tags.count.load(ordering: .relaxed) == 2)
        var query = FacetQuery(filter: RecordFilter(), fields: [.kind])
        query.before = 5
        let facets = Parrot(text: #"{"ok":true,"data":{"values":{},"next":5,"progress":{"done":0,"total":1}}}"#)
        let error = await #expect(throws: StoreError.self) { try await records(facets).facets(query) }
        #expect(error?.message.contains("does not go on") == true)
    }

    @Test("Tailing ends with an error when records repeat") func stalledTailEnds() async throws {
        let parrot = Parrot(text: page([4], next: "null", partial: false))
        var tail = try await RecordTail.starting(in: MemoryStore(), filter: RecordFilter(), lines: 0)
        #expect(try await tail.next(in: records(parrot)).map(\.id) == [4])
        await #expect(throws: StoreError.self) { try await tail.next(in: records(parrot)) }
    }

    /// A collector's message is text, whatever the status.
    @Test(
        "Error messages from a collector cannot control the terminal",
        arguments: [400, 401, 403, 404, 409, 413, 429, 500, 502, 503, 599])
    func escapesCollectorErrors(status: Int) async throws {
        let evil = "x\u{1B}[2J\u{1B}]0;title\u{7}\u{9B}31m\u{202E}\u{2028}\r\nforged"
        for code in ["bad_statement", "limit", "unavailable", "other\u{1B}"] {
            let text = JSONWriter.text(
                ["ok": false, "error": .object(["code": .string(code), "message": .string(evil)])] as Attributes)
            let error = await #expect(throws: StoreError.self) {
                try await records(Parrot(status: status, text: text)).head()
            }
            let told = error.map { "\($0)" } ?? ""
            #expect(!told.isEmpty && told == told.printable)
        }
    }

    #if os(Linux)
        @Test(
            "A hostile response becomes a one-line error",
            arguments: HostileAnswer.kinds + [HostileAnswer("cut", String(HostileAnswer.whole[0].dropLast()))])
        func hostileAnswerIsOneLine(answer: HostileAnswer) async throws {
            let server = try HostileServer(answer)
            defer { server.stop() }
            var client = CollectorClient(
                address: CollectorAddress(base: "http://127.0.0.1:\(server.port)", key: "k"),
                transport: DefaultTransport(answerLimit: 1 << 20))
            client.attempts = 1
            let call = APICall(patience: answer.isSlow ? .milliseconds(300) : .seconds(60))
            let error = await #expect(throws: StoreError.self) { try await client.ask(Endpoints.status, call) }
            #expect(error.map { "\($0)" == "\($0)".printable } == true)
            #expect(server.sent.load(ordering: .relaxed) < 16 << 20)
        }
    #endif
}
