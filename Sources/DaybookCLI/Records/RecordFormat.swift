import Daybook
import DaybookStore

/// How records are printed, one a line.
enum RecordFormat: String {
    /// For programs: what `verify`, `import` and /v1/events read.
    case ndjson
    /// For eyes.
    case line

    func text(_ record: StoredRecord) -> String {
        switch self {
        case .ndjson: RecordLine.text(record) + "\n"
        case .line: Self.line(record.row) + "\n"
        }
    }

    private static func line(_ row: RecordRow) -> String {
        let level = Level(severityNumber: row.level).name
        var words = [
            Timestamp(nanoseconds: row.time).rfc3339(fractionDigits: 3),
            level + String(repeating: " ", count: max(0, 7 - level.count)), row.tag,
        ]
        if let message = row.message { words.append(message) }
        if row.attributes != "{}" { words.append(row.attributes) }
        // A record is somebody else's text: it must not forge a line or drive the terminal.
        return words.map(TextFormat.printable).joined(separator: "  ")
    }

    /// The format that a command was given.
    /// - Parameter other: the name of a format that the command has of its own.
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
