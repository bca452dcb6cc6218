import DaybookBase
import DaybookDefinitions
import DaybookHTTP
import DaybookStore
import DaybookTools

/// Reading statements. Whatever would write is refused; see `StatementRunner`.
struct SQLAPI: Sendable {
    let statements: MaskedStatements
    let limits: QueryLimits
    let disclosure: Disclosure
    /// What is known of the columns that statements name.
    let tables: StatementTables
    /// Time since some fixed point, never set back.
    let uptime: @Sendable () -> Duration

    var routes: [HTTPRoute] {
        [
            HTTPRoute(
                "POST", "/api/v1/sql", parameters: ["form", "limit", "private"], bodyLimit: 65_536,
                // A statement has its own limit, and a moment to wait for its turn.
                work: .bounded(by: limits.time + .seconds(30))
            ) { try await run($0.body, $0.query) }
        ]
    }

    func run(_ body: [UInt8], _ parameters: [(name: String, value: String)] = []) async throws -> HTTPResponse {
        let statement = try RequestBody.read(
            body, "The body is a JSON object with the statement: {\"sql\": \"SELECT …\"}."
        ) { $0.text("sql", limit: nil, mayBeEmpty: true) }
        guard statement.contains(where: { !$0.isWhitespace }) else {
            throw Problem(.badStatement, "The statement is empty; try SELECT tag, count(*) FROM records GROUP BY tag.")
        }
        let policy = try disclosure.policy(parameters) { "private values in the answer to: \(statement.prefix(500))" }
        let isExact = try WireForm.isAsked(.exact, in: parameters)
        var limits = limits
        if let rows = parameters.first(where: { $0.name == "limit" })?.value {
            limits.rows = Int(try FilterParameters.number("limit", rows, in: 1...1_000_000))
        }
        let start = uptime()
        let answer = try await (policy == nil ? statements.whole : statements).query(statement, limits: limits)
        let result = policy.map(answer.masked) ?? answer
        let elapsed = uptime() - start
        return Envelope.success {
            $0.object {
                $0.key("columns")
                $0.array(of: result.columns) { $0.string($1) }
                $0.key("rows")
                $0.array(of: result.rows) { writer, row in
                    writer.array(of: row) { if isExact { $0.exact($1) } else { $0.cell($1) } }
                }
                $0.key("truncated")
                $0.bool(result.isTruncated)
                $0.key("masked")
                $0.bool(answer.isMasked || result != answer)
                $0.key("milliseconds")
                $0.integer(elapsed.milliseconds)
                $0.key("warnings")
                $0.array(of: tables.warnings(of: statement, masking: policy)) { writer, warning in
                    writer.object {
                        $0.key("line")
                        $0.integer(Int64(warning.line))
                        $0.key("column")
                        $0.integer(Int64(warning.column))
                        $0.key("message")
                        $0.string(warning.message)
                    }
                }
            }
        }
    }
}

extension JSONBuilder {
    fileprivate mutating func cell(_ cell: QueryResult.Cell) {
        switch cell {
        case .null: null()
        case .integer(let number): integer(number)
        case .real(let number): real(number)
        case .text(let text): string(text)
        case .blob(let bytes):
            object {
                $0.key("hex")
                $0.string(Hex.text(bytes))
            }
        }
    }
}
