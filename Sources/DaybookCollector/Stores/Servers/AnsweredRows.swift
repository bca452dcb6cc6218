/// The rows that a server has answered with.
protocol AnsweredRows {
    var count: Int { get }
    /// `nil` for NULL.
    func text(_ row: Int, _ column: Int) -> String?
    /// A column of JSON, as Daybook writes it.
    func json(_ row: Int, _ column: Int) -> String
}

extension AnsweredRows {
    /// 0 for NULL.
    func integer(_ row: Int, _ column: Int) -> Int64 { optionalInteger(row, column) ?? 0 }

    func optionalInteger(_ row: Int, _ column: Int) -> Int64? { text(row, column).flatMap { Int64($0) } }
}
