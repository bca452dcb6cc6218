import DaybookTrials
import Foundation
import Testing

@testable import Daybook

struct TimestampTests {
    @Test(
        "Formats timestamps as RFC 3339",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (1_795_168_931_204_999_999, "2026-11-20T10:02:11.204Z"),
            (-1, "1969-12-31T23:59:59.999Z"), (951_782_400_000_000_000, "2000-02-29T00:00:00.000Z"),
            (4_107_542_400_000_000_000, "2100-03-01T00:00:00.000Z"),
        ])
    func formatsRFC3339(nanoseconds: Int64, text: String) {
        #expect(Timestamp(nanoseconds: nanoseconds).rfc3339(fractionDigits: 3) == text)
    }

    @Test("The earliest and latest moments can be formatted") func extremesFormat() {
        #expect(Timestamp(nanoseconds: .min).rfc3339(fractionDigits: 9).hasPrefix("1677-09-21T"))
        #expect(Timestamp(nanoseconds: .max).rfc3339(fractionDigits: 0) == "2262-04-11T23:47:16Z")
        #expect(Timestamp(Date.distantFuture).nanoseconds == .max)
        #expect(Timestamp(Date.distantPast).nanoseconds == .min)
    }

    @Test("Days agree with Foundation") func daysMatchFoundation() {
        let format = ISO8601DateFormatter()
        for day in stride(from: -200_00, to: 80_000, by: 37) {
            let date = Date(timeIntervalSince1970: Double(day) * 86_400)
            #expect(Timestamp(date).day == String(format.string(from: date).prefix(10)))
        }
    }

    @Test(
        "Parses RFC 3339 timestamps",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:00.000000001Z", 1), ("1969-12-31T23:59:59.999999999Z", -1),
            ("1969-12-31T23:59:59.5Z", -500_000_000), ("1969-12-31T23:59:59Z", -1_000_000_000),
            ("2000-02-29T12:00:00+09:00", 951_793_200_000_000_000), ("2024-02-29T00:00:00Z", 1_709_164_800_000_000_000),
            ("2026-11-20 10:02:11.204Z", 1_795_168_931_204_000_000),
            ("2026-11-20T10:02:11.204000000Z", 1_795_168_931_204_000_000),
            ("2026-11-20T19:02:11.204+09:00", 1_795_168_931_204_000_000),
            ("2026-11-20t10:02:11.2049999999z", 1_795_168_931_204_999_999),
            ("2016-12-31T23:59:60Z", 1_483_228_800_000_000_000), ("1677-09-21T00:12:43.145224192Z", .min),
            ("2262-04-11T23:47:16.854775807Z", .max), ("2262-04-11T23:47:16.854775808Z", .max),
            ("1677-09-21T00:12:43.145224191Z", .min), ("0001-01-01T00:00:00Z", .min), ("9999-12-31T23:59:59Z", .max),
        ] as [(String, Int64)])
    func parsesRFC3339(text: String, nanoseconds: Int64) {
        #expect(Timestamp(rfc3339: text)?.nanoseconds == nanoseconds)
    }

    @Test(
        "Rejects text that is not a valid RFC 3339 timestamp",
        arguments: [
            "", "2026", "2026-11-20", "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z", "2026-11-20T24:00:00Z",
            "2026-11-20T10:02:11", "2026-11-20T10:02:11.Z", "2026-11-20T10:02:11Zx", "2026-11-20T10:02:11+9:00",
            "２026-11-20T10:02:11Z",
        ])
    func rejectsBadTimestamps(text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }

    @Test("Random moments survive a round trip through text") func timestampsRoundTrip() {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<2_000 {
            let moment = Timestamp(nanoseconds: .random(in: .min ... .max, using: &random))
            #expect(Timestamp(rfc3339: moment.rfc3339(fractionDigits: 9)) == moment)
        }
    }

    @Test("Every month of four centuries agrees with Foundation") func monthsMatchFoundation() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
        for year in 1800...2200 {
            for month in 1...12 {
                let date = try #require(calendar.date(from: DateComponents(year: year, month: month, day: 1)))
                let text = String(format: "%04d-%02d-01T00:00:00Z", year, month)
                #expect(Timestamp(rfc3339: text) == Timestamp(date))
            }
        }
    }
}
