/// A value for a question mark of a statement.
package enum SQLValue: Hashable {
    case integer(Int64)
    case text(String)
}
