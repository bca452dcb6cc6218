public import Daybook
import Foundation
public import Puree

/// A Puree output that forwards each entry to Daybook, beside the outputs that an app has: both systems run until the team
/// has compared what they send, and Puree is taken out.
///
/// ```swift
/// let configuration = Logger.Configuration(
///     filterSettings: filters,
///     outputSettings: outputs + [ShadowOutput.setting()])
/// ```
///
/// An entry becomes an event under its own tag, with its own time. The keys of its user data become the attributes; user
/// data that is no JSON object is kept as the bytes of `user_data`. Entries come behind Puree's filters, as the other outputs
/// see them. Puree calls it on its own queue.
public struct ShadowOutput: Puree.Output {
    public let tagPattern: Puree.TagPattern
    private let log: Log

    /// An output.
    /// - Parameters:
    ///   - log: Where to; default: the installed pipeline. An entry with an empty tag gets this log's.
    ///   - tagPattern: The entries that it takes; default: all (`**`).
    public init(log: Log = Log("puree"), tagPattern: Puree.TagPattern? = nil) {
        self.log = log
        // The pattern is a literal that Puree takes.
        self.tagPattern = tagPattern ?? Puree.TagPattern(string: "**")!
    }

    /// The setting for Puree's configuration.
    public static func setting(log: Log = Log("puree"), tagPattern: Puree.TagPattern? = nil) -> OutputSetting {
        OutputSetting { _ in ShadowOutput(log: log, tagPattern: tagPattern) }
    }

    public func emit(log entry: LogEntry) { log.forward(Record(entry)) }
}

extension Record {
    /// The record of an entry.
    init(_ entry: LogEntry) {
        self.init(
            time: Self.nanoseconds(of: entry.date), kind: .event, level: .info, tag: entry.tag,
            attributes: entry.userData.map(Attributes.init(userData:)) ?? [:])
    }

    /// Since 1970, to the microsecond: a date of today is no more exact. 0, which is the time of the call, for a date that
    /// cannot be represented.
    private static func nanoseconds(of date: Date) -> Int64 {
        guard let micros = Int64(exactly: (date.timeIntervalSince1970 * 1e6).rounded()) else { return 0 }
        let (nanos, overflow) = micros.multipliedReportingOverflow(by: 1000)
        return overflow ? 0 : nanos
    }
}
