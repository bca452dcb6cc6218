import DaybookStore

extension FilterDialect {
    /// PostgreSQL's words for a filter.
    static let postgresql = FilterDialect(
        version: "daybook_version(context)", hasDot: { "strpos(\($0), '.') > 0" },
        suffix: { "substr(\($0), (?)::integer)" }, negated: { "(\($0)) IS NOT TRUE" },
        contains: { column, search in
            // Marks that `jsonb` writes otherwise than they came.
            guard search.isComparable(without: [0x22, 0x2C, 0x3A, 0x5C]) else { return nil }
            let text = column == "attributes" ? "attributes::text" : column
            return "strpos(daybook_folded(\(text)), ?) > 0"
        })
}
