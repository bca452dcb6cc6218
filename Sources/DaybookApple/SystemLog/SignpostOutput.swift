import Daybook

#if canImport(os)
    import Daybook
    import Foundation
    import os

    /// Shows measurements and requests as intervals in Instruments, in the lane *Points of Interest*.
    ///
    /// A record comes when its measurement has ended. Instruments takes an interval's begin from the signpost's text
    /// (`signpost.description:begin_time`, `end_time`), so that it stands where it was. Route it `.inline`. Costs next to
    /// nothing while Instruments is not recording. Safe to share between threads.
    public final class SignpostOutput: Output {
        public let id: String
        private let log: OSLog

        /// An output.
        /// - Parameters:
        ///   - subsystem: The app's name in Instruments: the bundle identifier.
        ///   - id: Its name in ledgers; unique in a pipeline.
        public init(subsystem: String, id: String = "signposts") {
            self.id = id
            log = OSLog(subsystem: subsystem, category: .pointsOfInterest)
        }

        public func write(_ record: Record) {
            guard log.signpostsEnabled, let interval = SignpostInterval(record, now: .current) else { return }
            let signpost = OSSignpostID(log: log)
            os_signpost(
                .begin, log: log, name: "Measurement", signpostID: signpost,
                "%{public, signpost.description:begin_time}llu %{public}@", interval.begin,
                NSString(string: interval.text))
            os_signpost(
                .end, log: log, name: "Measurement", signpostID: signpost,
                "%{public, signpost.description:end_time}llu", interval.end)
        }
    }

    extension SignpostInterval.Now {
        fileprivate static var current: Self {
            var base = mach_timebase_info_data_t()
            mach_timebase_info(&base)
            return Self(
                wall: Timestamp(.now).nanoseconds, ticks: mach_absolute_time(),
                nanosecondsPerTick: (base.numer, base.denom))
        }
    }
#endif

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
