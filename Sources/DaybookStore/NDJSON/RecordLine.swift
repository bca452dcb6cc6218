import Daybook

/// A record as one line of NDJSON: what `export` writes and `verify`, `import` and `/v1/events` read.
///
/// `{"uid": "…", "seq": 1042, "time": "2026-11-20T10:02:11.204000000Z", "kind": "event", "level": "info",
/// "tag": "feed.show_article", "message": null, "attributes": {"article_id": 123}, "context": {}, …}`. Keys: `id uid seq
/// time kind level tag message module attributes context session installation trace_id span_id parent_span_id duration
/// file function line`. A level between the six names is its severity number. Writing and reading a row loses nothing.
public enum RecordLine {
    /// The line of a stored record, without the line end.
    public static func text(_ record: StoredRecord) -> String { text(record.row, id: record.id) }

    /// The line of a row, without the line end.
    public static func text(_ row: RecordRow) -> String { text(row, id: nil) }

    private static func text(_ row: RecordRow, id: Int64?) -> String {
        var line = LineWriter()
        line.add("id", id)
        line.add("uid", row.uid)
        // Beyond that no stream's sequence goes, and JSON's readers have no such numbers.
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

    /// The number behind the last hyphen of a Daybook uid, `<stream>-<sequence>`; `nil` for another sender's uid.
    public static func sequence(ofUID uid: String) -> UInt64? {
        guard let hyphen = uid.utf8.lastIndex(of: UInt8(ascii: "-")), hyphen > uid.startIndex else { return nil }
        let digits = uid[uid.utf8.index(after: hyphen)...]
        let stream = uid[..<hyphen].utf8
        // A stream is 48 lower-case hexadecimal digits: see docs/formats/otlp.md.
        guard stream.count == 48, stream.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) }),
            digits.utf8.allSatisfy({ (48...57).contains($0) })
        else { return nil }
        return UInt64(digits)
    }
}

/// Puts members of an object together.
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
