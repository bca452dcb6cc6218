public import Daybook
import Foundation
public import Puree

/// A Puree output that also forwards each entry to Daybook. Both systems run until the team has compared what they send
/// and removes Puree.
///
/// ```swift
/// let configuration = Logger.Configuration(
///     filterSettings: filters,
///     outputSettings: outputs + [ShadowOutput.setting()])
/// ```
///
/// An entry becomes an event with its own tag and time. The keys of its user data become attributes; user data that is
/// no JSON object is kept as the bytes of `user_data`. Like other outputs, it gets entries after Puree's filters, on
/// Puree's queue.
public struct ShadowOutput: Puree.Output {
    public let tagPattern: Puree.TagPattern
    private let log: Log

    /// Creates an output.
    /// - Parameters:
    ///   - log: The destination; default: the installed pipeline. An entry with an empty tag gets this log's.
    ///   - tagPattern: The entries it forwards; default: all (`**`).
    public init(log: Log = Log("puree"), tagPattern: Puree.TagPattern? = nil) {
        self.log = log
        // Puree accepts this literal.
        self.tagPattern = tagPattern ?? Puree.TagPattern(string: "**")!
    }

    /// For Puree's configuration.
    public static func setting(log: Log = Log("puree"), tagPattern: Puree.TagPattern? = nil) -> OutputSetting {
        OutputSetting { _ in ShadowOutput(log: log, tagPattern: tagPattern) }
    }

    public func emit(log entry: LogEntry) { log.forward(Record(entry)) }
}

extension Record {
    init(_ entry: LogEntry) {
        self.init(
            time: Self.nanoseconds(of: entry.date), kind: .event, level: .info, tag: entry.tag,
            attributes: entry.userData.map(Attributes.init(userData:)) ?? [:])
    }

    /// Since 1970, in whole microseconds, since a current date is no more precise. 0, the time of the call, for a date
    /// out of range.
    private static func nanoseconds(of date: Date) -> Int64 {
        guard let micros = Int64(exactly: (date.timeIntervalSince1970 * 1e6).rounded()) else { return 0 }
        let (nanos, overflow) = micros.multipliedReportingOverflow(by: 1000)
        return overflow ? 0 : nanos
    }
}
