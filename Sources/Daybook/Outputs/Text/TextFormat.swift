import DaybookBase

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Glibc
#endif

/// How a record becomes text. Start from a preset and change what you like:
///
/// ```
/// var format = TextFormat.multiline
/// format.zone = .local
/// ```
///
/// The text is safe to print: control characters, line ends, and characters that reorder text are escaped, so that a
/// record can neither forge a line nor control a terminal. Times use no locale (as POSIX does). Value semantics; safe
/// to share between threads.
public struct TextFormat: Sendable, Hashable {
    public enum Layout: Sendable, Hashable {
        /// `10:02:11.204 ● app.start Ready {cold: true}`: time, icon, tag, message, duration, attributes, failure,
        /// source. A started measurement reads `▶ load menu`.
        case record
        /// `10:02:11.204 [●][File.swift]:12 5 start(_:) -> Ready {cold: true}`: AppLogger's order. The tag replaces a
        /// missing message or source.
        case siteFirst
        /// One JSON object per line, with the keys of `daybook export` and `daybook verify`. Of the other options only
        /// `showsPrivate` applies.
        case json
    }

    /// How the time is written, to the millisecond, truncated.
    public enum Time: Sendable, Hashable {
        case hidden
        /// `10:02:11.204`.
        case timeOfDay
        /// `2026-11-20 10:02:11.204`, as `yyyy-MM-dd HH:mm:ss.SSS`.
        case dateAndTime
        /// RFC 3339: `2026-11-20T10:02:11.204Z`, or with the zone's offset.
        case full
    }

    public enum Zone: Sendable, Hashable {
        case utc
        /// The process's zone. Changes of it or its rules show within 15 minutes.
        case local
        /// Seconds east of Greenwich, clamped to a day.
        case fixed(secondsEast: Int)
    }

    public enum Source: Sendable, Hashable {
        case hidden
        /// After the record: `(Module/File.swift:12 function(label:))`.
        case inline
        /// On a separate, indented line.
        case ownLine
    }

    /// How attributes are written. Of a duplicate key the last value is shown.
    public enum AttributeStyle: Sendable, Hashable {
        case hidden
        /// `{keyword: "egg", page: 1}`.
        case inline
        /// `{"keyword":"egg","page":1}`.
        case json
        /// JSON over several indented lines.
        case prettyJSON
    }

    public enum DurationStyle: Sendable, Hashable {
        /// `1234.5 ms`.
        case milliseconds
        /// `1.234 s`.
        case seconds
        /// In a fitting unit: `850 ns`, `12.3 µs`, `12.3 ms`, `1.234 s`, `2 min 5 s`.
        case fitting
    }

    public enum Colours: Sendable, Hashable {
        /// If the output is a terminal, `NO_COLOR` is not set and `TERM` is not `dumb`. In ``text(of:)`` and files: no.
        case automatic
        case always
        case never
    }

    /// Default: `record`.
    public var layout = Layout.record
    /// Default: `timeOfDay`.
    public var time = Time.timeOfDay
    /// Default: `utc`, as in every store and on every machine.
    public var zone = Zone.utc
    /// The mark of each level. Default: `symbols`.
    public var icons = Icons.symbols
    /// Whether levels are coloured. Default: `automatic`.
    public var colours = Colours.automatic
    /// Where the source location is shown. Default: `hidden`. Events have none. `siteFirst` shows it anyway.
    public var source = Source.hidden
    /// How attributes read. Default: `inline`.
    public var attributes = AttributeStyle.inline
    /// Whether attributes are sorted by name. Default: no, in the order given.
    public var sortsAttributes = false
    /// Whether the common attributes follow the record's own. Default: no.
    public var showsContext = false
    /// Whether private values are shown instead of `[private]`. Default: no. For a developer's own console; files
    /// outlive their purpose.
    public var showsPrivate = false
    /// Default: `milliseconds`.
    public var duration = DurationStyle.milliseconds
    /// Whether each record begins with an empty line. Default: no.
    public var startsWithEmptyLine = false

