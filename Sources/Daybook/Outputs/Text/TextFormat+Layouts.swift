/// Layouts for people. All text of a record passes through ``LineText/add(_:)``, which escapes it.
extension TextFormat {
    func writeRecord(_ record: Record, isColoured: Bool, into text: inout LineText) {
        if time != .hidden {
            writeTime(record.time, into: &text)
            text.raw(" ")
        }
        if !icons[record.level].isEmpty {
            writeIcon(record.level, isColoured: isColoured, into: &text)
            text.raw(" ")
        }
        text.add(record.tag)
        if record.isRunning { text.raw(" ▶") }
        if let message = record.message {
            text.raw(" ")
            text.add(message)
        }
        if let duration = record.duration {
            text.raw(" (")
            writeDuration(duration, into: &text)
            text.raw(")")
        }
        if attributes != .prettyJSON { writeAttributes(of: record, into: &text) }
        writeFailure(of: record, into: &text)
        switch source {
        case .hidden: break
        case .inline: writeSource(of: record, before: " (", after: ")", into: &text)
        case .ownLine: writeSource(of: record, before: "\n    ", after: "", into: &text)
        }
        if attributes == .prettyJSON { writeAttributes(of: record, into: &text) }
    }

    /// `time [icon][File.swift]:line function -> message`.
    func writeSiteFirst(_ record: Record, isColoured: Bool, into text: inout LineText) {
        if time != .hidden {
            writeTime(record.time, into: &text)
            text.raw(" ")
        }
        if !icons[record.level].isEmpty {
            text.raw("[")
            writeIcon(record.level, isColoured: isColoured, into: &text)
            text.raw("]")
        }
        text.raw("[")
        if let file = record.file {
            text.add(file[(file.lastIndex(of: "/").map(file.index(after:)) ?? file.startIndex)...])
            text.raw("]")
            if let line = record.line { text.raw(":\(line)") }
            if let column = record.column { text.raw(" \(column)") }
        } else {
            text.add(record.tag)
            text.raw("]")
        }
        if let function = record.function {
            text.raw(" ")
            text.add(function)
        }
        text.raw(record.isRunning ? " -> ▶ " : " -> ")
        text.add(record.message ?? record.tag)
        if let duration = record.duration {
            text.raw(" (")
            writeDuration(duration, into: &text)
            text.raw(")")
        }
        writeAttributes(of: record, into: &text)
        writeFailure(of: record, into: &text)
    }

    private func writeIcon(_ level: Level, isColoured: Bool, into text: inout LineText) {
        if isColoured { text.raw("\u{1B}[\(level.ansiColour)m") }
        text.add(icons[level])
        if isColoured { text.raw("\u{1B}[0m") }
    }

    private func writeFailure(of record: Record, into text: inout LineText) {
        guard let failure = record.failure else { return }
        text.raw(failure.isEmpty ? " failed" : " failed: ")
        text.add(failure)
    }

    private func writeSource(of record: Record, before: String, after: String, into text: inout LineText) {
        guard let file = record.file else { return }
        text.raw(before)
        text.add(file)
        if let line = record.line { text.raw(":\(line)") }
        if let column = record.column { text.raw(":\(column)") }
        if let function = record.function {
            text.raw(" ")
            text.add(function)
        }
        text.raw(after)
    }

    private func writeAttributes(of record: Record, into text: inout LineText) {
        guard attributes != .hidden else { return }
        var shown = record.attributes
        if showsContext { shown.elements += record.context.elements }
        guard !shown.isEmpty else { return }
        let writer = AttributeText(isSorted: sortsAttributes)
        switch attributes {
        case .hidden: break
        case .inline:
            text.raw(" ")
            writer.writeInline(.object(shown), into: &text)
        case .json:
            text.raw(" ")
            writer.writeJSON(.object(shown), indent: nil, into: &text)
        case .prettyJSON:
            text.raw("\n    ")
            writer.writeJSON(.object(shown), indent: 4, into: &text)
        }
    }
}

/// One JSON object per line, with the keys of `daybook export`.
extension TextFormat {
    func writeJSON(_ record: Record, into text: inout LineText) {
        var line = Attributes()
        if record.sequence > 0 { line.elements.append(.init("seq", Value(record.sequence))) }
        line.elements.append(.init("time", .string(Timestamp(nanoseconds: record.time).rfc3339(fractionDigits: 9))))
        line.elements.append(.init("kind", .string(record.kind.rawValue)))
        line.elements.append(.init("level", .string(record.level.name)))
        line.elements.append(.init("tag", .string(record.tag)))
        var context = record.context
        let session = context[WireName.session.description]
        context[WireName.session.description] = nil
        let optional: [(String, Value?)] = [
            ("message", record.message.map(Value.string)),
            ("module", record.module.map(Value.string)),
            ("attributes", .object(record.storedAttributes)),
            ("context", context.isEmpty ? nil : .object(context)),
            ("session", session),
            ("trace_id", (record.span?.traceID).map(Value.string)),
            ("span_id", (record.span?.spanID).map(Value.string)),
            ("parent_span_id", record.parentSpanID.map { .string(Hex.text($0)) }),
            ("duration", record.duration.map(Value.int)),
            ("file", record.file.map(Value.string)),
            ("function", record.function.map(Value.string)),
            ("line", record.line.map { Value($0) }),
        ]
        for case (let key, let value?) in optional { line.elements.append(.init(key, value)) }
        text.json { JSONWriter.write(line, into: &$0) }
    }
}

