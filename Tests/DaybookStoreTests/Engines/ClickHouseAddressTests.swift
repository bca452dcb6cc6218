import DaybookStore
import Testing

@testable import DaybookCollector

@Suite struct ClickHouseAddressTests {
    @Test func everyPartOfAnAddressIsRead() throws {
        let address = try ClickHouseAddress(
            "clickhouse://day%40book:p%3Aw@a.example:8124,[::1]:8125,b/logs?cluster=two&window=0.25&insert_quorum=2")
        #expect(address.nodes.map(\.description) == ["a.example:8124", "[::1]:8125", "b:8123"])
        #expect(address.user == "day@book")
        #expect(address.password == "p:w")
        #expect(address.database == "logs")
        #expect(address.cluster == "two")
        #expect(address.window == .milliseconds(250))
        #expect(address.settings == ["insert_quorum": "2"])
        #expect(address.description == "a.example:8124,[::1]:8125,b:8123/logs")
    }

    @Test func whatIsLeftOutHasADefault() throws {
        let address = try ClickHouseAddress("clickhouse://host?tls=true")
        #expect(address.nodes.map(\.description) == ["host:8443"])
        #expect(address.user == "default" && address.password.isEmpty && address.database == "default")
        #expect(address.cluster == nil && address.isSecure && address.window == .seconds(1))
    }

    @Test(arguments: [
        "clickhouse:host", "postgres://host", "clickhouse://", "clickhouse:///logs", "clickhouse://host:0",
        "clickhouse://host:port", "clickhouse://host?cluster", "clickhouse://host?window=2",
        "clickhouse://a%zz:pw@host",
    ])
    func aWrongAddressIsRefusedWithoutItsPassword(text: String) {
        let error = #expect(throws: StoreError.self) { try ClickHouseAddress(text) }
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("clickhouse://USER:PASSWORD@HOST:PORT/DATABASE") == true)
        #expect(error?.message.contains("pw") == false)
    }
}

@Suite struct CommitPlanTests {
    @Test func rowsAreNumberedOneAfterTheOtherAndDuplicatesGetNone() {
        var plan = CommitPlan(
            [
                .numbered("s", (0, 4), 1...4), RecordBatch(rows: [.sample(9)]), .numbered("s", (2, 6), 3...6),
                .numbered("s", (0, 4), 1...4),
            ], known: ["s": IntervalSet([.init(after: 0, through: 1)])])
        plan.number(from: 11)
        #expect(plan.rowCount == 6)
        #expect(plan.parts.map(\.firstID) == [11, 14, 15, 0])
        #expect(plan.parts.map(\.lastID) == [13, 14, 16, 0])
        #expect(plan.parts.map(\.sequences) == [[2, 3, 4], [0], [5, 6], []])
        #expect(plan.results.map(\.duplicates) == [1, 0, 2, 4])
    }

    @Test func rowsOfTheSameRecordsAreContested() {
        var plan = CommitPlan([.numbered("s", (0, 4), 1...4), .numbered("t", (0, 4), 1...4)], known: [:])
        plan.number(from: 1)
        let rival = CommitPlan.Rival(commit: "other", firstID: 100, sequences: [0, 4, 5])
        let contests = plan.contests(with: ["s": [rival]], commit: "own")
        #expect(
            Set(contests) == [
                .init(stream: "s", sequence: 4, uid: "uid-4", id: 4, commit: "own"),
                .init(stream: "s", sequence: 4, uid: "uid-4", id: 101, commit: "other"),
            ])
        #expect(plan.newHulls == ["s": .init(after: 0, through: 4), "t": .init(after: 0, through: 4)])
    }
}
