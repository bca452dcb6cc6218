import DaybookStore

extension FilterDialect {
    /// ClickHouse's words for a filter.
    static func clickHouse(_ dialect: ClickHouseDialect) -> FilterDialect {
        FilterDialect(
            version: "version", hasDot: { "position(\($0), '.') > 0" },
            suffix: { "substringUTF8(\($0), ?, 1000000000)" }, negated: { "ifNull((\($0)), 0) = 0" },
            contains: { column, search in
                // The old servers have no normal forms of Unicode.
                guard dialect == .today, search.isComparable(without: []) else { return nil }
                return "position(lower(normalizeUTF8NFKC(\(column))), ?) > 0"
            })
    }
}
