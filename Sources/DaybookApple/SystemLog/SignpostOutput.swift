import Daybook

#if canImport(os)
    import Daybook
    import DaybookBase
    import Foundation
    import os

    /// Shows measurements and requests as intervals in Instruments, and other records as events, in the lane *Points of
    /// Interest*.
    ///
    /// An interval is named after the function that began it, or by one of `names`; its text has the rest. It begins
    /// and ends with its measurement, so that a hanging one is visible. If this output missed the beginning, because
    /// Instruments was not recording yet or the measurement is older than the pipeline, the interval is drawn when it
    /// ends: Instruments takes the times from the text (`signpost.description:begin_time`, `end_time`). Route it
    /// `.inline`. Nearly free while Instruments is not recording. Safe to share between threads.
    public final class SignpostOutput: Output {
        public let id: String
        private let log: OSLog
        private let names: SignpostNames
        private let events: Level?
        private let open = Mutex(OpenSignposts())

        /// Creates an output to Instruments.
        ///
        /// ```swift
        /// Route("**", to: SignpostOutput(subsystem: "com.example.app", names: ["load menu"]), timing: .inline)
        /// ```
        /// - Parameters:
        ///   - subsystem: The app's name in Instruments: the bundle identifier.
        ///   - names: Names of measurements and tags of events that replace the function and the kind. Instruments
        ///     takes only constants, so they are listed here.
        ///   - events: The level from which messages, errors and events are shown; `nil` for none. Default: info.
        ///   - id: Its name in ledgers; unique in a pipeline.
        public init(
            subsystem: String, names: [StaticString] = [], events: Level? = .info, id: String = "signposts"
        ) {
            self.id = id
            self.names = SignpostNames(names)
            self.events = events
            log = OSLog(subsystem: subsystem, category: .pointsOfInterest)
        }

        public var takesStarts: Bool { true }

        public func start(_ record: Record) {
            guard log.signpostsEnabled, let span = record.span?.span,
                let name = open.withLock({ $0.begin(span, names.name(of: record)) })
            else { return }
            os_signpost(
                .begin, log: log, name: name, signpostID: OSSignpostID(span), "%{public}@",
                NSString(string: SignpostText.text(of: record)))
        }

        public func write(_ record: Record) {
            let begun = record.span.flatMap { span in record.isSpan ? open.withLock { $0.end(span.span) } : nil }
            guard log.signpostsEnabled else { return }
            if let begun, let span = record.span?.span {
                os_signpost(
                    .end, log: log, name: begun, signpostID: OSSignpostID(span), "%{public}@",
                    NSString(string: SignpostText.text(of: record)))
            } else if let interval = SignpostInterval(record, now: .current) {
                drawn(interval, names.name(of: record))
            } else if let events, record.level >= events, !record.isSpan {
                os_signpost(
                    .event, log: log, name: names.name(of: record), signpostID: .exclusive, "%{public}@",
                    NSString(string: SignpostText.text(of: record)))
            }
        }

        private func drawn(_ interval: SignpostInterval, _ name: StaticString) {
            let signpost = OSSignpostID(log: log)
            os_signpost(
                .begin, log: log, name: name, signpostID: signpost,
                "%{public, signpost.description:begin_time}llu %{public}@", interval.begin,
                NSString(string: interval.text))
            os_signpost(
                .end, log: log, name: name, signpostID: signpost,
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

/// A record's name in Instruments.
package struct SignpostNames: Sendable {
    private let own: [String: StaticString]

    /// - Parameter names: Of measurements, and tags of events.
    package init(_ names: [StaticString]) {
        own = Dictionary(
            names.filter(\.hasPointerRepresentation).map { ($0.description, $0) },
            uniquingKeysWith: { first, _ in first })
    }

    /// A listed name, else the function that began the measurement, else the kind of record.
    package func name(of record: Record) -> StaticString {
        switch record.kind {
        case .span:
            record.message.flatMap { own[$0] } ?? record.function.flatMap(FunctionNames.constant) ?? "Measurement"
        case .request: record.message.flatMap { own[$0] } ?? "Request"
        case .event, .run: own[record.tag] ?? "Event"
        case .message, .error: own[record.tag] ?? (record.level >= .error ? "Error" : "Message")
        }
    }
}

package enum SignpostText {
    private static let format = {
        var format = TextFormat.line
        format.time = .hidden
        format.icons = .none
        format.colours = .never
        return format
    }()

    package static func text(of record: Record) -> String { format.text(of: record) }
}

/// Open intervals in Instruments, with the names they began with. A value: its owner synchronizes access.
package struct OpenSignposts: Sendable {
    /// Most open intervals, since some may never end; others are drawn when they end.
    package static let limit = 1024

    private var names: [UInt64: StaticString] = [:]

    package init() {}

    /// The name to begin a span with; `nil` if too many are open.
    package mutating func begin(_ span: UInt64, _ name: StaticString) -> StaticString? {
        guard names.count < Self.limit else { return nil }
        names[span] = name
        return name
    }

    /// Closes a span and returns the name that it began with.
    package mutating func end(_ span: UInt64) -> StaticString? { names.removeValue(forKey: span) }
}

/// A finished measurement on Instruments' clock, `mach_absolute_time`.
package struct SignpostInterval: Sendable, Hashable {
    /// Both clocks, read at the same moment.
    package struct Now: Sendable {
        /// Nanoseconds since 1970.
        package var wall: Int64
        /// `mach_absolute_time`.
        package var ticks: UInt64
        /// From `mach_timebase_info`, as a fraction.
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

    /// `nil` for records other than measurements and requests. Times before the device's start and in the future are
    /// clamped.
    package init?(_ record: Record, now: Now) {
        guard let duration = record.duration, duration >= 0, record.kind == .span || record.kind == .request else {
            return nil
        }
        let age = max(0, now.wall.subtractingReportingOverflow(record.time).partialValue)
        begin = now.ticks(ago: age)
        end = now.ticks(ago: max(0, age - duration))
        text = SignpostText.text(of: record)
    }
}

extension SignpostInterval.Now {
    fileprivate func ticks(ago nanoseconds: Int64) -> UInt64 {
        // 128 bits: a day in nanoseconds times a numerator of 125 nearly overflows 64.
        let (high, low) = UInt64(nanoseconds).multipliedFullWidth(by: UInt64(nanosecondsPerTick.denominator))
        let numerator = UInt64(max(1, nanosecondsPerTick.numerator))
        guard high < numerator else { return 0 }
        let elapsed = numerator.dividingFullWidth((high, low)).quotient
        return elapsed > ticks ? 0 : ticks - elapsed
    }
}
