import DaybookBase

/// Parses `Retry-After`: seconds, or a date in one of HTTP's three forms. Pure.
///
/// Source: RFC 9110, 5.6.7 *Date/Time Formats* and 10.2.3 *Retry-After*.
package enum RetryAfter {
    /// Longer waits are clamped.
    private static let longest: Int64 = 86_400
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// - Parameters:
    ///   - text: The field's value.
    ///   - now: Base for a date, in nanoseconds since 1970.
    /// - Returns: Zero for a past time; `nil` if invalid.
    package static func wait(_ text: String?, now: Int64) -> Duration? {
        let words = (text ?? "").split { " \t".contains($0) }
        if words.count == 1, words[0].utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return .seconds(min(Int64(words[0]) ?? longest, longest))
        }
        guard let date = date(words, now: Timestamp(nanoseconds: now)) else { return nil }
        let (wait, overflows) = date.nanoseconds.subtractingReportingOverflow(now)
        guard !overflows else { return date.nanoseconds < now ? .zero : .seconds(longest) }
        return .nanoseconds(min(max(wait, 0), longest * 1_000_000_000))
    }

    private static func date(_ words: [Substring], now: Timestamp) -> Timestamp? {
        let isGreenwich = words.last == "GMT"
        switch words.count {
        // Sun, 06 Nov 1994 08:49:37 GMT
        case 6 where isGreenwich: return date(words[3], words[2], words[1], words[4])
        // Sunday, 06-Nov-94 08:49:37 GMT
        case 4 where isGreenwich:
            let parts = words[1].split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count == 3, parts[2].utf8.count == 2, let year = Int(parts[2]),
                let thisYear = Int(now.rfc3339(fractionDigits: 0).prefix(4))
            else { return nil }
            // The latest matching year at most 50 years ahead.
            let last = thisYear + 50
            return date("\(last - (last - year) % 100)", parts[1], parts[0], words[2])
        // Sun Nov  6 08:49:37 1994
        case 5: return date(words[4], words[1], words[2].utf8.count == 1 ? "0\(words[2])" : words[2], words[3])
        default: return nil
        }
    }

    private static func date(
        _ year: Substring, _ month: Substring, _ day: Substring, _ time: Substring
    ) -> Timestamp? {
        guard let month = months.firstIndex(where: { $0 == month }) else { return nil }
        return Timestamp(rfc3339: "\(year)-\(month < 9 ? "0" : "")\(month + 1)-\(day)T\(time)Z")
    }
}
