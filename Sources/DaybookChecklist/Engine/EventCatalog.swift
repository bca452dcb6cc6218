import DaybookBase
import DaybookTools

/// The definitions as a checklist needs them: events and their columns.
public struct EventCatalog: Sendable, Hashable {
    /// Each column's declared values, by column name; empty if it declares none.
    public typealias Columns = [String: [ChecklistValue]]

    /// The events by tag, each with its own columns.
    public var events: [String: Columns]
    /// The common columns.
    public var common: Columns
    /// Column types, including common columns, by event and name. Default: unknown.
    package var types: [String: [String: ColumnType]] = [:]
    /// The masking of displayed verdicts. Default: what looks like a credential.
    package var masking = MaskingPolicy()

    /// Creates a catalog.
    public init(events: [String: Columns], common: Columns = [:]) {
        self.events = events
        self.common = common
    }

    package struct ColumnType: Sendable, Hashable {
        package enum Kind: Sendable { case boolean, number, text }

        /// As written in definitions: `!bigint`.
        var name: String
        var kind: Kind

        package init(name: String, kind: Kind) { (self.name, self.kind) = (name, kind) }

        fileprivate func has(_ value: ChecklistValue) -> Bool {
            switch (kind, value) {
            case (.boolean, .boolean), (.number, .integer), (.number, .number), (.text, .text): true
            default: false
            }
        }
    }

    /// Columns that every record has without a definition.
    static let envelope: Set<String> = ["_session", "_installation", "_level"]

    /// An event's columns including the common ones; `nil` for an undefined event.
    func columns(of tag: String) -> Columns? {
        events[tag].map { $0.merging(common) { own, _ in own } }
    }

    /// The declared values of an event's column or a common one; `nil` if there is no such column.
    private func values(of column: String, in tag: String) -> [ChecklistValue]? {
        events[tag].flatMap { $0[column] ?? common[column] }
    }

    /// The declared values of a column of the events that a pattern matches, ordered by the first event (by name) that
    /// declares any.
    func declaredValues(of column: String, in pattern: TagPattern) -> [ChecklistValue] {
        var seen: Set<ChecklistValue> = []
        return events.keys.filter(pattern.matches).sorted().flatMap { tag in
            (values(of: column, in: tag) ?? []).filter { seen.insert($0).inserted }
        }
    }
}

extension Checklist {
    /// The most problems reported at once.
    private static let mostProblems = 200

    /// Problems with undefined events and columns in the checklist.
    ///
    /// - Parameter names: the scenarios to check; `nil` for all.
    public func problems(with catalog: EventCatalog, scenarios names: Set<String>? = nil) -> [ChecklistError.Problem] {
        let tags = DefinedTags(catalog)
        var problems: [ChecklistError.Problem] = []
        for item in scenarios.filter({ names?.contains($0.name) ?? true }).flatMap(\.items) {
            guard problems.count < Self.mostProblems else {
                problems.append(
                    ChecklistError.Problem(
                        location: item.location, message: "there are more than \(Self.mostProblems) problems",
                        hint: "the items from here on are not checked: mend the others first"))
                break
            }
            guard case .expectation(let expectation) = item.content else {
                problems += tags.subject(of: item.text).map { [item.isStep(about: $0)] } ?? []
                continue
            }
            problems +=
                expectation.problems(with: catalog, tests: item.tests, at: item.location)
                + item.mistypedNotes(with: catalog, of: expectation.pattern)
        }
        return problems
    }
}

extension ChecklistItem {
    func isStep(about tag: String) -> ChecklistError.Problem {
        ChecklistError.Problem(
            location: location, message: .init(.beginsWithEvent, ["event": .init(tag)]),
            hint: .init(.writeEvent, ["event": .init(tag)]))
    }
}

extension ChecklistExpectation {
    fileprivate func problems(
        with catalog: EventCatalog, tests: [ColumnTest], at location: SourceLocation
    ) -> [ChecklistError.Problem] {
        guard catalog.knows(pattern) else { return [catalog.unknown(pattern, at: location)] }
        var problems = (tests + selection).compactMap { catalog.problem(with: $0, of: pattern) }
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
                            location: clause.location,
                            message: .init(
                                .noValues, ["column": .init(column), "event": .init(pattern.description)]),
                            hint: .init(.listValues, ["column": .init(column)])))
                } else {
                    problems += (values ?? []).compactMap {
                        catalog.undeclared($0, of: column, in: pattern, at: clause.location)
                    }
                }
            case .until(let event), .after(let event), .before(let event):
                guard catalog.knows(event.pattern) else {
                    problems.append(catalog.unknown(event.pattern, at: clause.location))
                    continue
                }
                problems += event.filter.compactMap { catalog.problem(with: $0, of: event.pattern) }
            case .joining(let columns):
                problems += columns.compactMap { catalog.unknownColumn($0, of: pattern, at: clause.location) }
            case .when(let test):
                problems += test.wantedValues.compactMap {
                    catalog.undeclared(
                        $0, among: catalog.common[test.column] ?? [], of: test.column, at: test.location)
                }
            case .count, .within, .where: break
            }
        }
        return problems
    }
}

extension ColumnTest {
    fileprivate var wantedValues: [ChecklistValue] {
        switch condition {
        case .equal, .notEqual, .oneOf: comparedValues
        default: []
        }
    }
}

