/// How a record becomes text: a value with plain options. Start from a preset and change what you like:
///
/// ```
/// var format = TextFormat.multiline
/// format.zone = .local
/// ```
///
/// Whatever a record holds, its text is safe to print: control characters, line ends, and the characters that reorder
/// text are escaped, so that a record can neither forge a line nor drive a terminal. Times are formatted without locale
/// (as POSIX does). Value semantics; safe to share between threads.
public struct TextFormat: Sendable, Hashable {
    /// What stands where.
    public enum Layout: Sendable, Hashable {
        /// `10:02:11.204 ● app.start Ready {cold: true}`: time, icon, tag, message, duration, attributes, failure, source.
        case record
        /// `10:02:11.204 [●][File.swift]:12 5 start(_:) -> Ready {cold: true}`: what sites search for in the console of
        /// AppLogger. Records without message show their tag; those without source the tag in its place.
        case siteFirst
        /// One JSON object per line, with the keys that `daybook export` writes and `daybook verify` reads. Of the other
        /// options only `showsPrivate` applies.
        case json
    }

    /// How the time reads. Always to the millisecond, cut and not rounded.
    public enum Time: Sendable, Hashable {
        /// Nothing.
        case hidden
        /// `10:02:11.204`.
        case timeOfDay
        /// `2026-11-20T10:02:11.204Z`, or with the zone's offset in place of `Z`: RFC 3339.
        case full
    }

    /// Whose clock the time is read from.
    public enum Zone: Sendable, Hashable {
        case utc
        /// The zone that the process is in. A change of its rules or of the process's zone shows within 15 minutes.
        case local
        /// So many seconds east of Greenwich; clamped to a day.
        case fixed(secondsEast: Int)
    }

    /// Where the place in the source stands.
    public enum Source: Sendable, Hashable {
        case hidden
        /// Behind the record: `(Module/File.swift:12 function(label:))`.
        case inline
        /// On an indented line of its own.
        case ownLine
    }

    /// How attributes read. Of a key given twice the last value is shown.
    public enum AttributeStyle: Sendable, Hashable {
        case hidden
        /// `{keyword: "egg", page: 1}`.
        case inline
        /// `{"keyword":"egg","page":1}`.
        case json
        /// JSON over several indented lines.
        case prettyJSON
    }

    /// How durations read.
    public enum DurationStyle: Sendable, Hashable {
        /// `1234.5 ms`.
        case milliseconds
        /// `1.234 s`.
        case seconds
        /// In the unit that fits: `850 ns`, `12.3 µs`, `12.3 ms`, `1.234 s`, `2 min 5 s`.
        case fitting
    }

    /// Whether levels are coloured with ANSI escapes.
    public enum Colours: Sendable, Hashable {
        /// Where the output is a terminal, `NO_COLOR` is not set and `TERM` is not `dumb`. In ``text(of:)`` and files: no.
        case automatic
        case always
        case never
    }

    /// What stands where. Default: `record`.
    public var layout = Layout.record
    /// How the time reads. Default: `timeOfDay`.
    public var time = Time.timeOfDay
    /// Whose clock the time is read from. Default: `utc`, as in every store and on every machine.
    public var zone = Zone.utc
    /// The mark of each level. Default: `symbols`.
    public var icons = Icons.symbols
    /// Whether levels are coloured. Default: `automatic`.
    public var colours = Colours.automatic
    /// Where the place in the source stands. Default: `hidden`. Events have none. `siteFirst` shows it anyway.
    public var source = Source.hidden
    /// How attributes read. Default: `inline`.
    public var attributes = AttributeStyle.inline
    /// Whether attributes are sorted by name instead of the order in which they were given. Default: no.
    public var sortsAttributes = false
    /// Whether the attributes common to all records follow the record's own. Default: no. Outputs that are called
    /// `.inline` get records without them.
    public var showsContext = false
    /// Whether the values of private columns are shown instead of `[private]`. Default: no. For the developer's own
    /// console; a file outlives its purpose.
    public var showsPrivate = false
    /// How durations read. Default: `milliseconds`.
    public var duration = DurationStyle.milliseconds
    /// Whether an empty line stands before each record. Default: no.
    public var startsWithEmptyLine = false

    /// The format of ``line``.
    public init() {}

    /// One line: `10:02:11.204 ● recipe_search.search {keyword: "egg"}`.
    public static let line = TextFormat()

    /// The record on one line, source and attributes as pretty JSON indented below, in local time.
    public static let multiline = {
        var format = TextFormat()
        format.zone = .local
        format.source = .ownLine
        format.attributes = .prettyJSON
        return format
    }()

    /// `10:02:11.204 [●][File.swift]:12 function(label:) -> message`, in local time.
    public static let appLogger = {
        var format = TextFormat()
        format.layout = .siteFirst
        format.zone = .local
        return format
    }()

    /// One JSON object per line: NDJSON.
    public static let json = {
        var format = TextFormat()
        format.layout = .json
        return format
    }()

    /// The text of a record, without the end of its last line.
    public func text(of record: Record) -> String {
        var text = LineText()
        write(record, isColoured: colours == .always, into: &text)
        return String(decoding: text.bytes, as: UTF8.self)
    }

    /// The UTF-8 of a record's text with the end of its last line.
    func line(of record: Record, isTerminal: Bool = false) -> [UInt8] {
        var text = LineText()
        write(record, isColoured: colours == .always || colours == .automatic && isTerminal, into: &text)
        text.bytes.append(UInt8(ascii: "\n"))
        return text.bytes
    }

    private func write(_ record: Record, isColoured: Bool, into text: inout LineText) {
        let record = showsPrivate ? record : record.masked
        switch layout {
        case .json:
            writeJSON(record, into: &text)
        case .record, .siteFirst:
            if startsWithEmptyLine { text.bytes.append(UInt8(ascii: "\n")) }
            if layout == .record {
                writeRecord(record, isColoured: isColoured, into: &text)
            } else {
                writeSiteFirst(record, isColoured: isColoured, into: &text)
            }
        }
    }
}
