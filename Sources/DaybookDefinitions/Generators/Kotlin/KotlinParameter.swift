import DaybookBase

/// A column as a property of a Kotlin class.
struct KotlinParameter {
    private let column: Column
    private let types: SwiftTypes

    init(_ column: Column, _ types: SwiftTypes) {
        self.column = column
        self.types = types
    }

    var name: String { KotlinName.member(column.name) }

    var isObsolete: Bool { column.isObsolete }

    /// `val keyword: String` or `val order: SearchOrder? = null`.
    var declaration: String { "val \(parameterDeclaration)" }

    /// As a plain parameter.
    var parameterDeclaration: String { "\(name): \(type)\(column.isOptional ? "? = null" : "")" }

    /// An obsolete column as an ignored parameter that accepts any value it may once have had. The app may have dropped
    /// a type that nothing else uses.
    func ignoredDeclaration(isRequired: Bool) -> String {
        "\(name): \(types.swift(column.type) == nil ? "Any" : type)?\(isRequired ? "" : " = null")"
    }

    /// The deprecation message of an obsolete column.
    var obsolescence: String { column.obsolescence }

    private var type: String {
        switch column.type {
        case .smallint: "Short"
        case .integer: "Int"
        case .bigint: "Long"
        case .real: "Float"
        case .double: "Double"
        case .boolean: "Boolean"
        case .string: "String"
        case .date: "LocalDate"
        case .timestamp, .timestamptz: "Instant"
        case .custom(let name): name
        }
    }

    /// The statement that adds the value to the record.
    var encoding: String {
        let key = KotlinName.literal(column.name)
        let mark = column.isOptional ? "?" : ""
        // A column may be called `fields`, like the parameter.
        let value = name == "fields" ? "this.fields" : name
        guard column.classification != .sensitive else {
            let text =
                switch column.type {
                case .string: value
                case .custom: "\(value)\(mark).logValue"
                default: "\(value)\(mark).toString()"
                }
            return "fields.addSensitive(\(key), \(text))"
        }
        return switch column.type {
        case .smallint, .integer: "fields.add(\(key), \(value)\(mark).toLong())"
        case .real: "fields.add(\(key), \(value)\(mark).toDouble())"
        case .string(let limit?): "fields.add(\(key), \(value), \(limit))"
        default: "fields.add(\(key), \(value))"
        }
    }

    /// The property's line of documentation; may be empty.
    var documentation: String {
        let fate = types.options.overflow == .reject ? "left out" : "cut"
        let text = column.documentation(
            column.type.limit.map { ["at most \($0) bytes of UTF-8, longer text is \(fate)"] } ?? [])
        return text.isEmpty ? "" : "@property \(SwiftName.member(column.name)) \(text)"
    }
}

/// Converts names of definitions to Kotlin names.
struct KotlinName {
    /// Type names that generated classes must not shadow.
    private let taken: Set<String>

    init(_ definitions: Definitions) {
        taken = KotlinName.used.union(definitions.columnSites.map(\.column.type).filter(\.isCustom).map(\.name))
    }

    /// `recipe_search` → `RecipeSearch`, and `string` → `String_`, because the class would shadow the type.
    func type(_ name: String, in outer: String? = nil) -> String {
        let type = SwiftName.type(name)
        return taken.contains(type) || type == outer ? type + "_" : type
    }

    /// `recipe_id` → `recipeId`, in backticks if Kotlin requires them. A property `class` would clash with Java's
    /// `getClass`.
    static func member(_ name: String) -> String {
        let member = SwiftName.member(name)
        if member == "class" { return "class_" }
        return keywords.contains(member) ? "`\(member)`" : member
    }

    /// Enum entries: `most_popular` → `MOST_POPULAR`. Any text becomes a name, and names are unique.
    static func entries(_ values: [String]) -> [(name: String, value: String)] {
        var names = Set<String>()
        return values.map { value in
            var name = ""
            for scalar in value.uppercased().unicodeScalars {
                let isWord =
                    scalar == "_" || scalar.properties.isAlphabetic || scalar.properties.numericType == .decimal
                name.unicodeScalars.append(isWord ? scalar : "_")
            }
            if name.unicodeScalars.first.map({ $0.properties.numericType != nil }) ?? true { name = "_" + name }
            if name.allSatisfy({ $0 == "_" }) { name = "VALUE" }
            while !names.insert(name).inserted { name += "_" }
            return (name, value)
        }
    }

    static func literal(_ text: String) -> String {
        var literal = "\""
        for unit in text.utf16 {
            switch unit {
            case 0x22, 0x24, 0x5C: literal += "\\" + String(UnicodeScalar(UInt8(unit)))
            case 0x20..<0x7F: literal += String(UnicodeScalar(UInt8(unit)))
            default: literal += "\\u" + String(unit, radix: 16).zeroPadded(to: 4)
            }
        }
        return literal + "\""
    }

    private static let used: Set = [
        "Any", "AttributeKey", "Boolean", "CommonPayload", "Deprecated", "DeprecationLevel", "Double", "Enum",
        "EventLog",
        "Float", "Instant", "Int", "LocalDate", "LogEvent", "LogFields", "LogRecordBuilder", "LogValue", "Logger",
        "Long",
        "Nothing", "Severity", "Short", "String", "Unit", "Volatile",
    ]

    /// The hard keywords (Kotlin, *Keywords and operators*).
    private static let keywords: Set = [
        "as", "break", "class", "continue", "do", "else", "false", "for", "fun", "if", "in", "interface", "is", "null",
        "object", "package", "return", "super", "this", "throw", "true", "try", "typealias", "typeof", "val", "var",
        "when", "while",
    ]
}
