import DaybookChecklist

/// How an item stands, those included that the engine does not judge.
struct ItemStanding: Sendable, Hashable {
    enum State: String, Sendable {
        case waiting, ok, failed, manual
        case notApplicable = "not_applicable"
        case notJudged = "not_judged"
    }

    var item: ChecklistItem
    var state: State
    /// Whether later records may still turn `ok` into `failed`.
    var isProvisional = false
    /// One line for `waiting`, `failed` and `notJudged`.
    var reason: String?
    /// Records that counted.
    var matches = 0
    /// The records that the verdict rests on.
    var evidence: [Evidence] = []

    init(item: ChecklistItem, state: State, reason: String? = nil) {
        self.item = item
        self.state = state
        self.reason = reason
    }

    init(_ verdict: ItemVerdict) {
        item = verdict.item
        state =
            switch verdict.status {
            case .waiting: .waiting
            case .ok: .ok
            case .failed: .failed
            case .manual: .manual
            case .notApplicable: .notApplicable
            }
        isProvisional = verdict.isProvisional
        reason = verdict.reason
        matches = verdict.matches
        evidence = verdict.evidence
    }

    /// The tags that the item speaks of, as a pattern; `nil` for a person's.
    var pattern: String? {
        if case .expectation(let expectation) = item.content { expectation.pattern.description } else { nil }
    }
}
