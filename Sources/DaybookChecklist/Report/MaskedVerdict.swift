import DaybookBase

extension ScenarioVerdict {
    /// The verdict as people may see it; see ``MaskingPolicy``. Judging is done with the values themselves.
    package func masked(by policy: MaskingPolicy) -> ScenarioVerdict {
        var verdict = self
        verdict.items = items.map { $0.masked(by: policy) }
        if var problem {
            problem.reason = policy.masked(reason: problem.reason)
            problem.evidence = problem.evidence.map { $0.masked(by: policy) }
            verdict.problem = problem
        }
        return verdict
    }
}

extension ItemVerdict {
    fileprivate func masked(by policy: MaskingPolicy) -> ItemVerdict {
        var verdict = self
        verdict.reason = reason.map { policy.masked(reason: withoutUnlisted($0, policy)) }
        verdict.evidence = evidence.map { $0.masked(by: policy) }
        return verdict
    }

    /// The values of `each` that no list has stand in a reason without the name of their column.
    private func withoutUnlisted(_ reason: String, _ policy: MaskingPolicy) -> String {
        guard case .expectation(let expectation) = item.content, let start = reason.firstRange(of: "; not listed: ")
        else { return reason }
        for case .each(let column, _) in expectation.clauses.map(\.meaning) where policy.isPrivateAnywhere(column) {
            return reason[..<start.upperBound] + Record.mask
        }
        return reason
    }
}

extension Evidence {
    fileprivate func masked(by policy: MaskingPolicy) -> Evidence {
        var evidence = self
        evidence.note = note.map { policy.masked(reason: $0) }
        for index in values.indices {
            evidence.values[index].value = values[index].value?.masked(by: policy, values[index].column, of: tag)
        }
        return evidence
    }
}

extension FixtureDifference {
    /// The difference as people may see it; see ``MaskingPolicy``.
    package func masked(by policy: MaskingPolicy) -> FixtureDifference {
        var difference = self
        for event in events.indices {
            let tag = events[event].event
            difference.events[event].entries = events[event].entries.map { $0.masked(by: policy, of: tag) }
        }
        return difference
    }
}

extension FixtureDifference.Entry {
    fileprivate func masked(by policy: MaskingPolicy, of tag: String) -> Self {
        switch self {
        case .missing, .ambiguous: self
        case .unexpected(let record): .unexpected(record.masked(by: policy))
        case .changed(let position, let record, let columns):
            .changed(
                position: position, record.masked(by: policy),
                columns.map { difference in
                    var difference = difference
                    difference.found = difference.found?.masked(by: policy, difference.column, of: record.tag)
                    return difference
                })
        }
    }
}

extension FixtureRecord {
    fileprivate func masked(by policy: MaskingPolicy) -> FixtureRecord {
        var record = self
        for (column, value) in columns { record.columns[column] = value.masked(by: policy, column, of: tag) }
        return record
    }
}

extension ChecklistValue {
    /// The value of a record's column as people may see it.
    fileprivate func masked(by policy: MaskingPolicy, _ column: String, of tag: String) -> ChecklistValue {
        if policy.isPrivate(column, of: tag) { return .text(Record.mask) }
        let value: Value =
            switch self {
            case .boolean(let value): .bool(value)
            case .integer(let value): .int(value)
            case .number(let value): .double(value)
            case .text(let text), .structure(let text): .string(text)
            }
        let clean = policy.masked(value, named: column)
        guard clean != value, case .string(let text) = clean else { return self }
        if case .structure = self, text != CredentialScrubber.replacement { return .structure(text) }
        return .text(text)
    }
}