    /// Creates a format like ``line``.
    ///
    /// ```swift
    /// var format = TextFormat()
    /// format.sortsAttributes = true
    /// ```
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

    /// `2026-11-20 10:02:11.204 [💬][File.swift]:12 5 function(label:) -> message`, in local time.
    public static let appLogger = {
        var format = TextFormat()
        format.layout = .siteFirst
        format.time = .dateAndTime
        format.zone = .local
        format.icons = Icons(trace: "🔍", debug: "💬", info: "ℹ️", warning: "⚠️", error: "❌", fatal: "🔥")
        return format
    }()

    /// One JSON object per line: NDJSON.
    public static let json = {
        var format = TextFormat()
        format.layout = .json
        return format
    }()

    /// The text of a record, without a final line feed.
    public func text(of record: Record) -> String {
        var text = LineText()
        write(record, isColoured: colours == .always, into: &text)
        return String(decoding: text.bytes, as: UTF8.self)
    }

    /// The UTF-8 of a record's text, with a final line feed.
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

extension TextFormat {
    /// The mark of each level. An empty mark takes no space.
    public struct Icons: Sendable, Hashable {
        public var trace: String
        public var debug: String
        public var info: String
        public var warning: String
        public var error: String
        public var fatal: String

        /// Creates your own icons; those left out are empty.
        ///
        /// ```swift
        /// var format = TextFormat.line
        /// format.icons = TextFormat.Icons(warning: "!", error: "!!", fatal: "!!!")
        /// ```
        public init(
            trace: String = "", debug: String = "", info: String = "", warning: String = "", error: String = "",
            fatal: String = ""
        ) {
            self.trace = trace
            self.debug = debug
            self.info = info
            self.warning = warning
            self.error = error
            self.fatal = fatal
        }

        /// `·`, `○`, `●`, `▲`, `✖`, `✖✖`.
        public static let symbols = Icons(trace: "·", debug: "○", info: "●", warning: "▲", error: "✖", fatal: "✖✖")
        /// 🔍, 🐞, 💬, ⚠️, ❌, 💥: stand out in a console without colours.
        public static let emoji = Icons(trace: "🔍", debug: "🐞", info: "💬", warning: "⚠️", error: "❌", fatal: "💥")
        /// `TRACE` … `FATAL`: searchable.
        public static let names = Icons(
            trace: "TRACE", debug: "DEBUG", info: "INFO", warning: "WARNING", error: "ERROR", fatal: "FATAL")
        public static let none = Icons()

        public subscript(level: Level) -> String {
            get { self[keyPath: Self.place(of: level)] }
            set { self[keyPath: Self.place(of: level)] = newValue }
        }

        private static func place(of level: Level) -> WritableKeyPath<Icons, String> {
            switch level {
            case .trace: \.trace
            case .debug: \.debug
            case .info: \.info
            case .warning: \.warning
            case .error: \.error
            case .fatal: \.fatal
            }
        }
    }
}

extension Level {
    /// The SGR colour code (ECMA-48).
    var ansiColour: Int {
        switch self {
        case .trace, .debug: 90
        case .info: 36
        case .warning: 33
        case .error: 31
        case .fatal: 35
        }
    }
}

extension TextFormat {
    /// - Parameter nanoseconds: Since 1970, in UTC.
    func writeTime(_ nanoseconds: Int64, into text: inout LineText) {
        let seconds = Self.floorDivide(nanoseconds, 1_000_000_000).quotient
        let offset =
            switch zone {
            case .utc: 0
            case .local: LocalTime.secondsEast(at: seconds)
            case .fixed(let secondsEast): max(-86_400, min(86_400, secondsEast))
            }
        let shown = nanoseconds.addingReportingOverflow(Int64(offset) * 1_000_000_000)
        // Within a day of the limits of 64 bits UTC is shown.
        let local = shown.overflow ? nanoseconds : shown.partialValue
        if time == .full || time == .dateAndTime {
            text.raw(Timestamp(nanoseconds: local).day)
            text.raw(time == .full ? "T" : " ")
        }
        let (second, rest) = Self.floorDivide(local, 1_000_000_000)
        let ofDay = Self.floorDivide(second, 86_400).remainder
        text.number(ofDay / 3600, digits: 2)
        text.raw(":")
        text.number(ofDay / 60 % 60, digits: 2)
        text.raw(":")
        text.number(ofDay % 60, digits: 2)
        text.raw(".")
        text.number(rest / 1_000_000, digits: 3)
        if time == .full { writeOffset(shown.overflow ? 0 : offset, into: &text) }
    }

