/// Times and durations as reports print them, without Foundation.
enum TimeText {
    /// `10:02:11.204`: the time of day in UTC of a number of nanoseconds since 1970.
    static func clock(_ nanoseconds: Int64) -> String {
        let day: Int64 = 86_400_000_000_000
        let ofDay = ((nanoseconds % day) + day) % day / 1_000_000
        return "\(padded(ofDay / 3_600_000, 2)):\(padded(ofDay / 60_000 % 60, 2)):\(padded(ofDay / 1_000 % 60, 2))"
            + ".\(padded(ofDay % 1_000, 3))"
    }

    /// `+3.676 s`: a difference of times, to the millisecond.
    static func difference(_ nanoseconds: Int64) -> String {
        let milliseconds = (nanoseconds.magnitude + 500_000) / 1_000_000
        return "\(nanoseconds < 0 ? "-" : "+")\(milliseconds / 1_000).\(padded(Int64(milliseconds % 1_000), 3)) s"
    }

    /// `3.676 s`: a distance in time, to the millisecond.
    static func distance(_ nanoseconds: Int64) -> String {
        String(difference(nanoseconds).dropFirst())
    }

    /// `250ms`, `10s`: a duration as a checklist writes it.
    static func duration(_ nanoseconds: Int64) -> String {
        if nanoseconds % 1_000_000_000 == 0 { return "\(nanoseconds / 1_000_000_000)s" }
        return "\(Double(nanoseconds) / 1e6)ms"
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
