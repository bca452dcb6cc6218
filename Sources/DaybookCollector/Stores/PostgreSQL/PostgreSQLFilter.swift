import DaybookStore

extension FilterDialect {
    /// PostgreSQL's words for a filter.
    static let postgresql = FilterDialect(
        version: "daybook_version(context)", hasDot: { "strpos(\($0), '.') > 0" },
        suffix: { "substr(\($0), (?)::integer)" }, negated: { "(\($0)) IS NOT TRUE" },
        contains: { column, search in
            guard isComparable(search.plain) else { return nil }
            let text = column == "attributes" ? "attributes::text" : column
            return "strpos(daybook_folded(\(text)), ?) > 0"
        })

    /// Whether the server finds exactly what Daybook would: letters of ASCII and what has no case, without the marks
    /// that stand otherwise in the server's form of JSON.
    private static func isComparable(_ folded: [UInt8]) -> Bool {
        String(decoding: folded, as: UTF8.self).unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0x22, 0x2C, 0x3A, 0x5C: false
            case 0x20...0x7E, 0x3001...0x3029, 0x3041...0x3096, 0x30A1...0x30FE, 0x4E00...0x9FFF: true
            default: false
            }
        }
    }
}
