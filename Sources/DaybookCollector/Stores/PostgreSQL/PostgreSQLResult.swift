import CPostgreSQL

/// The rows of one statement, in the text format. Belongs to one thread at a time.
final class PostgreSQLResult: AnsweredRows {
    private let handle: OpaquePointer

    /// Takes a result that libpq has given, and frees it at the end.
    init(_ handle: OpaquePointer) { self.handle = handle }

    deinit { PQclear(handle) }

    var status: ExecStatusType { PQresultStatus(handle) }
    var count: Int { Int(PQntuples(handle)) }
    var columns: [String] { (0..<PQnfields(handle)).map { String(cString: PQfname(handle, $0)) } }

    /// The type of a column: PostgreSQL's object identifier.
    func type(_ column: Int) -> UInt32 { PQftype(handle, Int32(column)) }

    /// `nil` for NULL.
    func text(_ row: Int, _ column: Int) -> String? {
        guard PQgetisnull(handle, Int32(row), Int32(column)) == 0 else { return nil }
        return bytes(row, column) { String(decoding: $0, as: UTF8.self) }
    }

    func json(_ row: Int, _ column: Int) -> String { bytes(row, column, PostgreSQLJSON.text) }

    /// The result keeps the bytes until it is freed, so they are there while `body` runs.
    func bytes<Value>(_ row: Int, _ column: Int, _ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        let count = Int(PQgetlength(handle, Int32(row), Int32(column)))
        return body(UnsafeRawBufferPointer(start: PQgetvalue(handle, Int32(row), Int32(column)), count: count))
    }

    /// What the server says where the statement failed.
    var error: PostgreSQLError {
        func field(_ letter: Character) -> String? {
            PQresultErrorField(handle, Int32(letter.asciiValue ?? 0)).map { String(cString: $0) }
        }
        var message = "PostgreSQL: " + (field("M") ?? String(cString: PQresultErrorMessage(handle)))
        if let position = field("P") { message += " (at character \(position))" }
        if let hint = field("H") { message += ". \(hint)" }
        return PostgreSQLError(state: field("C") ?? "", message: message.split(separator: "\n").joined(separator: " "))
    }
}
