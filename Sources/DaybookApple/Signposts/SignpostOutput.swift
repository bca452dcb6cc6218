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
