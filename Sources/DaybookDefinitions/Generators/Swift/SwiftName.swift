/// Turns names of definitions into names of Swift, as the original's scripts do (`recipe_id` → `recipeId`).
enum SwiftName {
    /// `recipe_search` → `RecipeSearch`: the first part keeps its capitals, later parts keep their first letter only.
    static func type(_ name: String) -> String {
        camelCased(name, capital: true) ?? typeOfAnyText(name)
    }

    private static func typeOfAnyText(_ name: String) -> String {
        let parts = name.split(separator: "_")
        guard let first = parts.first else { return "" }
        return capitalized(first) + parts.dropFirst().map { capitalized($0.lowercased()[...]) }.joined()
    }

    /// `show_recipe` → `showRecipe`.
    static func member(_ name: String) -> String {
        if let member = camelCased(name, capital: false) { return member }
        let type = typeOfAnyText(name)
        return type.prefix(1).lowercased() + type.dropFirst()
    }

    /// A name of ASCII, which almost every name is, in camel case; `nil` for another.
    private static func camelCased(_ name: String, capital: Bool) -> String? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(name.utf8.count)
        var (isFirstWord, isWordStart) = (true, true)
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "_"):
                isFirstWord = bytes.isEmpty
                isWordStart = true
                continue
            case UInt8(ascii: "a")...UInt8(ascii: "z"):
                bytes.append(isWordStart && (capital || !bytes.isEmpty) ? byte - 32 : byte)
            case UInt8(ascii: "A")...UInt8(ascii: "Z"):
                let isKept = bytes.isEmpty ? capital : isWordStart || isFirstWord
                bytes.append(isKept ? byte : byte + 32)
            case 0..<0x80: bytes.append(byte)
            default: return nil
            }
            isWordStart = false
        }
        return String(decoding: bytes, as: UTF8.self)
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

/// What the generator must know about custom types: which it writes itself, and which surely exist.
///
/// A class, because every parameter refers to it.
final class SwiftTypes {
    /// Types whose values are declared, ordered by name, each with the column that declares them.
    let declared: [(name: String, column: Column)]
    private let declaredNames: Set<String>
    /// Types that a column in use refers to. A type that only obsolete columns name may be gone from the app.
    private let alive: Set<String>

    /// Every type that a column has.
    let used: Set<ColumnType>

    /// The app's own types: those of columns in use whose values are not declared, ordered by name, each with the first
    /// column that has it.
    let own: [(name: String, column: Column)]

    let options: SwiftOptions

    init(_ definitions: Definitions, options: SwiftOptions) {
        self.options = options
        let sites = definitions.columnSites
        used = Set(sites.map(\.column.type))
        var declared: [String: Column] = [:]
        var alive: [String: Column] = [:]
        for site in sites {
            guard case .custom(let name) = site.column.type else { continue }
            if !site.column.values.isEmpty, declared[name] == nil { declared[name] = site.column }
            if site.isInUse, alive[name] == nil { alive[name] = site.column }
        }
        self.declared = declared.sorted { $0.key < $1.key }.map { (name: $0.key, column: $0.value) }
        declaredNames = Set(declared.keys)
        self.alive = Set(alive.keys)
        own = alive.filter { declared[$0.key] == nil }.sorted { $0.key < $1.key }
            .map { (name: $0.key, column: $0.value) }
    }

    /// The Swift type of a column's value, without `?`; `nil` for a type that may be gone.
    func swift(_ type: ColumnType) -> String? {
        switch type {
        case .smallint: "Int16"
        case .integer: "Int"
        case .bigint: "Int64"
        case .real: "Float"
        case .double: "Double"
        case .boolean: "Bool"
        case .string: "String"
        case .date, .timestamp, .timestamptz: "Date"
        case .custom(let name): declaredNames.contains(name) || alive.contains(name) ? name : nil
        }
    }
}
