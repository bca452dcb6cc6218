import DaybookStore

/// The views of a PostgreSQL store. The table `event_views` has the text of each, for the server keeps another.
enum PostgreSQLViews {
    /// Makes all views, and drops those that are no longer given; all or nothing.
    static func replaceAll(
        with views: [StoreView], _ connection: PostgreSQLConnection
    ) throws(PostgreSQLError) {
        do throws(PostgreSQLError) {
            try connection.run("BEGIN; LOCK TABLE event_views")
            let present = try connection.run("SELECT name, statement FROM event_views")[0]
            var known: [String: String] = [:]
            for row in 0..<present.count { known[present.text(row, 0) ?? ""] = present.text(row, 1) }
            let names = Set(views.map(\.name))
            for name in known.keys where !names.contains(name) { try drop(name, connection) }
            for view in views {
                let whole = ([view.statement] + view.following).joined(separator: ";\n")
                // An unchanged view is left alone, and with it what a team has built upon it.
                if known[view.name] == whole { continue }
                if known[view.name] != nil { try drop(view.name, connection) }
                try connection.run(
                    whole + "; INSERT INTO event_views VALUES "
                        + "(\(PostgreSQLLiteral.text(view.name)), \(PostgreSQLLiteral.text(whole)))")
            }
            try connection.run("COMMIT")
        } catch {
            connection.rollBack()
            throw error
        }
    }

    private static func drop(_ name: String, _ connection: PostgreSQLConnection) throws(PostgreSQLError) {
        try connection.run(
            "DROP VIEW IF EXISTS \(PostgreSQLLiteral.identifier(name)); "
                + "DELETE FROM event_views WHERE name = \(PostgreSQLLiteral.text(name))")
    }
}
