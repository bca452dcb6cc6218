extension Record {
    /// What takes the place of a private value.
    public static let mask = "[private]"

    /// The record as others may see it: the values of ``privateNames`` are replaced by ``mask``. The formats for consoles
    /// and files show a record like this; what an output of one's own shows to people should be made from it too.
    public var masked: Record {
        guard !privateNames.isEmpty else { return self }
        var record = self
        record.attributes.mask(privateNames)
        record.context.mask(privateNames)
        return record
    }

    /// Takes over the attributes common to all records, and which of them are private.
    mutating func setContext(_ attributes: Attributes) {
        context = attributes
        guard case .array(let names)? = attributes[WireName.privateCommonNames.description] else { return }
        context[WireName.privateCommonNames.description] = nil
        privateNames += names.compactMap(\.text)
    }
}

extension Attributes {
    fileprivate mutating func mask(_ names: [String]) {
        for index in elements.indices where names.contains(elements[index].key) && elements[index].value != .null {
            elements[index].value = .string(Record.mask)
        }
    }
}

extension Value {
    /// The text, if it is one.
    var text: String? { if case .string(let text) = self { text } else { nil } }
}
