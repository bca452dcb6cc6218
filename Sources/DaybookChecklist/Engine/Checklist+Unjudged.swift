extension Checklist {
    /// What the engine of this version understands but cannot judge yet, in the named scenarios.
    ///
    /// A run refuses a checklist with any of these: an item that is not judged must not look fulfilled.
    func unjudged(scenarios names: Set<String>) -> [ChecklistError.Problem] {
        var problems: [ChecklistError.Problem] = []
        for scenario in scenarios where names.contains(scenario.name) {
            for item in scenario.items {
                guard case .expectation(let expectation) = item.content else { continue }
                problems += expectation.unjudgedClauses
                problems += (item.tests + expectation.allTests).compactMap(\.unjudged)
                if item.numberedList != nil, scenario.items.count(where: { item.isOrdered(with: $0) }) > 1,
                    let problem = expectation.unjudgedInOrder(at: item.location)
                {
                    problems.append(problem)
                }
            }
        }
        return problems
    }
}

extension ChecklistItem {
    /// Whether both are judged items of one numbered list, or the same one.
    func isOrdered(with other: ChecklistItem) -> Bool {
        guard numberedList != nil, numberedList == other.numberedList else { return false }
        return other.content != .manual && content != .manual
    }
}

extension ChecklistExpectation {
    /// The tests of all clauses.
    var allTests: [ColumnTest] {
        clauses.flatMap { clause -> [ColumnTest] in
            switch clause.meaning {
            case .where(let tests): tests
            case .when(let test): [test]
            case .until(let event), .after(let event), .before(let event): event.filter
            default: []
            }
        }
    }

    fileprivate var unjudgedClauses: [ChecklistError.Problem] {
        clauses.compactMap { clause in
            switch clause.meaning {
            case .when:
                return clause.unjudged("`when`")
            case .each(let column, nil):
                return clause.unjudged("`each` without a list of values", hint: "list them: each \(column) in (…)")
            case .each where self.clause("per") != nil || self.clause("until") != nil:
                return clause.unjudged("`each` with `per` or `until`")
            case .before where isNever && self.clause("after") != nil:
                return clause.unjudged("`never` with `after` and `before` at once")
            case .within where isNever, .joining where isNever:
                return clause.unjudged("`\(clause.keyword)` of a `never` item")
            default: return nil
            }
        }
    }

    /// Order is judged of items that are fulfilled at one record and stay so.
    fileprivate func unjudgedInOrder(at location: ChecklistLocation) -> ChecklistError.Problem? {
        if isNever {
            return .unjudged(location, "`never` in a numbered list", hint: "begin the item with `-`")
        }
        let clause = clauses.first { clause in
            switch clause.meaning {
            case .count(.exactly), .count(.atMost), .per, .each, .until: true
            default: false
            }
        }
        return clause?.unjudged("`\(clause?.keyword ?? "")` in a numbered list", hint: "begin the item with `-`")
    }
}

extension ColumnTest {
    fileprivate var unjudged: ChecklistError.Problem? {
        guard case .matches = condition else { return nil }
        return .unjudged(location, "`matches`")
    }
}

extension ChecklistExpectation.Clause {
    fileprivate func unjudged(_ what: String, hint: String? = nil) -> ChecklistError.Problem {
        .unjudged(location, what, hint: hint)
    }
}

extension ChecklistError.Problem {
    fileprivate static func unjudged(
        _ location: ChecklistLocation, _ what: String, hint: String? = nil
    ) -> ChecklistError.Problem {
        ChecklistError.Problem(location: location, message: "\(what) is not judged by this version", hint: hint)
    }
}
