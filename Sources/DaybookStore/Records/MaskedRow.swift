import DaybookBase
import DaybookTools

extension RecordRow {
    /// The record as people may see it; see ``MaskingPolicy``.
    package func masked(by policy: MaskingPolicy) -> RecordRow {
        var row = self
        (row.attributes, row.context) = policy.masked(attributes: attributes, context: context, of: tag)
        row.message = message.map { policy.masked($0) }
        return row
    }
}

extension StoredRecord {
    /// The record as people may see it; see ``MaskingPolicy``.
    package func masked(by policy: MaskingPolicy) -> StoredRecord { StoredRecord(id: id, row: row.masked(by: policy)) }
}

extension QueryResult {
    /// The answer as people may see it: on top of what the statement itself does not see (``QueryLimits/masking``), columns
    /// with a private one's name show nothing but its stand-ins, and `Record.mask` for all else.
    package func masked(by policy: MaskingPolicy) -> QueryResult {
        var result = self
        result.rows = rows.map { row in
            zip(columns, row).map { name, cell in cell.masked(by: policy, named: name) }
        }
        return result
    }
}

extension QueryResult.Cell {
    fileprivate func masked(by policy: MaskingPolicy, named name: String) -> Self {
        let value: Value =
            switch self {
            case .null: .null
            case .integer(let integer): .int(integer)
            case .real(let real): .double(real)
            case .text(let text): .string(text)
            case .blob(let bytes): .bytes(bytes)
            }
        // Equal ones are equal still, as counts and charts need them.
        if policy.isPrivateAnywhere(name), Pseudonyms.mayHaveMade(value) { return self }
        let clean = policy.masked(value, named: name)
        if clean == value { return self }
        if case .string(let text) = clean { return .text(text) }
        return self
    }
}

/// Statements of somebody who may not see private values: whatever runs them shows stand-ins to the statement itself, which
/// are the same for equal values and the same key.
package struct MaskedStatements: StatementRunner {
    /// The same statements with the values themselves, for who has asked for them.
    package let whole: any StatementRunner
    private let masking: MaskingPolicy

    /// - Parameters:
    ///   - whole: runs the statements.
    ///   - masking: what they do not see.
    ///   - pseudonyms: the stand-ins. Default: those of a key of their own.
    package init(_ whole: any StatementRunner, _ masking: MaskingPolicy, _ pseudonyms: Pseudonyms = Pseudonyms()) {
        self.whole = whole
        self.masking = masking.withPseudonyms(pseudonyms)
    }

    package func query(_ sql: String, limits: QueryLimits) async throws -> QueryResult {
        var limits = limits
        limits.masking = masking
        return try await whole.query(sql, limits: limits)
    }
}
