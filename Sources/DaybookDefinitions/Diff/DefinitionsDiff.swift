/// What changed between two versions of definitions, and whom it breaks.
public struct DefinitionsDiff: Sendable, Hashable {
    /// In the order of the definitions: the common columns, then each category by name, its events in their order.
    public private(set) var changes: [DefinitionsChange] = []

    /// Compares two sets of definitions that are free of errors.
    public init(from old: Definitions, to new: Definitions) {
        describe(old.commonDescription, new.commonDescription, of: "common")
        changes += ColumnDiff(subject: "common").changes(from: old.common, to: new.common)
        let before = Dictionary(old.categories.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let after = Dictionary(new.categories.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for name in Set(before.keys).union(after.keys).sorted() { compare(before[name], after[name], named: name) }
        hintRenames(from: old, to: new)
    }

    private mutating func hintRenames(from old: Definitions, to new: Definitions) {
        func events(_ definitions: Definitions, _ kind: DefinitionsChange.Kind) -> [(category: String, event: Event)] {
            let tags = Set(changes.filter { $0.kind == kind }.map(\.subject))
            return definitions.categories.flatMap { category in
                category.events.filter { tags.contains("\(category.name).\($0.name)") }
                    .map { (category: category.name, event: $0) }
            }
        }
        let (removed, added) = (events(old, .eventRemoved), events(new, .eventAdded))
        var names: [String: String] = [:]
        for pair in Renames.events(removed, added) {
            let (was, becomes) = (removed[pair.removed], added[pair.added])
            names["\(was.category).\(was.event.name)"] = "\(becomes.category).\(becomes.event.name)"
            names["\(becomes.category).\(becomes.event.name)"] = "\(was.category).\(was.event.name)"
        }
        for index in changes.indices where changes[index].kind == .eventRemoved || changes[index].kind == .eventAdded {
            changes[index].renamed = names[changes[index].subject]
        }
    }

    /// How many changes break an audience.
    public func count(breaking audience: DefinitionsChange.Audience) -> Int {
        changes.count { $0.breaks.contains(audience) }
    }

    private mutating func compare(_ old: Category?, _ new: Category?, named name: String) {
        if old == nil { changes.append(DefinitionsChange(.categoryAdded, of: name)) }
        if new == nil { changes.append(DefinitionsChange(.categoryRemoved, of: name)) }
        if let old, let new {
            describe(old.description, new.description, of: name)
            changes += ColumnDiff(subject: name).changes(from: old.columns, to: new.columns)
        }
        let events = old?.events ?? []
        for event in new?.events ?? [] {
            let tag = "\(name).\(event.name)"
            guard let was = events.first(where: { $0.name == event.name }) else {
                changes.append(DefinitionsChange(.eventAdded, of: tag, migrates: true))
                continue
            }
            compare(was, event, tag: tag)
        }
        let present = Set((new?.events ?? []).map(\.name))
        for event in events where !present.contains(event.name) {
            // Code cannot call an obsolete event, and no query expects it.
            let breaks: Set<DefinitionsChange.Audience> = event.isObsolete ? [] : [.callers, .consumers]
            changes.append(DefinitionsChange(.eventRemoved, of: "\(name).\(event.name)", breaks: breaks))
        }
    }

    private mutating func compare(_ old: Event, _ new: Event, tag: String) {
        if old.isObsolete != new.isObsolete {
            changes.append(
                DefinitionsChange(
                    .obsolete, of: tag, from: old.isObsolete ? "obsolete" : "in use",
                    to: new.isObsolete ? "obsolete" : "in use", breaks: new.isObsolete ? [.callers, .consumers] : []))
        }
        describe(old.description, new.description, of: tag)
        changes += ColumnDiff(subject: tag, isCalled: !old.isObsolete && !new.isObsolete)
            .changes(from: old.columns, to: new.columns)
    }

    private mutating func describe(_ old: String, _ new: String, of subject: String) {
        guard old != new else { return }
        changes.append(DefinitionsChange(.description, of: subject, from: old, to: new))
    }
}

/// One thing that differs between two versions of definitions.
public struct DefinitionsChange: Sendable, Hashable {
    /// Who may have to act, or is affected.
    public enum Audience: String, Sendable, Hashable, CaseIterable {
        /// Code that logs: it no longer compiles, or no longer means the same.
        case callers
        /// Tables: a column cannot hold both the new and the old values.
        case warehouse
        /// Queries, dashboards and checklists: what they read stops, changes its meaning, or may be missing.
        case consumers
    }

    /// What changed.
    public enum Kind: String, Sendable, Hashable {
        case categoryAdded = "category added"
        case categoryRemoved = "category removed"
        case eventAdded = "event added"
        case eventRemoved = "event removed"
        case columnAdded = "column added"
        case columnRemoved = "column removed"
        case columnsReordered = "columns reordered"
        case type
        case limit
        case optionality
        case obsolete
        case classification
        case valueAdded = "value added"
        case valueRemoved = "value removed"
        case description
    }

    public var kind: Kind
    /// `common`, a category, or an event's tag.
    public var subject: String
    /// The changed column, or `nil`.
    public var column: String?
    /// As written in the definitions; `nil` for something that did not exist.
    public var before: String?
    /// As written in the definitions; `nil` for something that no longer exists.
    public var after: String?
    /// For an addition, its possible former name; for a removal, its possible new one. A column's name, or an event's
    /// tag. A guess, which does not affect whom the change breaks.
    public var renamed: String?
    /// Whom it breaks, in the order of ``Audience``.
    public var breaks: [Audience]
    /// Whether the warehouse's tables or views must be changed too; see ``SQLMigration``.
    public var migrates: Bool

    init(
        _ kind: Kind, of subject: String, column: String? = nil, from before: String? = nil, to after: String? = nil,
        breaks: Set<Audience> = [], migrates: Bool = false
    ) {
        self.kind = kind
        self.subject = subject
        self.column = column
        self.before = before
        self.after = after
        self.breaks = Audience.allCases.filter(breaks.contains)
        self.migrates = migrates
    }
}
