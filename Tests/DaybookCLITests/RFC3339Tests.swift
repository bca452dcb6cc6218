import Foundation
import Testing

@testable import DaybookCLI

@Suite struct RFC3339Tests {
    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:00.000000001Z", 1),
            ("1969-12-31T23:59:59.5Z", -500_000_000),
            ("2026-11-20T10:02:11.204000000Z", 1_795_168_931_204_000_000),
            ("2026-11-20T19:02:11.204+09:00", 1_795_168_931_204_000_000),
            ("2026-11-20t10:02:11.2049999999z", 1_795_168_931_204_999_999),
            ("2024-02-29T00:00:00Z", 1_709_164_800_000_000_000),
        ] as [(String, Int64)])
    func timeIsRead(text: String, nanoseconds: Int64) {
        #expect(RFC3339.nanoseconds(text) == nanoseconds)
    }

    @Test(arguments: [
        "", "2026-11-20", "2026-11-20T10:02:11", "2026-13-20T10:02:11Z", "2026-02-29T10:02:11Z", "2026-11-20T24:00:00Z",
        "2026-11-20T10:02:11.Z", "2026-11-20T10:02:11+9:00", "2026-11-20T10:02:11Zx", "9999-01-01T00:00:00Z",
        "２026-11-20T10:02:11Z",
    ])
    func otherTextIsRefused(text: String) {
        #expect(RFC3339.nanoseconds(text) == nil)
    }

    @Test func everyMonthOfFourCenturiesAgreesWithFoundation() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
        for year in stride(from: 1800, through: 2200, by: 1) {
            for month in 1...12 {
                let date = try #require(calendar.date(from: DateComponents(year: year, month: month, day: 1)))
                let text = String(format: "%04d-%02d-01T00:00:00Z", year, month)
                #expect(RFC3339.nanoseconds(text) == Int64(date.timeIntervalSince1970) * 1_000_000_000)
            }
        }
    }
}
