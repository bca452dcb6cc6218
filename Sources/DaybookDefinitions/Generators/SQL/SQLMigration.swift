/// Writes the statements that migrate a warehouse from one set of definitions to the next. It drops no data: what the
/// new definitions no longer have stays, and a column that cannot change its type is kept under another name.
public struct SQLMigration: Sendable {
    private let generator: SQLGenerator
    private var dialect: SQLDialect { generator.dialect }

    /// Creates a migration of warehouses that `generator`'s scripts created.
    public init(_ generator: SQLGenerator) { self.generator = generator }

    /// The script, and a sentence for each thing that it leaves out. Without changes it is only the header.
    ///
    /// - Parameters:
    ///   - old: What the warehouse was created from, free of errors.
    ///   - new: What it is to become, free of errors.
    /// - Throws: ``SQLGenerator/Refusal`` if a table would have more columns than the dialect allows.
    public func generate(
        from old: Definitions, to new: Definitions
    ) throws(SQLGenerator.Refusal) -> (text: String, omissions: [String]) {
        // Includes what only the old definitions have, because the table still does.
        let (before, after) = (Warehouse(old), Warehouse(new.keeping(old)))
        try generator.check(after)
        var script = SQLScript(
            header: generator.header(new) + ["From definitions \(DictionaryGenerator.hash(of: old))"])
        var steps = [[String]]()
        let tables = TableMigration(dialect: dialect)
        let views = ViewMigration(dialect: dialect, old: generator.views(of: before), new: generator.views(of: after))
        let changes = tables.changes(from: generator.tables(of: before), to: generator.tables(of: after))
        // A view in use prevents some changes of its table.
        let stale = changes.altersColumns ? views.new : views.changed
        steps.append(views.drops(stale))
        steps += changes.statements
        steps += views.creations(stale)
        steps = steps.filter { !$0.isEmpty }
        guard !steps.isEmpty else {
            script.note("Nothing to change.")
            return (script.text, generator.omissions(of: after))
        }
        if dialect.isTransactional { script.add(["BEGIN"]) }
        for step in steps { script.add(step) }
        if dialect.isTransactional { script.add(["COMMIT"]) }
        return (script.text, generator.omissions(of: after))
    }
}

private struct ViewMigration {
    let dialect: SQLDialect
    let old: [String: SQLView]
    let new: [SQLView]

    init(dialect: SQLDialect, old: [SQLView], new: [SQLView]) {
        self.dialect = dialect
        self.old = Dictionary(old.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        self.new = new
    }

    /// New or changed views.
    var changed: [SQLView] { new.filter { old[$0.name] != $0 } }

    func drops(_ views: [SQLView]) -> [String] {
        views.filter { old[$0.name] != nil }.map { "DROP VIEW IF EXISTS \(dialect.identifier($0.name))" }
    }

    func creations(_ views: [SQLView]) -> [[String]] { views.map { [$0.statement] + $0.following } }
}

private struct TableMigration {
    let dialect: SQLDialect

    struct Changes {
        var statements: [[String]] = []
        /// Whether a column is altered or renamed, not only added.
        var altersColumns = false
    }

