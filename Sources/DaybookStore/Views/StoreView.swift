/// A view that a store has over its records, as the text that makes it.
public struct StoreView: Sendable, Hashable {
    /// Without quotation marks.
    public var name: String
    /// `CREATE VIEW …` in the store's dialect, without a semicolon. A view is made anew where this text has changed.
    public var statement: String
    /// Statements for after it, such as comments.
    public var following: [String]

    /// A view.
    public init(name: String, statement: String, following: [String] = []) {
        self.name = name
        self.statement = statement
        self.following = following
    }
}

/// Whose SQL a store speaks.
public enum StoreDialect: String, Sendable, Hashable {
    case sqlite, postgresql, clickhouse
}
