import DaybookBase
import DaybookTools

extension ScenarioVerdict {
    /// See ``MaskingPolicy``. Judging itself uses unmasked values.
    package func masked(by policy: MaskingPolicy) -> ScenarioVerdict {
        var verdict = self
        verdict.items = items.map { $0.masked(by: policy) }
        if var problem {
            problem.why = problem.why.masked(by: policy)
            problem.evidence = problem.evidence.map { $0.masked(by: policy) }
            verdict.problem = problem
        }
        return verdict
    }
}

extension ScenarioVerdict {
    /// The verdict for readers who do not see hidden values: what compared them is not judged, since the result would
    /// reveal them.
    package var ofWhatIsShown: ScenarioVerdict {
        var verdict = self
        verdict.items = items.map(\.ofWhatIsShown)
        if problem?.hiddenColumns.isEmpty == false { verdict.problem = nil }
        return verdict
    }
}

extension ItemVerdict {
    fileprivate var ofWhatIsShown: ItemVerdict {
        guard !hiddenColumns.isEmpty else { return self }
        let columns = hiddenColumns.sorted().joined(separator: ", ")
        var verdict = ItemVerdict(
            item: item, status: .notJudged, isProvisional: false,
            because: Reason([.init(.comparesHidden, ["columns": .init(columns)])]), evidence: [], matches: 0)
        verdict.hiddenColumns = hiddenColumns
        return verdict
    }

    fileprivate func masked(by policy: MaskingPolicy) -> ItemVerdict {
        var verdict = self
        verdict.why = why?.masked(by: policy)
        verdict.evidence = evidence.map { $0.masked(by: policy) }
        return verdict
    }
}

extension Reason {
    /// Masks a reason. Values are masked by column, then the English like any text; phrases stay only if they reveal
    /// nothing more.
    fileprivate func masked(by policy: MaskingPolicy) -> Reason {
        let known = withoutUnlisted(policy).map { phrase in
            phrase.replacingArguments { $0.replacingValues(of: policy.standIn(forValuesOf:)) }
        }
        return Reason(
            text: policy.masked(reason: phrases.isEmpty ? text : Reason(known).text),
            phrases: known.map { phrase in
                phrase.replacingArguments { Argument(policy.masked(reason: $0.text)) }
            })
    }

    /// The phrases up to the first unlisted value of a private column: how many more there are must not be revealed.
    private func withoutUnlisted(_ policy: MaskingPolicy) -> [Phrase] {
        let first = phrases.firstIndex { phrase in
            phrase.code == .unlisted && phrase.columns.contains(where: policy.isPrivateAnywhere)
        }
        return first.map { Array(phrases[...$0]) } ?? phrases
    }
}

extension Evidence {
    fileprivate func masked(by policy: MaskingPolicy) -> Evidence {
        var evidence = self
        evidence.remark = remark?.masked(by: policy)
        for index in values.indices {
            evidence.values[index].value = values[index].value?.masked(by: policy, values[index].column, of: tag)
        }
        return evidence
    }
}

extension FixtureDifference {
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
    /// Whether it is, or contains, a stand-in for a hidden value.
    package var isMasked: Bool {
        switch self {
        case .text(let text), .structure(let text):
            text.utf8.contains(UInt8(ascii: "["))
                && [Record.mask, CredentialScrubber.replacement].contains(where: text.contains)
        case .boolean, .integer, .number: false
        }
    }

    fileprivate func masked(by policy: MaskingPolicy, _ column: String, of tag: String) -> ChecklistValue {
        if policy.isPrivate(column, of: tag) { return .text(Record.mask) }
        let value: Value = if case .structure(let text) = self { .string(text) } else { json }
        let clean = policy.masked(value, named: column)
        guard clean != value, case .string(let text) = clean else { return self }
        if case .structure = self, text != CredentialScrubber.replacement { return .structure(text) }
        return .text(text)
    }
}
