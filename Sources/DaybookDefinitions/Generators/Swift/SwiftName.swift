/// Converts names of definitions to Swift names, like the original's scripts (`recipe_id` → `recipeId`).
enum SwiftName {
    /// `recipe_search` → `RecipeSearch`: the first word keeps its capitals, later words only their first letter.
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

    /// Fast path for ASCII, which almost all names are; `nil` for others.
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

    /// A declared value's case name; any text becomes an identifier.
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

    /// In backticks if Swift requires them.
    static func escaped(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

    /// A local variable's name that shadows neither `self`, the encoder nor a keyword: camel-cased names have no `_`.
    static func local(_ name: String) -> String { keywords.contains(name) || name == "fields" ? name + "_" : name }

    static func isKeyword(_ name: String) -> Bool { keywords.contains(name) }

    private static func capitalized(_ part: Substring) -> String { part.prefix(1).uppercased() + part.dropFirst() }

    /// Swift's reserved words, and names that members cannot have without backticks.
    private static let keywords: Set = [
        "Any", "Protocol", "Self", "Type", "actor", "as", "associatedtype", "async", "await", "break", "case", "catch",
        "class", "continue", "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false",
        "fileprivate", "for", "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil",
        "open", "operator", "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return", "self",
        "static", "struct", "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var",
        "where", "while",
    ]
}

/// The custom types: which ones are generated, and which certainly exist.
///
/// A class, because every parameter refers to it.
final class SwiftTypes {
    /// Types with declared values, by name, each with the column that declares them.
    let declared: [(name: String, column: Column)]
    private let declaredNames: Set<String>
    /// Types that columns in use refer to. A type that only obsolete columns use may be gone from the app.
    private let alive: Set<String>

    let used: Set<ColumnType>

    /// The app's own types: of columns in use without declared values, by name, each with its first column.
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
