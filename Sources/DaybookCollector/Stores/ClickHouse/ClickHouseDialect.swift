/// What a server can do, by its version.
///
/// The supported dialect is today's (22.3 and later). The old one is that of the servers which Linux distributions
/// package; it stores and finds the same, slower, and has no functions for the typed views.
enum ClickHouseDialect: Sendable {
    case today, old

    /// - Parameter version: such as `26.9.1.1` or `18.16.1`.
    init(version: String) {
        let numbers = version.split(separator: ".").prefix(2).map { Int($0) ?? 0 }
        self = (numbers.first ?? 0, numbers.dropFirst().first ?? 0) >= (22, 3) ? .today : .old
    }

    /// A text of which there are few different ones.
    var fewTexts: String { self == .today ? "LowCardinality(String)" : "String" }
    var fewOptionalTexts: String { self == .today ? "LowCardinality(Nullable(String))" : "Nullable(String)" }
    /// A long text.
    var longText: String { self == .today ? "String CODEC(ZSTD(1))" : "String" }

    /// What each statement that writes is sent with: it is answered when the table has the rows.
    var writing: [(String, String)] { self == .today ? [("async_insert", "0")] : [] }

    /// What each question is sent with: it ends when nobody waits for it.
    var reading: [(String, String)] {
        self == .today ? [("cancel_http_readonly_queries_on_client_close", "1")] : []
    }
}
