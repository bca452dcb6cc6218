/// The bounds of one reading statement.
public struct QueryLimits: Sendable, Hashable {
    /// At most this many rows. Default 1,000.
    public var rows = 1_000
    /// At most this long. Default 1 s.
    public var time: Duration = .seconds(1)

    /// 1,000 rows, 1 s.
    public init() {}
}

/// The answer to a statement.
public struct QueryResult: Sendable, Hashable {
    /// One cell.
    public enum Cell: Sendable, Hashable {
        case null
        case integer(Int64)
        case real(Double)
        case text(String)
        case blob([UInt8])
    }

    public var columns: [String]
    public var rows: [[Cell]]
    /// Whether the row limit cut the answer.
    public var isTruncated: Bool

    /// An answer.
    public init(columns: [String], rows: [[Cell]], isTruncated: Bool) {
        self.columns = columns
        self.rows = rows
        self.isTruncated = isTruncated
    }
}
