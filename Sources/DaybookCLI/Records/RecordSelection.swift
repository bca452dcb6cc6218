import Daybook
import DaybookStore

/// Which records a command means, by its options.
enum RecordSelection {
    /// The options.
    static let options: [Option] = [
        .value("tag", "PATTERN", "only this tag, or those of a pattern: feed.* or feed.**"),
        .value("level", "LEVEL", "only this level and above: trace, debug, info, warning, error or fatal"),
        .value("installation", "ID", "only this installation"),
        .value("session", "ID", "only this session"),
        .value("text", "TEXT", "only where tag, message or attributes contain this"),
        .value("since", "TIME", "only from this time on, in RFC 3339: 2026-11-20T10:00:00Z"),
        .value("until", "TIME", "only before this time"),
    ]

    /// The filter that a command was given; empty for all records.
    /// - Throws: ``UsageError``.
    static func filter(_ arguments: Arguments) throws(UsageError) -> RecordFilter {
        var filter = RecordFilter()
        if let pattern = arguments["tag"] {
            guard (try? TagPattern(pattern)) != nil else {
                throw UsageError(message: "--tag takes a tag or a pattern such as feed.**, not `\(pattern)`")
            }
            filter.tag = pattern
        }
        if let name = arguments["level"] {
            guard let level = Level(name: name) else {
                throw UsageError(
                    message: "--level takes \(Level.allCases.map(\.name).joined(separator: ", ")), not `\(name)`")
            }
            filter.minimumLevel = Int(level.rawValue)
        }
        filter.installation = arguments["installation"]
        filter.session = arguments["session"]
        filter.text = arguments["text"] ?? ""
        filter.since = try time("since", arguments)
        filter.until = try time("until", arguments)
        return filter
    }

    private static func time(_ name: String, _ arguments: Arguments) throws(UsageError) -> Int64? {
        guard let text = arguments[name] else { return nil }
        guard let time = Timestamp(rfc3339: text) else {
            throw UsageError(message: "--\(name) takes a time such as 2026-11-20T10:00:00Z, not `\(text)`")
        }
        return time.nanoseconds
    }
}
