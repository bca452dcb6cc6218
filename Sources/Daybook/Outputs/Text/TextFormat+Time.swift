extension TextFormat {
    /// Writes a moment given in nanoseconds since 1970 in UTC.
    func writeTime(_ nanoseconds: Int64, into text: inout LineText) {
        let seconds = Self.floorDivide(nanoseconds, 1_000_000_000).quotient
        let offset =
            switch zone {
            case .utc: 0
            case .local: LocalTime.secondsEast(at: seconds)
            case .fixed(let secondsEast): max(-86_400, min(86_400, secondsEast))
            }
        let shown = nanoseconds.addingReportingOverflow(Int64(offset) * 1_000_000_000)
        // Within a day of what 64 bits hold, UTC is shown: no clock is there.
        let local = shown.overflow ? nanoseconds : shown.partialValue
        if time == .full {
            text.raw(Timestamp(nanoseconds: local).day)
            text.raw("T")
        }
        let (second, rest) = Self.floorDivide(local, 1_000_000_000)
        let ofDay = Self.floorDivide(second, 86_400).remainder
        text.number(ofDay / 3600, digits: 2)
        text.raw(":")
        text.number(ofDay / 60 % 60, digits: 2)
        text.raw(":")
        text.number(ofDay % 60, digits: 2)
        text.raw(".")
        text.number(rest / 1_000_000, digits: 3)
        if time == .full { writeOffset(shown.overflow ? 0 : offset, into: &text) }
    }

    private func writeOffset(_ offset: Int, into text: inout LineText) {
        if zone == .utc { return text.raw("Z") }
        text.raw(offset < 0 ? "-" : "+")
        text.number(Int64(abs(offset) / 3600), digits: 2)
        text.raw(":")
        text.number(Int64(abs(offset) / 60 % 60), digits: 2)
    }

    func writeDuration(_ nanoseconds: Int64, into text: inout LineText) {
        if nanoseconds < 0 { text.raw("-") }
        let size = nanoseconds.magnitude
        switch duration {
        case .milliseconds: Self.write(size, unit: 1_000_000, digits: 1, " ms", into: &text)
        case .seconds: Self.write(size, unit: 1_000_000_000, digits: 3, " s", into: &text)
        case .fitting:
            switch size {
            case ..<1_000: text.raw("\(size) ns")
            case ..<1_000_000: Self.write(size, unit: 1_000, digits: 1, " µs", into: &text)
            case ..<1_000_000_000: Self.write(size, unit: 1_000_000, digits: 1, " ms", into: &text)
            case ..<60_000_000_000: Self.write(size, unit: 1_000_000_000, digits: 3, " s", into: &text)
            default: text.raw("\(size / 60_000_000_000) min \(size / 1_000_000_000 % 60) s")
            }
        }
    }

    /// Writes `size` in a unit with so many digits of its fraction, cut and not rounded.
    private static func write(_ size: UInt64, unit: UInt64, digits: Int, _ name: String, into text: inout LineText) {
        text.raw("\(size / unit).")
        var fraction = size % unit
        for _ in 0..<digits {
            fraction *= 10
            text.raw("\(fraction / unit)")
            fraction %= unit
        }
        text.raw(name)
    }

    /// Division that rounds towards minus infinity; the remainder is never negative.
    private static func floorDivide(_ number: Int64, _ divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
