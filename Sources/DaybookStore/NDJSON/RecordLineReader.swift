import Daybook

extension RecordLine {
    /// What a line leaves out: only `tag` is required.
    public struct Defaults: Sendable {
        /// The time of a record without one, in nanoseconds since 1970.
        public var time: Int64
        /// The line's place in its text, from 1.
        public var position: Int
        /// With a stream, the uid of a record without one is `<stream>-<position>`; without one, the default, it is a
        /// digest of the line and the position.
        public var stream: String?

        /// Defaults for the line at `position`.
        public init(time: Int64, position: Int, stream: String? = nil) {
            self.time = time
            self.position = position
            self.stream = stream
        }

        fileprivate func uid(of line: [UInt8]) -> String {
            stream.map { "\($0)-\(position)" } ?? Digest.text(of: line, seed: UInt64(bitPattern: Int64(position)))
        }
    }

    /// The row of a line. Without a `kind` it is an event, without a `level` info.
    /// - Throws: ``RecordLineError``.
    public static func row(_ line: some Sequence<UInt8>, defaults: Defaults) throws(RecordLineError) -> RecordRow {
        let bytes = Array(line)
        let value: Value
        do throws(JSONError) {
            value = try JSONReader.value(of: bytes)
        } catch {
            throw RecordLineError(error.description)
        }
        guard case .object(let object) = value else {
            throw RecordLineError("A record is a JSON object: {\"tag\": …}.")
        }
        let fields = LineFields(object: object)
        guard let tag = try fields.text("tag"), !tag.isEmpty else {
            throw RecordLineError("\"tag\" is missing. Give every record a tag: {\"tag\": \"category.event\"}.")
        }
        let uid = try fields.text("uid")
        var row = RecordRow(
            uid: uid ?? defaults.uid(of: bytes),
            time: try fields.time("time") ?? defaults.time, kind: try fields.kind() ?? .event,
            level: try fields.level() ?? Int(Level.info.rawValue), tag: tag,
            attributes: try fields.objectText("attributes"), context: try fields.objectText("context"))
        row.sequence = try fields.sequence("seq")
        row.message = try fields.text("message")
        row.module = try fields.text("module")
        row.session = try fields.text("session")
        row.installation = try fields.text("installation")
        row.traceID = try fields.text("trace_id")
        row.spanID = try fields.text("span_id")
        row.parentSpanID = try fields.text("parent_span_id")
        row.duration = try fields.integer("duration")
        row.file = try fields.text("file")
        row.function = try fields.text("function")
        row.line = try fields.integer("line").map { Int(clamping: $0) }
        return row
    }
}

/// Why a line is not a record, and what to do.
public struct RecordLineError: Error, Sendable, Hashable, CustomStringConvertible {
    /// One line of English, without the line's number.
    public var message: String

    /// An error.
    public init(_ message: String) { self.message = message }

    public var description: String { message }
}

/// Reads members of a line's object; absent and `null` are the same.
private struct LineFields {
    let object: Attributes

    func text(_ key: String) throws(RecordLineError) -> String? {
        switch object[key] {
        case nil, .null: return nil
        case .string(let text): return text
        default: throw RecordLineError("\"\(key)\" must be a text.")
        }
    }

    func integer(_ key: String) throws(RecordLineError) -> Int64? {
        switch object[key] {
        case nil, .null: return nil
        case .int(let integer): return integer
        default: throw RecordLineError("\"\(key)\" must be a whole number.")
        }
    }

    /// A number that is beyond those of streams is none: some foreign uid looks as if it had one.
    func sequence(_ key: String) throws(RecordLineError) -> UInt64? {
        // Such a number is read as a text.
        if case .string(let digits) = object[key], UInt64(digits) ?? 0 > Int64.max { return nil }
        return try integer(key).flatMap { UInt64(exactly: $0) }
    }

    func time(_ key: String) throws(RecordLineError) -> Int64? {
        switch object[key] {
        case nil, .null: return nil
        case .int(let nanoseconds): return nanoseconds
        case .string(let text):
            if let time = Timestamp(rfc3339: text) { return time.nanoseconds }
        default: break
        }
        throw RecordLineError(
            "\"\(key)\" must be RFC 3339 text (\"2026-11-20T10:02:11.204Z\") or nanoseconds since 1970 as a number.")
    }

    func kind() throws(RecordLineError) -> Kind? {
        guard let name = try text("kind") else { return nil }
        if let kind = Kind(rawValue: name) { return kind }
        let names = Kind.allCases.map(\.rawValue).joined(separator: ", ")
        throw RecordLineError("\"kind\" is \"\(name)\", and must be one of \(names).")
    }

    func level() throws(RecordLineError) -> Int? {
        switch object["level"] {
        case nil, .null: return nil
        case .int(let number) where (0...24).contains(number): return Int(number)
        case .string(let name):
            if let level = Level(name: name) { return Int(level.rawValue) }
        default: break
        }
        let names = Level.allCases.map(\.name).joined(separator: ", ")
        throw RecordLineError("\"level\" must be one of \(names), or a severity number from 0 to 24.")
    }

    func objectText(_ key: String) throws(RecordLineError) -> String {
        switch object[key] {
        case nil, .null: return "{}"
        case .object(let attributes): return JSONWriter.text(attributes)
        default: throw RecordLineError("\"\(key)\" must be an object.")
        }
    }
}
