/// Writes the statements that take a warehouse from one set of definitions to the next. It drops no data: what the new
/// definitions no longer have stays, and a column that cannot change its type is kept under another name.
public struct SQLMigration: Sendable {
    private let generator: SQLGenerator
    private var dialect: SQLDialect { generator.dialect }

    /// A migration of warehouses that `generator`'s scripts made.
    public init(_ generator: SQLGenerator) { self.generator = generator }

    /// The script, and a sentence for each thing that it leaves out. Without a change there is nothing but the header.
    ///
    /// - Parameters:
    ///   - old: What the warehouse was made from, free of errors.
    ///   - new: What it is to be, free of errors.
    /// - Throws: ``SQLGenerator/Refusal`` if a table would have more columns than the dialect allows.
    public func generate(
        from old: Definitions, to new: Definitions
    ) throws(SQLGenerator.Refusal) -> (text: String, omissions: [String]) {
        // Counted with what the new definitions no longer have, because the table still does.
        let (before, after) = (Warehouse(old), Warehouse(new.keeping(old)))
        try generator.check(after)
        var script = SQLScript(
            header: generator.header(new) + ["From definitions \(DictionaryGenerator.hash(of: old))"])
        var steps = [[String]]()
        let tables = TableMigration(dialect: dialect)
        let views = ViewMigration(dialect: dialect, old: generator.views(of: before), new: generator.views(of: after))
        let changes = tables.changes(from: generator.tables(of: before), to: generator.tables(of: after))
        // A view in use forbids some changes of its table.
        let stale = changes.altersColumns ? views.all : views.changed
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

/// What becomes of views.
private struct ViewMigration {
    let dialect: SQLDialect
    let old: [String: SQLView]
    let new: [SQLView]

    init(dialect: SQLDialect, old: [SQLView], new: [SQLView]) {
        self.dialect = dialect
        self.old = Dictionary(old.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        self.new = new
    }

    var all: [SQLView] { new }
    /// Those that are new or another.
    var changed: [SQLView] { new.filter { old[$0.name] != $0 } }

    func drops(_ views: [SQLView]) -> [String] {
        views.filter { old[$0.name] != nil }.map { "DROP VIEW IF EXISTS \(dialect.identifier($0.name))" }
    }

    func creations(_ views: [SQLView]) -> [[String]] { views.map { [$0.statement] + $0.following } }
}

/// What becomes of tables.
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
