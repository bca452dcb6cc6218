import DaybookStore
import Testing

@testable import DaybookCollector

@Suite struct StatementMessagesTests {
    private let result = QueryResult(
        columns: ["a", "卵", ""],
        rows: [
            [.null, .integer(.min), .real(-.infinity)], [.text(""), .text("卵\u{0}焼き"), .blob([])],
            [.blob([0, 255]), .integer(7), .real(0.5)],
        ], isTruncated: true)

    private func read(_ bytes: [UInt8], pieces: Int, _ limits: QueryLimits = QueryLimits()) throws
        -> Result<QueryResult, StoreError>?
    {
        var reader = StatementAnswerReader(limits)
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            try reader.take(bytes[start..<min(start + pieces, bytes.count)])
        }
        return reader.outcome
    }

    @Test("Reads a statement's answer in pieces of any size", arguments: [1, 3, 1_000])
    func readsAnswerInPieces(pieces: Int) throws {
        #expect(try read(StatementAnswer.bytes(.success(result)), pieces: pieces) == .success(result))
        let error = StoreError(.badStatement, "near \"SELEC\"")
        #expect(try read(StatementAnswer.bytes(.failure(error)), pieces: pieces) == .failure(error))
    }

    @Test("A truncated answer to a statement is not complete") func partialAnswerIsIncomplete() throws {
        let bytes = StatementAnswer.bytes(.success(result))
        for count in bytes.indices { #expect(try read(Array(bytes[..<count]), pieces: 7) == nil) }
    }

    @Test("A damaged answer is read or rejected without trapping") func damagedAnswerNeverTraps() throws {
        let bytes = StatementAnswer.bytes(.success(result))
        var refused = 0
        for place in bytes.indices {
            for bit in 0..<8 {
                var damaged = bytes
                damaged[place] ^= 1 << bit
                do { _ = try read(damaged, pieces: 1_000) } catch is StatementAnswerReader.Malformed { refused += 1 }
            }
        }
        #expect(refused > 0)
    }

    @Test("Refuses an answer over its limits") func refusesOversizedAnswer() {
        var limits = QueryLimits()
        limits.bytes = 1_000
        let large = QueryResult(
            columns: ["x"], rows: Array(repeating: [.text(String(repeating: "x", count: 100_000))], count: 20),
            isTruncated: false)
        #expect(throws: StatementAnswerReader.Malformed.self) {
            try read(StatementAnswer.bytes(.success(large)), pieces: 65_536, limits)
        }
    }

    @Test("A statement carries its limits") func statementCarriesLimits() {
        var limits = QueryLimits()
        (limits.rows, limits.bytes, limits.time) = (7, 8, .milliseconds(1_500))
        let request = StatementRequest(store: "sqlite:a", sql: "SELECT 1", limits)
        #expect(request.limits.rows == 7 && request.limits.bytes == 8 && request.limits.time == limits.time)
        #expect(request.limits.valueBytes > QueryLimits().valueBytes)
        #expect(!request.givesWay && StatementRequest(store: "", sql: "", limits, givesWay: true).givesWay)
    }
}
