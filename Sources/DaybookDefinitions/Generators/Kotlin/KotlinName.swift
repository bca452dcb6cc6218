/// Turns names of definitions into names of Kotlin.
struct KotlinName {
    /// Names of types that no generated class may hide.
    private let taken: Set<String>

    init(_ definitions: Definitions) {
        taken = KotlinName.used.union(definitions.columnSites.map(\.column.type).filter(\.isCustom).map(\.name))
    }

    /// `recipe_search` → `RecipeSearch`, and `string` → `String_`, because the class would hide the type.
    func type(_ name: String, in outer: String? = nil) -> String {
        let type = SwiftName.type(name)
        return taken.contains(type) || type == outer ? type + "_" : type
    }

    /// `recipe_id` → `recipeId`, in backticks where Kotlin needs them. A property `class` would be Java's `getClass`.
    static func member(_ name: String) -> String {
        let member = SwiftName.member(name)
        if member == "class" { return "class_" }
        return keywords.contains(member) ? "`\(member)`" : member
    }

    /// The entries of an enum: `most_popular` → `MOST_POPULAR`; any text becomes a name, each another.
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

    /// `text` as a string literal.
    static func literal(_ text: String) -> String {
        var literal = "\""
        for unit in text.utf16 {
            switch unit {
            case 0x22, 0x24, 0x5C: literal += "\\" + String(UnicodeScalar(UInt8(unit)))
            case 0x20..<0x7F: literal += String(UnicodeScalar(UInt8(unit)))
            default:
                let digits = String(unit, radix: 16)
                literal += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
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
