/// Turns names of definitions into names of Swift, as the original's scripts do (`recipe_id` → `recipeId`).
enum SwiftName {
    /// `recipe_search` → `RecipeSearch`: the first part keeps its capitals, later parts keep their first letter only.
    static func type(_ name: String) -> String {
        let parts = name.split(separator: "_")
        guard let first = parts.first else { return "" }
        return capitalized(first) + parts.dropFirst().map { capitalized($0.lowercased()[...]) }.joined()
    }

    /// `show_recipe` → `showRecipe`.
    static func member(_ name: String) -> String {
        let type = type(name)
        return type.prefix(1).lowercased() + type.dropFirst()
    }

    /// The case of a declared value: any text becomes an identifier.
    static func value(_ text: String) -> String {
        var words = ""
        for scalar in text.unicodeScalars {
            let isLetter = scalar.isNameScalar || (!scalar.isASCII && scalar.properties.isXIDContinue)
            words.unicodeScalars.append(isLetter ? scalar : "_")
        }
        let name = member(words)
        guard let first = name.unicodeScalars.first else { return "value" }
        return first.isNameScalar && !first.isASCIIDigit || first.properties.isXIDStart ? name : "_" + name
    }

    /// In backticks where Swift needs them.
    static func escaped(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

    /// A name for a local variable that cannot hide `self`, the encoder or a keyword: no camel-cased name has a `_`.
    static func local(_ name: String) -> String { keywords.contains(name) || name == "fields" ? name + "_" : name }

    static func isKeyword(_ name: String) -> Bool { keywords.contains(name) }

    private static func capitalized(_ part: Substring) -> String { part.prefix(1).uppercased() + part.dropFirst() }

    /// The reserved words of Swift, and the names that a member cannot have without backticks.
    private static let keywords: Set = [
        "Any", "Protocol", "Self", "Type", "actor", "as", "associatedtype", "async", "await", "break", "case", "catch",
        "class", "continue", "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false",
        "fileprivate", "for", "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil",
        "open", "operator", "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return", "self",
        "static", "struct", "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var",
        "where", "while",
    ]
}
