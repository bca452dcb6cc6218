import DaybookBase
import DaybookTools

/// A record as a line of NDJSON: written by `export`, read by `verify`, `import` and `/v1/events`.
///
/// `{"uid": "…", "seq": 1042, "time": "2026-11-20T10:02:11.204000000Z", "kind": "event", "level": "info", "tag":
/// "feed.show_article", "message": null, "attributes": {"article_id": 123}, "context": {}, …}`. Keys: `id uid seq time
/// kind level tag message module attributes context session installation trace_id span_id parent_span_id duration file
/// function line`; unknown keys are counted, see `Unread`. A level without a name is written as its number. Writing and
/// reading a row is lossless.
public enum RecordLine {
    /// The line of a stored record, without the line end.
    public static func text(_ record: StoredRecord) -> String { text(record.row, id: record.id) }

    /// The line of a row, without the line end.
    public static func text(_ row: RecordRow) -> String { text(row, id: nil) }

    private static func text(_ row: RecordRow, id: Int64?) -> String {
        var line = LineWriter()
        line.add("id", id)
        // A digest is omitted; the importing store derives its own uid.
        if !row.isDigest { line.add("uid", row.uid) }
        // Larger numbers are no sequence numbers, and JSON readers may not represent them.
        line.add("seq", (row.sequence ?? sequence(ofUID: row.uid)).flatMap { Int64(exactly: $0) })
        line.add("time", Timestamp(nanoseconds: row.time).rfc3339(fractionDigits: 9))
        line.add("kind", row.kind.rawValue)
        if let level = Level(rawValue: UInt8(clamping: row.level)), Int(level.rawValue) == row.level {
            line.add("level", level.name)
        } else {
            line.add("level", row.level)
        }
        line.add("tag", row.tag)
        if let message = row.message { line.add("message", message) } else { line.addJSON("message", "null") }
        line.add("module", row.module)
        line.addJSON("attributes", row.attributes)
        line.addJSON("context", row.context)
        line.add("session", row.session)
        line.add("installation", row.installation)
        line.add("trace_id", row.traceID)
        line.add("span_id", row.spanID)
        line.add("parent_span_id", row.parentSpanID)
        line.add("duration", row.duration)
        line.add("file", row.file)
        line.add("function", row.function)
        line.add("line", row.line)
        return line.text
    }

    /// The number after the last hyphen of a Daybook uid, `<stream>-<sequence>`; `nil` for another sender's uid.
    public static func sequence(ofUID uid: String) -> UInt64? {
        guard let hyphen = uid.utf8.lastIndex(of: UInt8(ascii: "-")), hyphen > uid.startIndex else { return nil }
        let digits = uid[uid.utf8.index(after: hyphen)...]
        let stream = uid[..<hyphen].utf8
        // A stream is 48 lowercase hexadecimal digits: see docs/formats/otlp.md.
        guard stream.count == 48, stream.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) }),
            digits.utf8.allSatisfy({ (48...57).contains($0) })
        else { return nil }
        return UInt64(digits)
    }
}

private struct LineWriter {
    private var bytes: [UInt8] = [UInt8(ascii: "{")]

    var text: String { String(decoding: bytes + [UInt8(ascii: "}")], as: UTF8.self) }

    mutating func add(_ key: String, _ text: String?) {
        guard let text else { return }
        addKey(key)
        JSONWriter.write(text, into: &bytes)
    }

    mutating func add(_ key: String, _ number: (some BinaryInteger)?) {
        guard let number else { return }
        addJSON(key, String(number))
    }

    mutating func addJSON(_ key: String, _ json: String) {
        addKey(key)
        bytes.append(contentsOf: json.utf8)
    }

    private mutating func addKey(_ key: String) {
        if bytes.count > 1 { bytes.append(contentsOf: ", ".utf8) }
        JSONWriter.write(key, into: &bytes)
        bytes.append(contentsOf: ": ".utf8)
    }
}

extension RecordLine {
    /// Values for members that a line omits; only `tag` is required.
    public struct Defaults: Sendable {
        /// The time of a record without one, in nanoseconds since 1970.
        public var time: Int64
        /// The line's position in its text, from 1.
        public var position: Int
        /// A record without a uid gets `<stream>-<position>`; without a stream (the default), a digest of the line and
        /// its position.
        public var stream: String?

        /// Creates defaults for the line at `position`.
        public init(time: Int64, position: Int, stream: String? = nil) {
            self.time = time
            self.position = position
            self.stream = stream
        }

        fileprivate func uid(of line: [UInt8]) -> String {
            stream.map { "\($0)-\(position)" } ?? Digest.text(of: line, seed: UInt64(bitPattern: Int64(position)))
        }
    }

    /// The row of a line. Without a `kind` it is an event; without a `level` it is info, or higher if it reports a
    /// failure: see `ImpliedLevel`.
    /// - Throws: ``RecordLineError``.
    public static func row(_ line: some Sequence<UInt8>, defaults: Defaults) throws(RecordLineError) -> RecordRow {
        let bytes = Array(line)
        var unread = Unread()
        return try record(object(bytes, unread: &unread), of: bytes, defaults: defaults, unread: &unread).row
    }

