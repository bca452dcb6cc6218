import DaybookStore
import Testing

@testable import DaybookCollector
@testable import DaybookDatabases

/// What a server's numbers mean to whoever asked (ClickHouse, `ErrorCodes.cpp`).
struct ClickHouseErrorTests {
    private func error(_ code: Int) -> ClickHouseError { ClickHouseError(reason: .refused(code), message: "") }

    @Test func aMissingTableOrDatabaseIsKnown() {
        #expect([60, 81].allSatisfy { error($0).isMissing })
        #expect(![0, 62, 125, 164].contains { error($0).isMissing })
    }

    @Test(arguments: [
        (159, StoreError.Code.limit), (241, .limit), (396, .limit), (252, .storage), (243, .storage), (999, .storage),
        (193, .unavailable), (516, .unavailable), (279, .unavailable), (47, .badStatement), (62, .badStatement),
    ])
    func readersAreTold(code: Int, meaning: StoreError.Code) {
        #expect(error(code).ofStatement.code == meaning)
    }

    @Test func whatTheServerSaysOfOurStatementsIsNeverAMistakeOfPeoples() {
        for code in 0...1_100 { #expect(error(code).ofStore.code != .badStatement) }
    }
}
