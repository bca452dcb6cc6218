import DaybookBase

/// What the team's definitions say, as far as a checklist needs it: which events exist, and their columns.
public struct EventCatalog: Sendable, Hashable {
    /// The values that the definition of each column declares, by the column's name; empty where it declares none.
    public typealias Columns = [String: [ChecklistValue]]

    /// The events by their tags, each with its own columns.
    public var events: [String: Columns]
    /// The columns of every event.
    public var common: Columns

    /// A catalog.
    public init(events: [String: Columns], common: Columns = [:]) {
        self.events = events
        self.common = common
    }

    /// Columns that every record has without a definition.
    static let envelope: Set<String> = ["_session", "_installation", "_level"]

    /// The columns of an event and the common ones; `nil` for an event that is not defined.
    func columns(of tag: String) -> Columns? {
        events[tag].map { $0.merging(common) { own, _ in own } }
    }

    /// The values that are declared for a column of the events that a pattern matches, in the order of the first event
    /// (by name) that declares any; empty for none.
    func declaredValues(of column: String, in pattern: TagPattern) -> [ChecklistValue] {
        var result: [ChecklistValue] = []
        for tag in events.keys.sorted() where pattern.matches(tag) {
            for value in columns(of: tag)?[column] ?? [] where !result.contains(value) { result.append(value) }
        }
        return result
    }
}

extension Checklist {
    /// What the checklist says of events and columns that the definitions do not know; empty if all are known.
    ///
    /// - Parameter names: the scenarios that are looked at; `nil` for all.
    public func problems(with catalog: EventCatalog, scenarios names: Set<String>? = nil) -> [ChecklistError.Problem] {
        scenarios.filter { names?.contains($0.name) ?? true }.flatMap(\.items).flatMap { item in
            guard case .expectation(let expectation) = item.content else { return [ChecklistError.Problem]() }
            return expectation.problems(with: catalog, tests: item.tests, at: item.location)
                + item.mistypedNotes(with: catalog, of: expectation.pattern)
        }
    }
}

extension ChecklistExpectation {
    fileprivate func problems(
        with catalog: EventCatalog, tests: [ColumnTest], at location: ChecklistLocation
    ) -> [ChecklistError.Problem] {
        guard catalog.knows(pattern) else { return [catalog.unknown(pattern, at: location)] }
        var problems = (tests + selection).compactMap { catalog.unknownColumn($0.column, of: pattern, at: $0.location) }
        for clause in clauses {
            switch clause.meaning {
            case .per(let columns):
                problems += columns.compactMap { catalog.unknownColumn($0, of: pattern, at: clause.location) }
            case .each(let column, let values):
                if let problem = catalog.unknownColumn(column, of: pattern, at: clause.location) {
                    problems.append(problem)
                } else if values == nil, catalog.declaredValues(of: column, in: pattern).isEmpty {
                    problems.append(
                        ChecklistError.Problem(
                            location: clause.location, message: "no values are declared for `\(column)` of \(pattern)",
                            hint: "list them: each \(column) in (…)"))
                }
            case .until(let event), .after(let event), .before(let event):
                guard catalog.knows(event.pattern) else {
                    problems.append(catalog.unknown(event.pattern, at: clause.location))
                    continue
                }
                problems += event.filter.compactMap {
                    catalog.unknownColumn($0.column, of: event.pattern, at: $0.location)
                }
            case .joining(let columns):
                problems += columns.compactMap { catalog.unknownColumn($0, of: pattern, at: clause.location) }
            case .count, .within, .where, .when: break
            }
        }
        return problems
    }
}

extension ChecklistItem {
    /// Notes that begin with the name of a column, and so were meant to be tests.
    fileprivate func mistypedNotes(with catalog: EventCatalog, of pattern: TagPattern) -> [ChecklistError.Problem] {
        guard let tag = pattern.onlyTag, let columns = catalog.columns(of: tag) else { return [] }
        return zip(notes, noteLocations).compactMap { note, location in
            let first = note.prefix { !$0.isWhitespace }.filter { $0 != "`" }
            guard let location, columns[String(first)] != nil else { return nil }
            return ChecklistError.Problem(
                location: location, message: "`\(note)` begins with a column of \(tag), but is no test",
                hint: "write a test such as `\(first) exists`, or begin the note with another word")
        }
    }
}

extension EventCatalog {
    /// Whether some event matches.
    func knows(_ pattern: TagPattern) -> Bool {
        if let tag = pattern.onlyTag { return events[tag] != nil }
        return events.keys.contains(where: pattern.matches)
    }

    fileprivate func unknown(_ pattern: TagPattern, at location: ChecklistLocation) -> ChecklistError.Problem {
        let near = pattern.onlyTag.flatMap { NearestName.of($0, among: events.keys.sorted()) }
        return ChecklistError.Problem(
            location: location,
            message: pattern.onlyTag == nil
                ? "no defined event matches `\(pattern)`" : "no event `\(pattern)` is defined",
            hint: near.map { "did you mean `\($0)`?" })
    }

    /// A column that none of a pattern's events has.
    fileprivate func unknownColumn(
        _ column: String, of pattern: TagPattern, at location: ChecklistLocation
    ) -> ChecklistError.Problem? {
        if Self.envelope.contains(column) { return nil }
        var known: Set<String> = Set(common.keys)
        for (tag, columns) in events where pattern.matches(tag) { known.formUnion(columns.keys) }
        guard !known.contains(column) else { return nil }
        return ChecklistError.Problem(
            location: location, message: "`\(pattern)` has no column `\(column)`",
            hint: NearestName.of(column, among: known.sorted()).map { "did you mean `\($0)`?" })
    }
}
