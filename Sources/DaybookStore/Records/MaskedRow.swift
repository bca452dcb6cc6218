import DaybookBase

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
    /// The answer as people may see it. A column is known by the name that it has here: what a statement computes of a
    /// private column, or names otherwise, cannot be told from any other value.
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
        let clean = policy.masked(value, named: name)
        if clean == value { return self }
        if case .string(let text) = clean { return .text(text) }
        return self
    }
}
