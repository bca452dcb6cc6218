import DaybookAPI
import DaybookBase
import DaybookDefinitions
import DaybookHTTP
import DaybookStore
import DaybookTools

struct SQLAPI: Sendable {
    let statements: MaskedStatements
    let limits: QueryLimits
    let disclosure: Disclosure
    let tables: StatementTables
    /// A monotonic clock.
    let uptime: @Sendable () -> Duration

    var routes: [HTTPRoute] {
        [
            HTTPRoute(
                responding: Endpoints.sql, bodyLimit: 65_536,
                // A statement's own limit, plus time in the queue.
                work: .bounded(by: limits.time + .seconds(30))
            ) { try await run($0.body, $0.query) }
        ]
    }

    func run(_ body: [UInt8], _ parameters: Parameters = []) async throws -> HTTPResponse {
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
        return HTTPResponse(
            isExact ? SQLAnswer.exact : SQLAnswer.shown,
            SQLAnswer(
                result, isMasked: answer.isMasked || result != answer, milliseconds: Int(elapsed.milliseconds),
                warnings: tables.warnings(of: statement, masking: policy)))
    }
}
