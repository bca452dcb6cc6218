import DaybookDefinitions
import DaybookStore

extension EventStore {
    /// Makes the typed views of a team's events, the wide view over all of them, and `violations`, and drops those of
    /// events that are no longer defined. Nothing happens in a store without SQL.
    /// - Throws: ``StoreError``.
    package func createViews(of definitions: Definitions) async throws {
        guard let dialect else { return }
        let sql = SQLDialect(dialect)
        var views = SQLViews.overRecords(definitions, dialect: sql)
        views += SQLViews.overRecords(ViolationLog.definitions, eventsAs: "violations", dialect: sql)
        try await createViews(
            views.map { StoreView(name: $0.name, statement: $0.statement, following: $0.following) })
    }
}

extension SQLDialect {
    fileprivate init(_ dialect: StoreDialect) {
        self =
            switch dialect {
            case .sqlite: .sqlite
            case .postgresql: .postgresql
            case .clickhouse: .clickhouse
            }
    }
}
