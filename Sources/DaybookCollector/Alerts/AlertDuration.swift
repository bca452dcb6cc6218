/// A time in words: `30s`, `5m`, `1h`, `90d`.
package enum AlertDuration {
    package struct Malformed: Error {}

    /// - Throws: ``Malformed`` for anything but digits and a unit, or a time out of `range`.
    package static func seconds(_ text: some StringProtocol, range: ClosedRange<Int64>) throws(Malformed) -> Int64 {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        guard let unit = text.last.flatMap({ units[$0] }), let count = Int64(text.dropLast()), count >= 0,
            text.first?.isNumber == true
        else { throw Malformed() }
        let (seconds, overflow) = count.multipliedReportingOverflow(by: unit)
        guard !overflow, range.contains(seconds) else { throw Malformed() }
        return seconds
    }

    /// The shortest text of a time.
    static func text(_ seconds: Int64) -> String {
        for (unit, size) in [("d", Int64(86_400)), ("h", 3_600), ("m", 60)] where seconds > 0 && seconds % size == 0 {
            return "\(seconds / size)\(unit)"
        }
        return "\(seconds)s"
    }
}
