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

    let options: SwiftOptions

    init(_ definitions: Definitions, options: SwiftOptions) {
        self.options = options
        let sites = definitions.columnSites
        used = Set(sites.map(\.column.type))
        var declared: [String: Column] = [:]
        var alive: Set<String> = []
        for site in sites {
            guard case .custom(let name) = site.column.type else { continue }
            if !site.column.values.isEmpty, declared[name] == nil { declared[name] = site.column }
            if site.isInUse { alive.insert(name) }
        }
        self.declared = declared.sorted { $0.key < $1.key }.map { (name: $0.key, column: $0.value) }
        declaredNames = Set(declared.keys)
        self.alive = alive
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