    package struct Record {
        package var id: Int64?
        package var row: RecordRow
        /// Whether the line has a uid.
        package var isIdentified: Bool
        /// Whether the line has a time.
        package var hasTime: Bool
    }

    /// Whether a line has only white space or a byte order mark.
    package static func isBlank(_ line: ArraySlice<UInt8>) -> Bool {
        let start = ByteOrderMark.begins(line) ? ByteOrderMark.utf8.count : 0
        // Without a copy, because a line may have megabytes.
        return line.withUnsafeBufferPointer { bytes in
            bytes[start...].allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
        }
    }

    /// Whether a line seems to start a JSON document that spans several lines.
    package static func isOpen(_ line: [UInt8]) -> Bool {
        line.last { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }.map { "{[,:".utf8.contains($0) } ?? false
    }

    /// The object of a line.
    /// - Parameter unread: Counts altered texts.
    package static func object(_ line: [UInt8], unread: inout Unread) throws(RecordLineError) -> Attributes {
        // The JSON reader reports other Unicode encodings by name.
        guard ByteOrderMark.otherEncoding(of: line) != nil || String(wellFormed: line) != nil else {
            throw RecordLineError("The line is not UTF-8 text. Save or export it in the encoding UTF-8.")
        }
        let value: Value
        var flaws = TextFlaws()
        do throws(JSONError) {
            value = try JSONReader.value(of: line, noting: &flaws)
        } catch {
            let isMarker = ConflictMarkers.line(in: line) != nil
            throw RecordLineError(isMarker ? ConflictMarkers.problem : error.description)
        }
        unread.add(flaws, of: "a text")
        if case .object(let object) = value { return object }
        let hint = if case .array = value { " `jq -c '.[]'` writes the elements of an array so." } else { "" }
        throw RecordLineError("A record is a JSON object: {\"tag\": …}." + hint)
    }

    /// The record of a line's object.
    /// - Parameters:
    ///   - line: The line as written.
    ///   - unread: Counts unknown members.
    package static func record(
        _ object: Attributes, of line: [UInt8], defaults: Defaults, unread: inout Unread
    ) throws(RecordLineError) -> Record {
        // Before looking for repeated names, because normalizing may make names equal.
        let object = object.storable
        let fields = LineFields(object: object)
        if let name = object.repeatedNames.first(where: RecordMembers.names.contains) {
            throw RecordLineError("\"\(name)\" is given twice.")
        }
        guard let tag = try fields.name("tag"), !tag.isEmpty else {
            let isEmpty = object["tag"] == .string("")
            throw RecordLineError(
                "\"tag\" is \(isEmpty ? "empty" : "missing"). Give every record a tag: {\"tag\": \"category.event\"}."
                    + (isEmpty ? "" : RecordMembers.hint(forTagOf: object) ?? ""))
        }
        for element in object.elements where !RecordMembers.names.contains(element.key) { unread.add(element.key) }
        for member in ["attributes", "context"] {
            // Of a repeated name the last value counts, as in OTLP.
            unread.add(namesOf: object[member]?.repeatedNames ?? [])
            guard case .object(let values)? = object[member] else { continue }
            for element in values.elements where MaskingPolicy.lists.contains(element.key) {
                // Such a list hides nothing, contrary to the sender's intent.
                if case .array = element.value { continue }
                if element.value != .null { unread.add("\(element.key) without a meaning") }
            }
        }
        // A blank uid identifies nothing.
        let uid = try fields.text("uid").flatMap { $0.unicodeScalars.allSatisfy(\.properties.isWhitespace) ? nil : $0 }
        let time = try fields.time("time")
        let kind = try fields.kind() ?? .event
        var row = RecordRow(
            uid: uid ?? defaults.uid(of: line), time: time ?? defaults.time, kind: kind,
            level: try fields.level() ?? fields.impliedLevel(of: kind, tag: tag), tag: tag,
            attributes: try fields.objectText("attributes"), context: try fields.objectText("context"))
        row.isDigest = uid == nil
        row.sequence = try fields.sequence("seq")
        if row.sequence == nil, object["seq"] ?? .null != .null { unread.add("seq beyond 63 bits") }
        row.message = try fields.text("message")
        row.module = try fields.name("module")
        row.session = try fields.name("session")
        row.installation = try fields.name("installation")
        row.traceID = try fields.identifier("trace_id", .trace)
        row.spanID = try fields.identifier("span_id", .span)
        row.parentSpanID = try fields.identifier("parent_span_id", .parentSpan)
        row.duration = try fields.integer("duration")
        row.file = try fields.name("file")
        row.function = try fields.name("function")
        row.line = try fields.integer("line").map { Int(clamping: $0) }
        return Record(id: try fields.integer("id"), row: row, isIdentified: uid != nil, hasTime: time != nil)
    }
}

/// Why a line is not a record, and what to do.
public struct RecordLineError: Error, Sendable, Hashable, CustomStringConvertible {
    /// One line of English, without the line's number.
    public var message: String

    public init(_ message: String) { self.message = message }

    public var description: String { message }
}