extension ChecklistItem {
    /// Notes that begin with a column's name, and so were probably meant as tests.
    fileprivate func mistypedNotes(with catalog: EventCatalog, of pattern: TagPattern) -> [ChecklistError.Problem] {
        guard let tag = pattern.onlyTag, let columns = catalog.columns(of: tag) else { return [] }
        return zip(notes, noteLocations).compactMap { note, location in
            let plain = ReadableText(note)
            let words = plain.text(plain.scalars.indices).drop { !$0.isLetter && $0 != "_" }
            let first = words.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
            // `Title is long` is a sentence; `Title: long` and `Article_id is 7` are not.
            let isWord = !first.contains("_") && !":：".contains(words.dropFirst(first.count).first ?? " ")
            let column =
                columns[String(first)] != nil
                ? String(first)
                : columns.keys.sorted().first { column in
                    !isWord && column.lowercased() == first.lowercased()
                }
            guard let location, let column else { return nil }
            return ChecklistError.Problem(
                location: location, message: .init(.untested, ["note": .init(note), "event": .init(tag)]),
                hint: .init(.writeTest, ["column": .init(column)]))
        }
    }
}

extension EventCatalog {
    /// Whether an event matches. The collector's own events need no definition.
    func knows(_ pattern: TagPattern) -> Bool {
        if OwnRecords.have(pattern.text) { return true }
        if let tag = pattern.onlyTag { return events[tag] != nil }
        return events.keys.contains(where: pattern.matches)
    }

    fileprivate func unknown(_ pattern: TagPattern, at location: SourceLocation) -> ChecklistError.Problem {
        let near = pattern.onlyTag.flatMap { NearestName.of($0, among: events.keys.sorted()) }
        return ChecklistError.Problem(
            location: location,
            message: .init(pattern.onlyTag == nil ? .noMatch : .noEvent, ["event": .init(pattern.description)]),
            hint: .didYouMean(near))
    }

    /// A test of a missing column, or against a value that it never has.
    fileprivate func problem(with test: ColumnTest, of pattern: TagPattern) -> ChecklistError.Problem? {
        if let problem = unknownColumn(test.column, of: pattern, at: test.location) { return problem }
        if let type = mistaken(in: test, of: pattern) {
            return ChecklistError.Problem(
                location: test.location,
                message: .init(
                    .mistyped,
                    ["test": .init(test.text), "column": .init(test.column), "type": .init(type.name)]),
                hint: .init(.quoteTexts))
        }
        for value in test.wantedValues {
            if let problem = undeclared(value, of: test.column, in: pattern, at: test.location) { return problem }
        }
        return nil
    }

    /// The type of a test's column, if no compared value has it, nor the type of this column in another matching event.
    private func mistaken(in test: ColumnTest, of pattern: TagPattern) -> ColumnType? {
        guard !test.comparedValues.isEmpty else { return nil }
        var mistaken: ColumnType?
        for tag in events.keys.filter(pattern.matches).sorted() where values(of: test.column, in: tag) != nil {
            guard let type = types[tag]?[test.column], !test.comparedValues.contains(where: type.has) else {
                return nil
            }
            mistaken = mistaken ?? type
        }
        return mistaken
    }

    /// A value that the column's definition does not declare; only if every event with the column declares values.
    fileprivate func undeclared(
        _ value: ChecklistValue, of column: String, in pattern: TagPattern, at location: SourceLocation
    ) -> ChecklistError.Problem? {
        var declared: [ChecklistValue] = []
        for tag in events.keys where pattern.matches(tag) {
            guard let values = values(of: column, in: tag) else { continue }
            // A column without a list accepts anything.
            if values.isEmpty { return nil }
            declared += values
        }
        return undeclared(value, among: declared, of: column, in: pattern, at: location)
    }

    /// An undeclared value; only if any are declared.
    /// - Parameter pattern: The column's events; `nil` for a common column.
    fileprivate func undeclared(
        _ value: ChecklistValue, among declared: [ChecklistValue], of column: String, in pattern: TagPattern? = nil,
        at location: SourceLocation
    ) -> ChecklistError.Problem? {
        // Definitions write all values as text.
        let names = Set(declared.map(\.plainText)).sorted()
        guard !names.isEmpty, !names.contains(value.plainText) else { return nil }
        var arguments = ["column": Reason.Argument(column), "value": .init(value.description)]
        if let pattern { arguments["event"] = .init(pattern.description) }
        return ChecklistError.Problem(
            location: location, message: .init(pattern == nil ? .undeclaredCommon : .undeclared, arguments),
            hint: .didYouMean(NearestName.of(value.plainText, among: names))
                ?? .init(.oneOf, ["values": .init(names: names)]))
    }

    /// A column that none of a pattern's events has.
    fileprivate func unknownColumn(
        _ column: String, of pattern: TagPattern, at location: SourceLocation
    ) -> ChecklistError.Problem? {
        if Self.envelope.contains(column) || OwnRecords.have(pattern.text) { return nil }
        let having = events.filter { pattern.matches($0.key) }
        guard common[column] == nil, !having.values.contains(where: { $0[column] != nil }) else { return nil }
        let known = having.values.reduce(into: Set(common.keys)) { $0.formUnion($1.keys) }
        return ChecklistError.Problem(
            location: location,
            message: .init(.noColumn, ["event": .init(pattern.description), "column": .init(column)]),
            hint: .didYouMean(NearestName.of(column, among: known.sorted())))
    }
}