extension Record {
    /// Adds what has no column in a store, under the collector's names: the call's column, and a failed span's status
    /// (OpenTelemetry, *Mapping to non-OTLP formats*).
    package var storedAttributes: Attributes {
        var attributes = attributes
        if let column { attributes[WireName.column.description] = .int(Int64(column)) }
        guard let failure else { return attributes }
        attributes["otel.status_code"] = "ERROR"
        if !failure.isEmpty { attributes["otel.status_description"] = .string(failure) }
        return attributes
    }
}

/// Text under construction, as UTF-8. Only what comes from a record is escaped.
struct LineText {
    var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(256) }

    /// Appends the format's own text.
    mutating func raw(_ text: String) { bytes.append(contentsOf: text.utf8) }

    mutating func number(_ number: Int64, digits: Int) {
        let text = String(number)
        for _ in 0..<max(0, digits - text.utf8.count) { bytes.append(UInt8(ascii: "0")) }
        raw(text)
    }

    /// Appends a record's text, with control characters and line ends as `\u{a}`.
    mutating func add(_ text: some StringProtocol) { text.writePrintable(into: &bytes) }

    /// Appends JSON, with the characters that JSON allows and terminals obey as `\u009b`.
    mutating func json(_ write: (inout [UInt8]) -> Void) {
        var json: [UInt8] = []
        write(&json)
        String(decoding: json, as: UTF8.self).write(
            escaping: { bytes, scalar in
                for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
                    JSONWriter.write(escapeOf: unit, into: &bytes)
                }
            }, into: &bytes)
    }
}

struct AttributeText {
    let isSorted: Bool

    /// `{keyword: "egg", page: 1}`.
    func writeInline(_ value: Value, into text: inout LineText) {
        switch value {
        case .null: text.raw("null")
        case .bool(let bool): text.raw(bool ? "true" : "false")
        case .int(let int): text.raw(String(int))
        case .double(let double): text.raw(String(double))
        case .string(let string):
            text.raw("\"")
            text.add(string)
            text.raw("\"")
        case .bytes(let bytes): text.raw("<\(bytes.count) bytes>")
        case .array(let items):
            text.raw("[")
            for (index, item) in items.enumerated() {
                if index > 0 { text.raw(", ") }
                writeInline(item, into: &text)
            }
            text.raw("]")
        case .object(let attributes):
            text.raw("{")
            for (index, element) in shown(attributes).enumerated() {
                if index > 0 { text.raw(", ") }
                text.add(element.key)
                text.raw(": ")
                writeInline(element.value, into: &text)
            }
            text.raw("}")
        }
    }

    /// With an indent, over several lines indented by at least that much.
    func writeJSON(_ value: Value, indent: Int?, into text: inout LineText) {
        switch value {
        case .array(let items) where !items.isEmpty:
            text.raw("[")
            for (index, item) in items.enumerated() {
                separate(index > 0, indent.map { $0 + 2 }, in: &text)
                writeJSON(item, indent: indent.map { $0 + 2 }, into: &text)
            }
            separate(false, indent, in: &text)
            text.raw("]")
        case .object(let attributes) where !attributes.isEmpty:
            text.raw("{")
            for (index, element) in shown(attributes).enumerated() {
                separate(index > 0, indent.map { $0 + 2 }, in: &text)
                text.json { JSONWriter.write(element.key, into: &$0) }
                text.raw(indent == nil ? ":" : ": ")
                writeJSON(element.value, indent: indent.map { $0 + 2 }, into: &text)
            }
            separate(false, indent, in: &text)
            text.raw("}")
        default:
            text.json { JSONWriter.write(value, into: &$0) }
        }
    }

    private func separate(_ isNext: Bool, _ indent: Int?, in text: inout LineText) {
        if isNext { text.raw(",") }
        if let indent { text.raw("\n" + String(repeating: " ", count: indent)) }
    }

    /// The last entry of each key, in order or sorted.
    private func shown(_ attributes: Attributes) -> [Attributes.Element] {
        var shown: [Attributes.Element] = []
        shown.reserveCapacity(attributes.elements.count)
        var seen: Set<String> = []
        for element in attributes.elements.reversed() where seen.insert(element.key).inserted { shown.append(element) }
        shown.reverse()
        return isSorted ? shown.ordered { $0.key < $1.key } : shown
    }
}