    func changes(from old: [SQLTable], to new: [SQLTable]) -> Changes {
        let present = Dictionary(old.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var changes = Changes()
        for table in new {
            guard let before = present[table.name] else {
                changes.statements.append(table.statements(dialect))
                continue
            }
            let columns = Dictionary(
                before.columns.map { (SQLName.folded($0.name), $0) }, uniquingKeysWith: { a, _ in a })
            for column in table.columns {
                guard let was = columns[SQLName.folded(column.name)] else {
                    changes.statements.append(table.adding(column, dialect))
                    continue
                }
                let statements = change(of: was, to: column, in: table)
                changes.altersColumns = changes.altersColumns || !statements.isEmpty
                changes.statements.append(statements)
            }
        }
        return changes
    }

    private func change(of old: WarehouseColumn, to new: WarehouseColumn, in table: SQLTable) -> [String] {
        let name = dialect.identifier(old.name)
        let kept = dialect.identifier(SQLName.shortened("\(old.name)__was_\(old.type.name)"))
        let type = new.type.spelled(in: dialect)
        let head = "ALTER TABLE \(dialect.identifier(table.name))"
        switch ColumnChange(from: old.type, to: new.type, column: name, kept: kept, in: dialect) {
        case .none: return []
        case .alter(let using):
            if dialect == .clickhouse { return ["\(head) MODIFY COLUMN \(name) \(type)"] }
            return ["\(head) ALTER COLUMN \(name) TYPE \(type)" + (using.map { " USING \($0)" } ?? "")]
        case .replace(let copy):
            var statements = ["\(head) RENAME COLUMN \(name) TO \(kept)"] + table.adding(new, dialect)
            guard let copy else { return statements }
            statements.append(
                dialect == .clickhouse
                    ? "\(head) UPDATE \(name) = \(copy) WHERE true SETTINGS mutations_sync = 2"
                    : "UPDATE \(dialect.identifier(table.name)) SET \(name) = \(copy)")
            return statements
        }
    }
}

/// The change that a table's column needs for another type.
enum ColumnChange: Equatable {
    /// The column already holds the new values.
    case none
    /// Alters the column's type. `using` converts its values, unless the dialect does.
    case alter(using: String?)
    /// Keeps the old column under another name, and adds a new one, filled by the expression `copy` if the values can
    /// be converted.
    case replace(copy: String?)

    /// - Parameters:
    ///   - column: The column's quoted name.
    ///   - kept: The quoted name for a replaced column.
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
        // Redshift has no cast from boolean to text.
        case .redshift where old == .boolean:
            .replace(copy: "CASE WHEN \(kept) THEN 'true' WHEN NOT \(kept) THEN 'false' END")
        case .redshift: .replace(copy: "\(kept)::\(new.spelled(in: dialect))")
        }
    }
}

extension WarehouseType {
    /// Whether every value of `other` is a value of this type, unchanged.
    func holdsEverything(of other: WarehouseType) -> Bool {
        switch (self, other) {
        case _ where self == other: return true
        case (.text(nil), .text), (.text(nil), .word): return true
        case (.text(let mine?), .text(let theirs?)), (.text(let mine?), .word(let theirs)): return mine >= theirs
        case (.word(let mine), .word(let theirs)): return mine >= theirs
        // A double holds integers of 53 bits, a real of 24.
        case (.double, .smallint), (.double, .integer), (.real, .smallint): return true
        default:
            guard let mine = numberRank, let theirs = other.numberRank else { return false }
            return mine / 10 == theirs / 10 && mine >= theirs
        }
    }
}

extension Definitions {
    /// These definitions plus, as obsolete, the categories, events and columns that only `old` has, since a warehouse
    /// keeps them. Where both define a column's type, these win.
    func keeping(_ old: Definitions) -> Definitions {
        var result = self
        let types = Dictionary(
            (common + categories.flatMap { $0.columns + $0.events.flatMap(\.columns) }).map { ($0.name, $0.type) },
            uniquingKeysWith: { first, _ in first })
        let shared = Set(common.map(\.name))
        func kept(_ columns: [Column], beside present: [Column]) -> [Column] {
            let names = shared.union(present.map(\.name))
            return columns.filter { !names.contains($0.name) }.map { column in
                var column = column
                column.type = types[column.name] ?? column.type
                column.isObsolete = true
                return column
            }
        }
        result.common += kept(old.common, beside: result.common)
        for category in old.categories {
            guard let index = result.categories.firstIndex(where: { $0.name == category.name }) else {
                var gone = category
                gone.columns = kept(gone.columns, beside: [])
                for place in gone.events.indices {
                    gone.events[place].isObsolete = true
                    gone.events[place].columns = kept(gone.events[place].columns, beside: gone.columns)
                }
                result.categories.append(gone)
                continue
            }
            result.categories[index].columns += kept(category.columns, beside: result.categories[index].columns)
            for event in category.events {
                let shared = result.categories[index].columns
                if let place = result.categories[index].events.firstIndex(where: { $0.name == event.name }) {
                    let present = result.categories[index].events[place].columns
                    result.categories[index].events[place].columns += kept(event.columns, beside: shared + present)
                } else {
                    var gone = event
                    gone.isObsolete = true
                    gone.columns = kept(event.columns, beside: shared)
                    result.categories[index].events.append(gone)
                }
            }
        }
        return result
    }
}
