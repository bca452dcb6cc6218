import DaybookBase
import DaybookTools

extension Checklist {
    /// - Throws: for unknown scenario names.
    package func checkNames(of names: [String]) throws(ChecklistError) {
        let known = scenarios.map(\.name)
        let unknown = names.filter { !known.contains($0) }
        guard !unknown.isEmpty else { return }
        throw ChecklistError(
            problems: unknown.map { name in
                ChecklistError.Problem(
                    location: SourceLocation(file: file, line: 1, column: 1),
                    message: "no scenario is called `\(name)`",
                    hint: NearestName.of(name, among: known).map { "did you mean `\($0)`?" }
                        ?? "there are: \(known.joined(separator: ", "))")
            })
    }

    /// Why items of some scenarios cannot be judged, in file order.
    /// - Parameter names: empty for all scenarios.
    func problems(
        judging names: [String], as persona: PersonaTable.Persona?, with catalog: EventCatalog?
    ) -> [ChecklistError.Problem] {
        let chosen = Set(names.isEmpty ? scenarios.map(\.name) : names)
        var problems = unanswered(in: chosen, persona: persona, hasCatalog: catalog != nil)
        if let catalog { problems += self.problems(with: catalog, scenarios: chosen) }
        return problems.sorted {
            ($0.diagnostic.location.line, $0.diagnostic.location.column) < (
                $1.diagnostic.location.line, $1.diagnostic.location.column
            )
        }
    }

    /// The checklist reduced to items about the given events, by pattern or name; manual steps and scenarios without
    /// such an item are left out.
    public func concerning(_ tags: Set<String>) -> Checklist {
        var result = self
        for index in result.scenarios.indices {
            result.scenarios[index].items.removeAll { item in
                guard case .expectation(let expectation) = item.content else { return true }
                return !expectation.patterns.contains { pattern in tags.contains(where: pattern.matches) }
            }
        }
        result.scenarios.removeAll { $0.items.isEmpty }
        return result
    }

    /// Questions that nothing answers in the named scenarios: a `when` about a column the persona lacks, or an `each`
    /// without declared values. An unjudged item must not look fulfilled.
    package func unanswered(
        in names: Set<String>, persona: PersonaTable.Persona?, hasCatalog: Bool
    ) -> [ChecklistError.Problem] {
        var problems: [ChecklistError.Problem] = []
        for item in scenarios.filter({ names.contains($0.name) }).flatMap(\.items) {
            guard case .expectation(let expectation) = item.content else { continue }
            for clause in expectation.clauses {
                switch clause.meaning {
                case .when(let test) where !isKnown(test.column, of: persona):
                    problems.append(unknown(test, persona: persona))
                case .each(let column, nil) where !hasCatalog:
                    problems.append(
                        ChecklistError.Problem(
                            location: clause.location,
                            message: .init(.needsDefinitions, ["column": .init(column)]),
                            hint: .init(.listValues, ["column": .init(column)])))
                default: break
                }
            }
        }
        return problems
    }

    /// Why a persona value given outside the table affects nothing, if so.
    /// - Returns: the reason, and the column or value that was probably meant.
    package func doubt(about column: String, _ value: ChecklistValue) -> (reason: String, meant: String?)? {
        var (columns, known) = (personas?.columns ?? [], personas?.personas.compactMap { $0.values[column] } ?? [])
        var isListed = true
        for case .expectation(let expectation) in scenarios.flatMap(\.items).map(\.content) {
            guard case .when(let test)? = expectation.clause("when")?.meaning else { continue }
            columns.append(test.column)
            guard test.column == column else { continue }
            switch test.condition {
            case .equal(let value): known.append(value)
            case .oneOf(let values): known += values
            case .notEqual(let value):
                known.append(value)
                isListed = false
            default: isListed = false
            }
        }
        guard columns.contains(column) else {
            return ("no persona and no `when` has a column `\(column)`", NearestName.of(column, among: columns))
        }
        // Numbers and versions are not misspellings of each other.
        let isWord = !value.description.contains(where: \.isNumber)
        let meant = isWord ? NearestName.of(value.description, among: known.map(\.description)) : nil
        guard !known.isEmpty, !known.contains(where: { $0.equals(value) }), isListed || meant != nil else { return nil }
        return ("no persona and no `when` has \(value) as `\(column)`", meant)
    }

    /// Whether the persona defines a column; an empty table cell counts as a definition.
    private func isKnown(_ column: String, of persona: PersonaTable.Persona?) -> Bool {
        guard let persona else { return false }
        return persona.values[column] != nil
            || personas.map { $0[persona.name] != nil && $0.columns.contains(column) } ?? false
    }

    private func unknown(_ test: ColumnTest, persona: PersonaTable.Persona?) -> ChecklistError.Problem {
        let rows = personas?.personas.map(\.name) ?? []
        let column = Reason.Argument(test.column)
        let message: Reason.Phrase
        let hint: Reason.Phrase
        if let persona {
            message = .init(.unanswered, ["column": column, "persona": .init(persona.name)])
            hint =
                .didYouMean(NearestName.of(test.column, among: personas?.columns ?? []))
                ?? .init(.giveValue, ["column": column])
        } else {
            message = .init(.needsPersona)
            hint =
                rows.isEmpty
                ? .init(.sayValue, ["column": column])
                : .init(.choosePersona, ["personas": .init(names: rows)])
        }
        return ChecklistError.Problem(location: test.location, message: message, hint: hint)
    }
}

extension ChecklistExpectation {
    /// Why the item does not apply to a persona, if so.
    func absence(for persona: PersonaTable.Persona?) -> Reason? {
        for case .when(let test) in clauses.map(\.meaning) {
            let value = persona?.values[test.column]
            if !test.holds(for: value) { return Reason([.init(.notApplicable)] + test.explanation(of: value)) }
        }
        return nil
    }
}
