/// A typed view of one event's records: `SELECT keyword FROM recipe_search__search`.
///
/// Its columns are the envelope (`_id _uid _time _session _installation _level _version`) and the event's own by plain names.
public struct EventView: Sendable, Hashable {
    /// What a column's JSON values are.
    public enum JSONType: String, Sendable, Hashable {
        /// Text; a value of another type is shown as text.
        case string
        /// Whole numbers.
        case integer
        /// Numbers.
        case number
        /// `true` and `false`; SQLite shows 1 and 0.
        case boolean
    }

    /// One column of the event.
    public struct Column: Sendable, Hashable {
        /// Where a record keeps the value.
        public enum Place: Sendable, Hashable {
            /// Among the record's own attributes.
            case attributes
            /// In the context, where the common columns are; among the attributes where the context lacks it.
            case context
        }

        public var name: String
        public var type: JSONType
        public var place: Place

        /// A column.
        public init(name: String, type: JSONType, place: Place = .attributes) {
            self.name = name
            self.type = type
            self.place = place
        }
    }

    /// The view's name; see ``name(forTag:)``.
    public var name: String
    /// The event's tag: `recipe_search.search`.
    public var tag: String
    /// Of two columns of one name, or one named like the envelope's, the first is shown: put the event's own before
    /// the common ones.
    public var columns: [Column]

    /// A view named after its tag.
    public init(tag: String, columns: [Column]) {
        self.init(name: Self.name(forTag: tag), tag: tag, columns: columns)
    }

    /// A view with a name of its own.
    public init(name: String, tag: String, columns: [Column]) {
        self.name = name
        self.tag = tag
        self.columns = columns
    }

    /// The name of an event's view: the tag with `__` for its dots, `recipe_search__search`, shortened to 63 bytes.
    public static func name(forTag tag: String) -> String {
        shortened(tag.split(separator: ".", omittingEmptySubsequences: false).joined(separator: "__"))
    }

    /// A name of at most 63 bytes, PostgreSQL's limit, so that it is the same in every store: a longer one becomes its
    /// beginning, `_`, and 8 hexadecimal digits (32-bit FNV-1a of the whole name).
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
}
