/// A value for a question mark of a statement.
enum SQLValue: Hashable {
    case integer(Int64)
    case text(String)
}

extension SQLiteStatement {
    /// Binds values to the first places, in order.
    func bind(_ values: [SQLValue]) {
        for (index, value) in values.enumerated() {
            switch value {
            case .integer(let integer): bind(Int32(index + 1), integer)
            case .text(let text): bind(Int32(index + 1), text)
            }
        }
    }
}
