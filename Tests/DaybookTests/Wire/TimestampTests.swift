import Foundation
import Testing

@testable import Daybook

struct TimestampTests {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000Z"), (1_795_168_931_204_999_999, "2026-11-20T10:02:11.204Z"),
        (-1, "1969-12-31T23:59:59.999Z"), (951_782_400_000_000_000, "2000-02-29T00:00:00.000Z"),
        (4_107_542_400_000_000_000, "2100-03-01T00:00:00.000Z"),
    ])
    func textIsRFC3339(nanoseconds: Int64, text: String) {
        #expect(Timestamp(nanoseconds: nanoseconds).rfc3339(fractionDigits: 3) == text)
    }

    @Test func theExtremesHaveText() {
        #expect(Timestamp(nanoseconds: .min).rfc3339(fractionDigits: 9).hasPrefix("1677-09-21T"))
        #expect(Timestamp(nanoseconds: .max).rfc3339(fractionDigits: 0) == "2262-04-11T23:47:16Z")
        #expect(Timestamp(Date.distantFuture).nanoseconds == .max)
        #expect(Timestamp(Date.distantPast).nanoseconds == .min)
    }

    @Test func daysAgreeWithFoundation() {
        let format = ISO8601DateFormatter()
        for day in stride(from: -200_00, to: 80_000, by: 37) {
            let date = Date(timeIntervalSince1970: Double(day) * 86_400)
            #expect(Timestamp(date).day == String(format.string(from: date).prefix(10)))
        }
    }
}
