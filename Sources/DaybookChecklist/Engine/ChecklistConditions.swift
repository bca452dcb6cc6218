import DaybookBase
import DaybookTools

extension Checklist {
    /// - Throws: the names that no scenario has.
    package func checkNames(of names: [String]) throws(ChecklistError) {
        let known = scenarios.map(\.name)
        let unknown = names.filter { !known.contains($0) }
        guard !unknown.isEmpty else { return }
        throw ChecklistError(
            problems: unknown.map { name in
                ChecklistError.Problem(
                    location: ChecklistLocation(file: file, line: 1, column: 1),
                    message: "no scenario is called `\(name)`",
                    hint: NearestName.of(name, among: known).map { "did you mean `\($0)`?" }
                        ?? "there are: \(known.joined(separator: ", "))")
            })
    }

    /// Why items of some scenarios cannot be judged, in the order of the file; empty if all can.
    /// - Parameter names: empty for all scenarios.
    func problems(
        judging names: [String], as persona: PersonaTable.Persona?, with catalog: EventCatalog?
    ) -> [ChecklistError.Problem] {
        let chosen = Set(names.isEmpty ? scenarios.map(\.name) : names)
        var problems = unanswered(in: chosen, persona: persona, hasCatalog: catalog != nil)
        if let catalog { problems += self.problems(with: catalog, scenarios: chosen) }
        return problems.sorted {
            ($0.location.line, $0.location.column) < ($1.location.line, $1.location.column)
        }
    }

    /// The checklist with only the items about one of some events, by pattern or by name; manual steps and scenarios
    /// without such an item are left out.
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

    /// What the items of the named scenarios ask that nobody has answered: a `when` about a column that the persona does
    /// not have, an `each` whose values nobody declares. An item that is not judged must not look fulfilled.
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

    /// Why a value that a persona is given beside the table concerns nothing here; `nil` where it may.
    /// - Returns: the reason, and the column or the value that was probably meant.
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
        // A number or a version is no misspelling of another.
        let isWord = !value.description.contains(where: \.isNumber)
        let meant = isWord ? NearestName.of(value.description, among: known.map(\.description)) : nil
        guard !known.isEmpty, !known.contains(where: { $0.equals(value) }), isListed || meant != nil else { return nil }
        return ("no persona and no `when` has \(value) as `\(column)`", meant)
    }

    /// Whether the persona says something of a column; an empty cell of the table says that there is nothing.
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
    /// Why the item does not concern a persona; `nil` where it does.
    func absence(for persona: PersonaTable.Persona?) -> Reason? {
        for case .when(let test) in clauses.map(\.meaning) {
            let value = persona?.values[test.column]
            if !test.holds(for: value) { return Reason([.init(.notApplicable)] + test.explanation(of: value)) }
        }
        return nil
    }
}
