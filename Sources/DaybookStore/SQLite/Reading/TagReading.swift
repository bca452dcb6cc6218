/// The counts per tag from the table `tags`.
enum TagReading {
    static func read(_ connection: SQLiteConnection) throws(StoreError) -> [TagSummary] {
        let statement = try connection.statement(
            "SELECT tag, kind, version, count, first_time, last_time FROM tags ORDER BY tag, kind, version")
        defer { statement.reset() }
        var summaries: [TagSummary] = []
        while try statement.step() {
            let version = statement.text(2)
            summaries.append(
                TagSummary(
                    tag: statement.text(0), kind: statement.text(1), version: version.isEmpty ? nil : version,
                    count: statement.integer(3), firstTime: statement.integer(4), lastTime: statement.integer(5)))
        }
        return summaries
    }
}
