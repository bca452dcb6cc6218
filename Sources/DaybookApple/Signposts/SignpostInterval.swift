import Daybook

/// A finished measurement on the clock that Instruments draws by, `mach_absolute_time`.
package struct SignpostInterval: Sendable, Hashable {
    /// The moment at which both clocks were read.
    package struct Now: Sendable {
        /// Nanoseconds since 1970.
        package var wall: Int64
        /// `mach_absolute_time`.
        package var ticks: UInt64
        /// Nanoseconds per tick, as `mach_timebase_info` gives them: a numerator and a denominator.
        package var nanosecondsPerTick: (numerator: UInt32, denominator: UInt32)

        package init(wall: Int64, ticks: UInt64, nanosecondsPerTick: (numerator: UInt32, denominator: UInt32)) {
            self.wall = wall
            self.ticks = ticks
            self.nanosecondsPerTick = nanosecondsPerTick
        }
    }

    /// In ticks.
    package var begin: UInt64
    package var end: UInt64
    package var text: String

    /// The interval of a measurement or a request; `nil` for other records. A time from before the clock's start (the
    /// device's) is its start, and a time that is still to come is now.
    package init?(_ record: Record, now: Now) {
        guard let duration = record.duration, duration >= 0, record.kind == .span || record.kind == .request else {
            return nil
        }
        let age = max(0, now.wall.subtractingReportingOverflow(record.time).partialValue)
        begin = now.ticks(ago: age)
        end = now.ticks(ago: max(0, age - duration))
        var format = TextFormat.line
        format.time = .hidden
        format.icons = .none
        format.colours = .never
        text = format.text(of: record)
    }
}

extension SignpostInterval.Now {
    /// The clock so many nanoseconds ago.
    fileprivate func ticks(ago nanoseconds: Int64) -> UInt64 {
        // In 128 bits: a day of nanoseconds times a numerator of 125 is near the end of 64.
        let (high, low) = UInt64(nanoseconds).multipliedFullWidth(by: UInt64(nanosecondsPerTick.denominator))
        let numerator = UInt64(max(1, nanosecondsPerTick.numerator))
        guard high < numerator else { return 0 }
        let elapsed = numerator.dividingFullWidth((high, low)).quotient
        return elapsed > ticks ? 0 : ticks - elapsed
    }
}
