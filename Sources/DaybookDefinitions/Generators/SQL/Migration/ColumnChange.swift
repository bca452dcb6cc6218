/// What a table's column needs to hold another type.
enum ColumnChange: Equatable {
    /// Nothing: it holds what is to come.
    case none
    /// The column takes the new type. `using` converts its values, where the dialect does not do so by itself.
    case alter(using: String?)
    /// The old column is kept under another name, and a new one takes its place, filled by the expression `copy` where
    /// the values can be converted.
    case replace(copy: String?)

    /// - Parameters:
    ///   - column: The column's name, quoted.
    ///   - kept: The name, quoted, under which a replaced column is kept.
    init(from old: WarehouseType, to new: WarehouseType, column: String, kept: String, in dialect: SQLDialect) {
        guard old.spelled(in: dialect) != new.spelled(in: dialect), !old.holdsEverything(of: new) else {
            self = .none
            return
        }
        if new.holdsEverything(of: old) {
            self = ColumnChange.widened(old, new, kept: kept, dialect)
        } else if new.isText {
            self = ColumnChange.toText(old, new, column: column, kept: kept, dialect)
        } else {
            switch (old, new) {
            case (.date, .timestamp) where dialect == .postgresql: self = .alter(using: nil)
            case (.date, .timestamptz) where dialect == .postgresql:
                self = .alter(using: "\(column)::timestamp AT TIME ZONE 'UTC'")
            case (.timestamp, .timestamptz) where dialect == .postgresql:
                self = .alter(using: "\(column) AT TIME ZONE 'UTC'")
            case (.date, .timestamp), (.date, .timestamptz):
                self = .replace(copy: dialect == .redshift ? "\(kept)::timestamp" : kept)
            case (.timestamp, .timestamptz):
                self = .replace(copy: dialect == .redshift ? "\(kept) AT TIME ZONE 'UTC'" : kept)
            default: self = .replace(copy: nil)
            }
        }
    }

    private static func widened(
        _ old: WarehouseType, _ new: WarehouseType, kept: String, _ dialect: SQLDialect
    ) -> ColumnChange {
        switch dialect {
        case .postgresql, .clickhouse: .alter(using: nil)
        // Only `varchar` can grow in place (Redshift, *ALTER TABLE*).
        case .redshift where old.isText && new.isText: .alter(using: nil)
        case .redshift: .replace(copy: "\(kept)::\(new.spelled(in: dialect))")
        case .sqlite: .replace(copy: "CAST(\(kept) AS \(new.spelled(in: dialect)))")
        }
    }

    private static func toText(
        _ old: WarehouseType, _ new: WarehouseType, column: String, kept: String, _ dialect: SQLDialect
    ) -> ColumnChange {
        switch dialect {
        case .postgresql: .alter(using: "\(column)::text")
        case .clickhouse: .alter(using: nil)
        case .sqlite: .replace(copy: "CAST(\(kept) AS TEXT)")
        // It has no cast from boolean to text.
        case .redshift where old == .boolean:
            .replace(copy: "CASE WHEN \(kept) THEN 'true' WHEN NOT \(kept) THEN 'false' END")
        case .redshift: .replace(copy: "\(kept)::\(new.spelled(in: dialect))")
        }
    }
}

extension WarehouseType {
    /// Whether every value of `other` is a value of this type too, unchanged.
    func holdsEverything(of other: WarehouseType) -> Bool {
        switch (self, other) {
        case _ where self == other: return true
        case (.text(nil), .text), (.text(nil), .word): return true
        case (.text(let mine?), .text(let theirs?)), (.text(let mine?), .word(let theirs)): return mine >= theirs
        case (.word(let mine), .word(let theirs)): return mine >= theirs
        // A double has 53 bits for a whole number, a real 24.
        case (.double, .smallint), (.double, .integer), (.real, .smallint): return true
        default:
            guard let mine = numberRank, let theirs = other.numberRank else { return false }
            return mine / 10 == theirs / 10 && mine >= theirs
        }
    }
}
