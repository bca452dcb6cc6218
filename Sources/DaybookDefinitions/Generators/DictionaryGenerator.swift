import DaybookBase

/// Writes everything in the definitions, including prose, as one JSON document, for the inspector's dictionary and for
/// tools in other languages. It is not part of an app's types, so that internal text stays out of released apps.
///
/// The format is specified in `docs/formats/definitions.md`.
public enum DictionaryGenerator {
    /// The version of the JSON format. It is increased when a member changes its meaning or is removed.
    public static let version = 1

    /// The JSON document.
    public static func generate(_ definitions: Definitions) -> String {
        JSONWriter.indentedText([
            "version": Value(version),
            "hash": .string(hash(of: definitions)),
            "common": common(definitions),
            "categories": .array(definitions.categories.map { category($0) }),
        ])
    }

    /// 16 hexadecimal digits that change with any word of the definitions, but not with the locations of the files.
    public static func hash(of definitions: Definitions) -> String { DefinitionsHash.text(of: definitions) }

    private static func common(_ definitions: Definitions) -> Value {
        [
            "description": .string(definitions.commonDescription),
            "columns": .array(definitions.common.map { column($0) }),
        ]
    }

    private static func category(_ category: Category) -> Value {
        located(
            [
                "name": .string(category.name),
                "description": .string(category.description),
                "columns": .array(category.columns.map { column($0) }),
                "events": .array(category.events.map { event($0, of: category) }),
            ], at: category.location)
    }

    private static func event(_ event: Event, of category: Category) -> Value {
        located(
            [
                "name": .string(event.name),
                "tag": .string("\(category.name).\(event.name)"),
                "description": .string(event.description),
                "obsolete": .bool(event.isObsolete),
                "columns": .array(event.columns.map { column($0) }),
                "view": .string(SQLName.event(tag: "\(category.name).\(event.name)")),
            ], at: event.location)
    }

    private static func column(_ column: Column) -> Value {
        located(
            [
                "name": .string(column.name),
                "type": .string(column.type.name),
                "custom": .bool(column.type.isCustom),
                "limit": column.type.limit.map { Value($0) } ?? .null,
                "optional": .bool(column.isOptional),
                "obsolete": .bool(column.isObsolete),
                "classification": .string(column.classification.rawValue),
                "notes": .array(column.notes.map(Value.string)),
                "values": .array(
                    column.values.map { ["value": .string($0.value), "description": .string($0.description)] }),
            ], at: column.location)
    }

    private static func located(_ members: Attributes, at location: SourceLocation) -> Value {
        var members = members
        members["file"] = .string(location.file)
        members["line"] = Value(location.line)
        return .object(members)
    }
}

/// A fingerprint of definitions that changes with any word, but not with the files' locations.
///
/// FNV-1a over every text and number in order; not collision-resistant.
struct DefinitionsHash {
    private var state = FNV1a()

    /// 16 hexadecimal digits.
    static func text(of definitions: Definitions) -> String {
        var hash = DefinitionsHash()
        hash.add(definitions.commonDescription)
        hash.add(definitions.common) { $0.add($1) }
        hash.add(definitions.categories) { $0.add($1) }
        return Hex.text(hash.state.value)
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

    /// The count first, so that different structures have different bytes.
    private mutating func add<Element>(_ elements: [Element], _ body: (inout DefinitionsHash, Element) -> Void) {
        add("\(elements.count)")
        for element in elements { body(&self, element) }
    }

    /// The bytes, then one that cannot occur in UTF-8.
    private mutating func add(_ text: String) {
        for byte in text.utf8 { add(byte: byte) }
        add(byte: 0xFF)
    }

    private mutating func add(byte: UInt8) { state.add(byte) }
}
