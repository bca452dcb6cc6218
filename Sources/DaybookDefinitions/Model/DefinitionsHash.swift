/// A number that changes with any word of definitions, but not with the places of the files: it tells versions apart.
///
/// FNV-1a, 64 bits (RFC 9923), over every text and number in the order of the definitions; it protects against nothing.
struct DefinitionsHash {
    private var state: UInt64 = 0xCBF2_9CE4_8422_2325

    /// 16 hexadecimal digits.
    static func text(of definitions: Definitions) -> String {
        var hash = DefinitionsHash()
        hash.add(definitions.commonDescription)
        hash.add(definitions.common) { $0.add($1) }
        hash.add(definitions.categories) { $0.add($1) }
        let digits = String(hash.state, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    private mutating func add(_ category: Category) {
        add(category.name)
        add(category.description)
        add(category.columns) { $0.add($1) }
        add(category.events) { hash, event in
            hash.add(event.name)
            hash.add(event.description)
            hash.add(byte: event.isObsolete ? 1 : 0)
            hash.add(event.columns) { $0.add($1) }
        }
    }

    private mutating func add(_ column: Column) {
        add(column.name)
        add(column.type.source)
        add(column.classification.rawValue)
        add(byte: column.isOptional ? 1 : 0)
        add(byte: column.isObsolete ? 1 : 0)
        add(column.notes) { $0.add($1) }
        add(column.values) { hash, value in
            hash.add(value.value)
            hash.add(value.description)
        }
    }

    /// How many there are, then each, so that no two structures have the same bytes.
    private mutating func add<Element>(_ elements: [Element], _ body: (inout DefinitionsHash, Element) -> Void) {
        add("\(elements.count)")
        for element in elements { body(&self, element) }
    }

    /// The bytes, then one that UTF-8 does not have.
    private mutating func add(_ text: String) {
        for byte in text.utf8 { add(byte: byte) }
        add(byte: 0xFF)
    }

    private mutating func add(byte: UInt8) { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
}
