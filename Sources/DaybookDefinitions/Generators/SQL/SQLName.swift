/// Names of tables, views and columns, the same in every dialect.
public enum SQLName {
    /// The wide view or table.
    static let activityLog = "activity_log"

    /// The name of an event's view or table: the tag with `__` for its dots, `recipe_search__search`, shortened to 63
    /// bytes.
    public static func event(tag: String) -> String {
        shortened(tag.split(separator: ".", omittingEmptySubsequences: false).joined(separator: "__"))
    }

    /// A name of at most 63 bytes, PostgreSQL's limit, so that it is the same in every store: a longer one becomes its
    /// beginning, `_`, and 8 hexadecimal digits (32-bit FNV-1a of the whole name, RFC 9923).
    public static func shortened(_ name: String) -> String {
        guard name.utf8.count > 63 else { return name }
        var prefix = ""
        for character in name {
            if prefix.utf8.count + character.utf8.count > 54 { break }
            prefix.append(character)
        }
        var hash: UInt32 = 0x811C_9DC5
        for byte in name.utf8 { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
        let digits = String(hash, radix: 16)
        return prefix + "_" + String(repeating: "0", count: 8 - digits.count) + digits
    }

    /// How names are compared: SQLite's and Redshift's do not differ by ASCII case, so none may anywhere.
    static func folded(_ name: String) -> String {
        String(decoding: name.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
    }
}
