/// What every view and table has before the columns of its event: names with `_` in front, so that none collides.
struct SQLEnvelope {
    let name: String
    let comment: String
    /// The type in a table of the team's own, in the order of `SQLDialect.allCases`.
    private let types: [String]

    static let all = [
        SQLEnvelope(
            name: "_id", comment: "Order of arrival", types: ["INTEGER", "bigint", "bigint", "Int64"]),
        SQLEnvelope(
            name: "_uid", comment: "The record's identity; a record delivered twice has one",
            types: ["TEXT", "text", "varchar(128)", "String"]),
        SQLEnvelope(
            name: "_time", comment: "When it happened, by the device's clock",
            types: ["TEXT", "timestamptz", "timestamptz", "DateTime64(9, 'UTC')"]),
        SQLEnvelope(
            name: "_session", comment: "The user's visit",
            types: ["TEXT", "text", "varchar(128)", "Nullable(String)"]),
        SQLEnvelope(
            name: "_installation", comment: "The installation that sent it",
            types: ["TEXT", "text", "varchar(128)", "Nullable(String)"]),
        SQLEnvelope(
            name: "_level", comment: "OpenTelemetry severity number, 1 to 24",
            types: ["INTEGER", "smallint", "smallint", "Int16"]),
        SQLEnvelope(
            name: "_version", comment: "The app's version",
            types: ["TEXT", "text", "varchar(128)", "LowCardinality(Nullable(String))"]),
    ]

    func type(in dialect: SQLDialect) -> String {
        types[SQLDialect.allCases.firstIndex(of: dialect) ?? 0]
    }
}
