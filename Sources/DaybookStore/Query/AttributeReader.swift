import DaybookBase
import DaybookTools

/// Reads a column for counts by value: from the record's attributes, otherwise from its context. Belongs to one thread
/// at a time.
final class AttributeReader {
    private let name: String
    private let masking: MaskingPolicy?
    private let needle: [UInt8]
    /// The last context parsed; consecutive ones are usually equal.
    private var context = ""
    private var common = Attributes()

    /// - Parameter sight: Determines what replaces private values and credentials.
    init(_ name: String, _ sight: Sight) {
        self.name = name
        masking = sight.policy
        needle = Array(name.utf8)
    }

    /// A text, number or boolean as text; `nil` if absent.
    func value(of row: RecordRow) -> String? {
        if row.context != context {
            context = row.context
            common = Attributes(json: context) ?? [:]
        }
        let own = mayHave(row.attributes) ? Attributes(json: row.attributes) ?? [:] : [:]
        guard let value = [own, common].lazy.compactMap({ $0.value(named: self.name) }).first else { return nil }
        return (masking.map { masked(value, beside: own, of: row.tag, by: $0) } ?? value).countedText
    }

    /// Whether the text may have the column, or name it private.
    private func mayHave(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { text in
            needle.withUnsafeBufferPointer { text.contains($0) } || text.contains(UInt8(ascii: "\\"))
        }
    }

    /// Masks the value, including by the record's own list of private names.
    private func masked(_ value: Value, beside own: Attributes, of tag: String, by policy: MaskingPolicy) -> Value {
        let lists = (own.elements + common.elements).filter { MaskingPolicy.lists.contains($0.key) }
        return policy.seen(value, of: name, lists: lists.map(\.value), tag: tag)
    }
}

extension MaskingPolicy {
    /// What a reader sees of a member's value.
    /// - Parameter lists: The names that its record calls private.
    func seen(_ value: Value, of name: String, lists: [Value], tag: String) -> Value {
        let told = lists.flatMap { if case .array(let names) = $0 { names } else { [] as [Value] } }
        let members = (told.isEmpty ? [] : [(Self.lists[0], Value.array(told))]) + [(name, value)]
        let text = JSONWriter.text(.object(Attributes(members)))
        let clean = masked(attributes: text, context: "{}", of: tag).attributes
        return Attributes(json: clean)?.value(named: name) ?? .string(Record.mask)
    }
}

extension Value {
    /// The text that a value is counted by; `nil` for what is no text, number or boolean.
    var countedText: String? {
        switch self {
        case .string(let text): text
        case .double(let number) where number.isFinite: FilterNumber(number).text
        case .int, .double, .bool: JSONWriter.text(self)
        case .null, .array, .object, .bytes: nil
        }
    }
}

extension Attributes {
    fileprivate func value(named name: String) -> Value? {
        elements.last { $0.key.utf8.elementsEqual(name.utf8) && $0.value != .null }?.value
    }
}