    private func writeOffset(_ offset: Int, into text: inout LineText) {
        if zone == .utc { return text.raw("Z") }
        text.raw(offset < 0 ? "-" : "+")
        text.number(Int64(abs(offset) / 3600), digits: 2)
        text.raw(":")
        text.number(Int64(abs(offset) / 60 % 60), digits: 2)
    }

    func writeDuration(_ nanoseconds: Int64, into text: inout LineText) {
        if nanoseconds < 0 { text.raw("-") }
        let size = nanoseconds.magnitude
        switch duration {
        case .milliseconds: Self.write(size, unit: 1_000_000, digits: 1, " ms", into: &text)
        case .seconds: Self.write(size, unit: 1_000_000_000, digits: 3, " s", into: &text)
        case .fitting:
            switch size {
            case ..<1_000: text.raw("\(size) ns")
            case ..<1_000_000: Self.write(size, unit: 1_000, digits: 1, " µs", into: &text)
            case ..<1_000_000_000: Self.write(size, unit: 1_000_000, digits: 1, " ms", into: &text)
            case ..<60_000_000_000: Self.write(size, unit: 1_000_000_000, digits: 3, " s", into: &text)
            default: text.raw("\(size / 60_000_000_000) min \(size / 1_000_000_000 % 60) s")
            }
        }
    }

    /// Writes `size` in a unit, truncated to `digits` of the fraction.
    private static func write(_ size: UInt64, unit: UInt64, digits: Int, _ name: String, into text: inout LineText) {
        text.raw("\(size / unit).")
        var fraction = size % unit
        for _ in 0..<digits {
            fraction *= 10
            text.raw("\(fraction / unit)")
            fraction %= unit
        }
        text.raw(name)
    }

    /// Rounds towards minus infinity; the remainder is never negative.
    private static func floorDivide(_ number: Int64, _ divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

/// The process's offset from UTC.
///
/// The system call locks and reads rules, so its answer is cached for the quarter of an hour asked about: since 1972 no
/// zone has changed its offset within one. One atomic word; safe to call from any thread.
enum LocalTime {
    private static let cache = OffsetCache()

    /// Seconds east of Greenwich; `seconds` is since 1970.
    static func secondsEast(at seconds: Int64) -> Int {
        cache.secondsEast(at: seconds) { seconds in
            // 32 bits on older watches, which end in 2038.
            var time = time_t(clamping: seconds)
            var local = tm()
            guard localtime_r(&time, &local) != nil else { return 0 }
            return local.tm_gmtoff
        }
    }
}

/// Caches the last offset and its quarter of an hour.
final class OffsetCache: Sendable {
    /// Upper 40 bits: the quarter's number since 1970; lower 24: the offset plus ``bias``, so not negative. All ones:
    /// empty.
    private let word = Atomic<UInt64>(.max)
    private static let quarter: Int64 = 900
    private static let bias = 1 << 20
    /// 1972: earlier offsets had odd seconds and changed at odd times.
    private static let regular: Int64 = 63_072_000

    func secondsEast(at seconds: Int64, _ ask: (Int64) -> Int) -> Int {
        guard seconds >= Self.regular else { return ask(seconds) }
        let quarter = UInt64(seconds / Self.quarter)
        let kept = word.load(ordering: .relaxed)
        if kept >> 24 == quarter { return Int(truncatingIfNeeded: kept & 0xFF_FFFF) - Self.bias }
        let offset = ask(seconds)
        word.store(quarter << 24 | UInt64(offset + Self.bias), ordering: .relaxed)
        return offset
    }
}
