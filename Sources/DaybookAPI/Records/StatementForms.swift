import DaybookBase
import DaybookDefinitions
import DaybookStore
import DaybookTools

package struct SQLAnswer: Sendable {
    package var result: QueryResult
    /// Whether `private=show` would reveal more.
    package var isMasked: Bool
    package var milliseconds: Int
    package var warnings: [StatementWarning]

    package init(_ result: QueryResult, isMasked: Bool, milliseconds: Int, warnings: [StatementWarning]) {
        (self.result, self.isMasked, self.milliseconds) = (result, isMasked, milliseconds)
        self.warnings = warnings
    }

    static let parameters: Set = [WireForm.parameter, "limit", "private"]

    package static func body(_ statement: String) -> [UInt8] {
        Array(JSONWriter.text(["sql": .string(statement)] as Attributes).utf8)
    }

    /// With numbers that JavaScript represents exactly.
    package static let shown = form("SQLAnswer", of: QueryResult.Cell.shown)
    /// With numbers of their exact type.
    package static let exact = form("ExactSQLAnswer", of: QueryResult.Cell.exact)

    private static func form(_ name: String, of cell: Form<QueryResult.Cell>) -> Form<SQLAnswer> {
        .object(
            name, .init("columns", .list(.text), \.result.columns),
            .init("rows", .list(.list(cell)), \.result.rows), .init("truncated", .bool, \.result.isTruncated),
            .init("masked", .bool, absent: false, \.isMasked),
            .init("milliseconds", .number, absent: 0, \.milliseconds),
            .init("warnings", .list(StatementWarning.form), absent: [], \.warnings)
        ) { columns, rows, isTruncated, isMasked, milliseconds, warnings in
            SQLAnswer(
                QueryResult(columns: columns, rows: rows, isTruncated: isTruncated), isMasked: isMasked,
                milliseconds: milliseconds, warnings: warnings)
        }
    }
}

extension StatementWarning {
    package static let form = Form<StatementWarning>.object(
        "StatementWarning", .init("line", .number, \.line), .init("column", .number, \.column),
        .init("message", .text, \.message)
    ) { StatementWarning(line: $0, column: $1, message: $2) }
}

extension QueryResult.Cell {
    fileprivate static let shown = Form<QueryResult.Cell>("Cell") { cell, builder in
        switch cell {
        case .integer(let number): builder.integer(number)
        case .real(let number): builder.real(number)
        case .null, .text, .blob: exact.write(cell, to: &builder)
        }
    } read: { value throws(FormError) in
        try exact.read(value)
    }

    fileprivate static let exact = Form<QueryResult.Cell>("Cell") { cell, builder in
        switch cell {
        case .null: builder.null()
        case .integer(let number): builder.written { $0.append(contentsOf: String(number).utf8) }
        case .real(let number) where number.isFinite: builder.real(number)
        // JSON cannot represent it.
        case .real(let number):
            builder.object {
                $0.key("real")
                $0.string("\(number)")
            }
        case .text(let text): builder.string(text)
        case .blob(let bytes):
            builder.object {
                $0.key("hex")
                $0.string(Hex.text(bytes))
            }
        }
    } read: { value throws(FormError) in
        switch value {
        case .null: return .null
        case .int(let number): return .integer(number)
        case .double(let number): return .real(number)
        case .string(let text): return .text(text)
        case .object(let members):
            if let bytes = members.text("hex").flatMap({ Hex.bytes($0) }) { return .blob(bytes) }
            if let number = members.text("real").flatMap({ Double($0) }) { return .real(number) }
        default: break
        }
        throw FormError("a cell of a table")
    }
}
