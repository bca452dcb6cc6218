import DaybookStore

/// One reader's questions to a server, which end when it is cancelled. Belongs to one thread at a time.
///
/// Every question may throw for want of the server, or because the reader was cancelled.
protocol ServerReader {
    associatedtype Rows: AnsweredRows
    associatedtype Failure: Error

    /// The table of all records; it may hold more rows than that, see ``isRecord``.
    var recordsTable: String { get }
    /// Which of its rows are records; `nil` where all are.
    var isRecord: String? { get }
    var filterDialect: FilterDialect { get }

    func rows(_ sql: String) throws(Failure) -> Rows
    /// `nil` where the answer takes longer.
    func rows(_ sql: String, within time: Duration) throws(Failure) -> Rows?
    /// The answers to several questions, of one moment where the server can tell it.
    func rows(together sql: [String]) throws(Failure) -> [Rows]
    /// The largest arrival number below which no record is still to come.
    func head() throws(Failure) -> Int64
    func timeBounds() throws(Failure) -> ClosedRange<Int64>?

    /// The filter as it finds what the server keeps of a row.
    static func stored(_ filter: RecordFilter) -> RecordFilter
    static func literal(_ value: SQLValue) -> String
    /// The whole quotient of a number by another.
    static func quotient(_ dividend: String, by divisor: String) -> String
    /// That a filter is wrong.
    static func refusal(_ message: String) -> Failure
}
