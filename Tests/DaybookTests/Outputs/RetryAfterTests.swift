import DaybookBase
import Foundation
import Testing

@testable import Daybook

@Suite struct RetryAfterTests {
    private static let now: Int64 = 1_795_694_400_000_000_000

    /// Moments from 30 years ago to a day ahead, each written in every format.
    @Test(
        "Parses every HTTP date format",
        arguments: [-86_400 * 365 * 30, -90, 0, 1, 90, 3_600, 43_200, 86_399] as [Int64])
    func parsesEveryDate(ahead: Int64) throws {
        let date = Date(timeIntervalSince1970: TimeInterval(Self.now / 1_000_000_000 + ahead))
        for form in ["EEE, dd MMM yyyy HH:mm:ss 'GMT'", "EEEE, dd-MMM-yy HH:mm:ss 'GMT'", "EEE MMM d HH:mm:ss yyyy"] {
            let format = DateFormatter()
            format.locale = Locale(identifier: "en_US_POSIX")
            format.timeZone = TimeZone(identifier: "GMT")
            format.dateFormat = form
            var text = format.string(from: date)
            // The third format pads a one-digit day with a space.
            if form.hasPrefix("EEE MMM d "), text.split(separator: " ")[2].count == 1 {
                text = text.prefix(8) + " " + text.dropFirst(8)
            }
            for text in [text, "  \(text) "] {
                #expect(RetryAfter.wait(text, now: Self.now) == .seconds(max(ahead, 0)), "\(text)")
            }
        }
    }

    @Test(
        "Parses seconds and caps them at a day",
        arguments: [
            ("0", 0), ("7", 7), (" 120 ", 120), ("86400", 86_400), ("172800", 86_400), ("99999999999999999999", 86_400),
        ])
    func parsesSeconds(text: String, seconds: Int) {
        #expect(RetryAfter.wait(text, now: Self.now) == .seconds(seconds))
    }

    @Test(
        "Rejects text that is neither seconds nor a date",
        arguments: [
            nil, "", " ", "soon", "-5", "+5", "1.5", "0x10", "1 2", "Sun, 06 Nov 1994 08:49:37",
            "Sun, 06 Nov 1994 08:49:37 CET",
            "Sun, 31 Feb 2027 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT", "Sunday, 06-Nov-xx 08:49:37 GMT",
            "Sun Nov 6 25:49:37 1994", "Sun Nix 6 08:49:37 1994", "6 Nov Sun 08:49:37 1994",
        ]) func rejectsOtherText(text: String?)
    {
        #expect(RetryAfter.wait(text, now: Self.now) == nil)
    }

    @Test("A two-digit year is taken as at most 50 years ahead") func expandsTwoDigitYear() {
        #expect(RetryAfter.wait("Sunday, 06-Nov-76 08:49:37 GMT", now: Self.now) == .seconds(86_400))
        #expect(RetryAfter.wait("Sunday, 06-Nov-77 08:49:37 GMT", now: Self.now) == .zero)
    }
}
