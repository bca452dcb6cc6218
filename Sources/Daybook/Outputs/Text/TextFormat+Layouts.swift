/// The layouts for people. Every text of a record passes through ``LineText/add(_:)``, which escapes it.
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
        text.raw(" -> ")
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
