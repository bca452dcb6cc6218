import DaybookStore
import Testing

@testable import DaybookCollector
@testable import DaybookDatabases

/// What a server's error codes mean for the caller (ClickHouse, `ErrorCodes.cpp`).
struct ClickHouseErrorTests {
    private func error(_ code: Int) -> ClickHouseError { ClickHouseError(reason: .refused(code), message: "") }

    @Test("Recognises the errors for a missing table or database") func recognisesMissingTables() {
        #expect([60, 81].allSatisfy { error($0).isMissing })
        #expect(![0, 62, 125, 164].contains { error($0).isMissing })
    }

    @Test(
        "Maps ClickHouse error codes to the errors that readers see",
        arguments: [
            (159, StoreError.Code.limit), (241, .limit), (396, .limit), (252, .storage), (243, .storage),
            (999, .storage),
            (193, .unavailable), (516, .unavailable), (279, .unavailable), (47, .badStatement), (62, .badStatement),
        ])
    func mapsServerErrorCodes(code: Int, meaning: StoreError.Code) {
        #expect(error(code).ofStatement.code == meaning)
    }

    @Test("No error in Daybook's own ClickHouse SQL blames the user's statement") func clickHouseNeverBlamesUsers() {
        for code in 0...1_100 { #expect(error(code).ofStore.code != .badStatement) }
    }
}
