import DaybookChecklist

extension AlertRule {
    /// What a watch says of events and columns that the definitions do not know; such an item fires for ever. Empty for a
    /// statement, which is the store's to judge.
    package func problems(with catalog: EventCatalog) -> [AlertProblem] {
        guard case .watch(var checklist, _) = question else { return [] }
        for index in checklist.scenarios.indices {
            checklist.scenarios[index].items.removeAll(where: \.isAboutTheCollector)
        }
        return checklist.problems(with: catalog).map { AlertProblem($0) }
    }
}

extension ChecklistItem {
    /// Nobody defines the collector's own events.
    fileprivate var isAboutTheCollector: Bool {
        guard case .expectation(let expectation) = content else { return false }
        return expectation.pattern.description.hasPrefix("daybook.")
    }
}

extension AlertProblem {
    /// What is wrong with an alert's checklist.
    init(_ problem: ChecklistError.Problem) {
        self.init(
            file: problem.location.file, line: problem.location.line, column: problem.location.column,
            message: problem.message + (problem.hint.map { " (\($0))" } ?? ""))
    }
}
