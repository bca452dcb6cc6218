/// Attributes as text: for people, as compact JSON, or as JSON over several lines.
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

    /// JSON; with an indent, over several lines of which each begins with at least so many spaces.
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

    /// The entries that readers see: of each key the last, in their order or sorted.
    private func shown(_ attributes: Attributes) -> [Attributes.Element] {
        var shown: [Attributes.Element] = []
        shown.reserveCapacity(attributes.elements.count)
        var seen: Set<String> = []
        for element in attributes.elements.reversed() where seen.insert(element.key).inserted { shown.append(element) }
        shown.reverse()
        if isSorted { shown.sort { $0.key < $1.key } }
        return shown
    }
}
