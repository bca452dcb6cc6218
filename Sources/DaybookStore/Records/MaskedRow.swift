import DaybookBase
import DaybookTools

extension RecordRow {
    package func masked(by policy: MaskingPolicy) -> RecordRow {
        var row = self
        (row.attributes, row.context) = policy.masked(attributes: attributes, context: context, of: tag)
        row.message = message.map { policy.masked($0) }
        return row
    }
}

extension StoredRecord {
    package func masked(by policy: MaskingPolicy) -> StoredRecord { StoredRecord(id: id, row: row.masked(by: policy)) }
}

extension QueryResult {
    /// In private columns, keeps the stand-ins that the statement saw (``QueryLimits/masking``), and replaces
    /// everything else by `Record.mask`.
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
        // Equal stand-ins stay equal, which counts and charts need.
        if policy.isPrivateAnywhere(name), Pseudonyms.mayHaveMade(value) { return self }
        let clean = policy.masked(value, named: name)
        if clean == value { return self }
        if case .string(let text) = clean { return .text(text) }
        return self
    }
}

/// Runs statements on masked values. Stand-ins are equal for equal values and the same key.
package struct MaskedStatements: StatementRunner {
    /// Runs the same statements on unmasked values, for an explicit request.
    package let whole: any StatementRunner
    private let masking: MaskingPolicy

    /// - Parameter pseudonyms: Default: with a new key.
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
