import Daybook

/// A text to search for, as it stands in tag and message, and as it stands in the JSON of the attributes.
package struct SearchText: Hashable {
    /// Folded, UTF-8.
    package let plain: [UInt8]
    /// Folded, with quotation marks, backslashes and line ends escaped as in JSON.
    package let quoted: [UInt8]

    package init(_ text: String) {
        plain = TextFolding.bytes(of: text)
        var json: [UInt8] = []
        JSONWriter.write(text, into: &json)
        quoted = TextFolding.bytes(of: String(decoding: json.dropFirst().dropLast(), as: UTF8.self))
    }

    /// Whether a row contains it.
    func occurs(in row: RecordRow, using buffer: FoldingBuffer) -> Bool {
        Self.contains(row.tag, plain, buffer) || row.message.map { Self.contains($0, plain, buffer) } == true
            || Self.contains(row.attributes, plain, buffer)
            || quoted != plain && Self.contains(row.attributes, quoted, buffer)
    }

    private static func contains(_ text: String, _ needle: [UInt8], _ buffer: FoldingBuffer) -> Bool {
        var text = text
        return text.withUTF8 { units in
            let folded = buffer.fold(units)
            return needle.withUnsafeBufferPointer { folded.contains($0) }
        }
    }
}
