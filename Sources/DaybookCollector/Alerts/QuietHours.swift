import Foundation

/// Daily hours in which firing notices are held back: `22:00-07:00 Asia/Tokyo`.
package struct QuietHours: Sendable, Hashable {
    /// Minutes since midnight. The end may be on the next day; equal to the start means a whole day.
    private let start: Int
    private let end: Int
    private let zone: TimeZone
    /// As written, but always with its time zone.
    package let text: String

    /// - Returns: `nil` for an invalid range or time zone. The zone defaults to UTC.
    init?(_ text: Substring) {
        let words = text.split(separator: " ")
        guard (1...2).contains(words.count), let zone = Self.zone(words.count > 1 ? String(words[1]) : "UTC") else {
            return nil
        }
        let ends = words[0].split(separator: "-", omittingEmptySubsequences: false).map(Self.minutes)
        guard ends.count == 2, let start = ends[0], let end = ends[1] else { return nil }
        (self.start, self.end, self.zone) = (start, end, zone)
        self.text = "\(words[0]) \(words.count > 1 ? words[1] : "UTC")"
    }

    func contain(_ now: Int64) -> Bool {
        let seconds = now / 1_000_000_000
        let offset = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds)))
        let minute = Int((seconds + Int64(offset)) / 60 % 1_440 + 1_440) % 1_440
        return start < end ? (start..<end).contains(minute) : minute >= start || minute < end
    }

    /// A region such as `Asia/Tokyo`, UTC or GMT. Abbreviations such as IST and CST are ambiguous.
    private static func zone(_ name: String) -> TimeZone? {
        guard name.contains("/") || name == "UTC" || name == "GMT" else { return nil }
        return TimeZone(identifier: name)
    }

    private static func minutes(_ text: Substring) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2,
            parts.allSatisfy({ $0.utf8.count == 2 && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let hour = Int(parts[0]), let minute = Int(parts[1]), hour < 24 && minute < 60 || hour == 24 && minute == 0
        else { return nil }
        return hour * 60 + minute
    }
}
