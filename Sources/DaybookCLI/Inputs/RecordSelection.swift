import Daybook
import DaybookBase
import DaybookStore
import DaybookTools

enum RecordSelection {
    static let options: [Option] = [
        .value("tag", "PATTERN", "only this tag, or those of a pattern: feed.* or feed.**"),
        .value("level", "LEVEL", "only this level and above: trace, debug, info, warning, error or fatal"),
        .value("installation", "ID", "only this installation"),
        .value("session", "ID", "only this session"),
        .value(
            "filter", "FILTER", "only records that match, as in the inspector: 'user_id=42', 'egg level>=warn last:2h'"),
        .value("since", "TIME", "only from this time on: 2026-11-20, 2026-11-20T10:00:00Z, or a number since 1970"),
        .value("until", "TIME", "only before this time"),
    ]

    /// The filter from a command's options; empty for all records.
    /// - Parameter isLive: whether `last` is open-ended, to include future records. Default: `false`.
    /// - Throws: ``UsageError``.
    static func filter(_ arguments: Arguments, isLive: Bool = false) throws(UsageError) -> RecordFilter {
        var filter = RecordFilter()
        if let tag = arguments["tag"] { filter.narrow(by: .tag(tag)) }
        if let name = arguments["level"] {
            guard let number = Severity.number(of: name) else {
                throw UsageError(message: "--level takes \(Severity.description), not `\(name)`")
            }
            filter.narrow(by: .level(atLeast: number))
        }
        if let id = arguments["installation"] { filter.narrow(by: .field(.installation, id)) }
        if let id = arguments["session"] { filter.narrow(by: .field(.session, id)) }
        if let time = try time("since", arguments) { filter.narrow(by: .since(time)) }
        if let time = try time("until", arguments) { filter.narrow(by: .until(time)) }
        if case (let since?, let until?) = filter.expression.times, since >= until {
            throw UsageError(message: "--since is not before --until, so that no record can match")
        }
        if let expression = try expression(arguments, isLive: isLive) { filter.narrow(by: expression) }
        return filter
    }

    private static func expression(
        _ arguments: Arguments, isLive: Bool = false
    ) throws(UsageError) -> FilterExpression? {
        guard let text = arguments["filter"] else { return nil }
        do throws(FilterError) {
            return try FilterParser.parse(text, now: PipelineClock.system.wall(), isLive: isLive).expression
        } catch {
            throw UsageError(message: "--filter, \(error)")
        }
    }

    /// Printed if nothing matches, since a misspelt name looks like one that did not occur.
    static let noMatch = "note: no record matches\n"

    static let ownRecords = Option.flag("own-records", "also print the collector's own records, daybook.**")

    /// The filter of a command that prints records; excludes the collector's own unless requested.
    /// - Parameters:
    ///   - masking: hidden values, which cannot be filtered by.
    ///   - isLive: whether `last` is open-ended, to include future records. Default: `false`.
    /// - Throws: ``UsageError``.
    static func shown(
        _ arguments: Arguments, _ masking: MaskingPolicy?, isLive: Bool = false
    ) throws(UsageError) -> RecordFilter {
        var filter = try filter(arguments, isLive: isLive)
        filter.sight = masking.map { .masked($0.withPseudonyms()) } ?? .whole
        if let column = try expression(arguments).flatMap(filter.sight.hidden) {
            throw UsageError(message: "--filter: “\(column)” is private: leave it out", hint: "--show-private")
        }
        return arguments.has("own-records") ? filter : filter.withoutOwn
    }

    private static func time(_ name: String, _ arguments: Arguments) throws(UsageError) -> Int64? {
        guard let text = arguments[name] else { return nil }
        guard let time = ReadTime.nanoseconds(ofQuestion: text) else {
            throw UsageError(
                message: "--\(name) takes a day or a time such as 2026-11-20T10:00:00Z, or a number of seconds, ms, µs "
                    + "or ns since 1970, not `\(text)`")
        }
        return time
    }
}

enum RecordFormat: String {
    /// For programs: `verify`, `import` and /v1/events read it.
    case ndjson
    /// For people.
    case line

    func text(_ record: StoredRecord, _ masking: MaskingPolicy?) -> String {
        let record = masking.map { record.masked(by: $0) } ?? record
        switch self {
        case .ndjson: return RecordLine.text(record) + "\n"
        case .line: return Self.line(record) + "\n"
        }
    }

    private static func line(_ record: StoredRecord) -> String {
        let row = record.row
        let level = Level(severityNumber: row.level).name
        var words = [
            "#\(record.id)",
            Timestamp(nanoseconds: row.time).rfc3339(fractionDigits: 3),
            level + String(repeating: " ", count: max(0, 7 - level.count)), row.tag,
        ]
        if let message = row.message { words.append(message) }
        if row.attributes != "{}" { words.append(row.attributes) }
        if let file = row.file { words.append(row.line.map { "\(file):\($0)" } ?? file) }
        // Records are untrusted text, which must not forge lines or control the terminal.
        return words.map(\.printable).joined(separator: "  ")
    }

    /// - Parameter other: a further format of the command.
    /// - Throws: ``UsageError``.
    static func of(
        _ arguments: Arguments, byDefault: RecordFormat, besides other: String? = nil
    ) throws(UsageError) -> RecordFormat {
        guard let name = arguments["format"] else { return byDefault }
        guard let format = RecordFormat(rawValue: name) else {
            let names = other.map { "ndjson, line or \($0)" } ?? "ndjson or line"
            throw UsageError(message: "--format takes \(names), not `\(name)`")
        }
        return format
    }
}
