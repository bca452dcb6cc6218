/// A row of a `COPY … TO STDOUT (FORMAT binary)`, which is valid while it is passed.
///
/// Source: PostgreSQL, *COPY*, "Binary Format".
struct CopiedRow {
    private static let header = 19

    private var rest: UnsafeRawBufferPointer

    /// `nil` for the end.
    /// - Parameter bytes: Of one message.
    init?(_ bytes: UnsafeRawBufferPointer, isFirst: Bool) throws(PostgreSQLError) {
        rest = bytes
        if isFirst { _ = try take(Self.header) }
        if try number(as: Int16.self) < 0 { return nil }
    }

    /// The next cell, as the type sends it; `nil` for NULL.
    mutating func cell() throws(PostgreSQLError) -> UnsafeBufferPointer<UInt8>? {
        let count = Int(try number(as: Int32.self))
        return count < 0 ? nil : try take(count).bindMemory(to: UInt8.self)
    }

    /// A `smallint` or `bigint`.
    mutating func integer() throws(PostgreSQLError) -> Int64? {
        switch try number(as: Int32.self) {
        case 2: Int64(try number(as: Int16.self))
        case 8: try number(as: Int64.self)
        case -1: nil
        default: throw Self.fault
        }
    }

    /// The text of a `jsonb`, which begins with its format version; `nil` for NULL and for `null`.
    mutating func json() throws(PostgreSQLError) -> UnsafeBufferPointer<UInt8>? {
        guard let cell = try cell() else { return nil }
        guard cell.first == 1 else { throw Self.fault }
        let text = UnsafeBufferPointer(rebasing: cell.dropFirst())
        return text.elementsEqual("null".utf8) ? nil : text
    }

    private mutating func number<Number: FixedWidthInteger>(as type: Number.Type) throws(PostgreSQLError) -> Number {
        Number(bigEndian: try take(Number.bitWidth / 8).loadUnaligned(as: Number.self))
    }

    /// Never beyond the message, whatever lengths it gives.
    private mutating func take(_ count: Int) throws(PostgreSQLError) -> UnsafeRawBufferPointer {
        guard count <= rest.count else { throw Self.fault }
        defer { rest = UnsafeRawBufferPointer(rebasing: rest[count...]) }
        return UnsafeRawBufferPointer(rebasing: rest[..<count])
    }

    private static let fault = PostgreSQLError(
        state: "08P01", message: "PostgreSQL sent a row that is not in the binary format of COPY.")
}
