/// One thing that differs between two versions of definitions.
public struct DefinitionsChange: Sendable, Hashable {
    /// Who may have to act, or is hurt.
    public enum Audience: String, Sendable, Hashable, CaseIterable {
        /// Code that logs: it no longer compiles, or no longer means the same.
        case callers
        /// Tables: a column cannot hold the new values beside the old.
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
    /// The column that changed, or `nil`.
    public var column: String?
    /// As the definitions spell it; `nil` for what was not there.
    public var before: String?
    /// As the definitions spell it; `nil` for what is no longer there.
    public var after: String?
    /// Of something added, what it may have been called before; of something removed, what it may be called now. A
    /// column's name, or an event's tag. A guess, which changes nothing about whom it breaks.
    public var renamed: String?
    /// Whom it breaks, in the order of ``Audience``.
    public var breaks: [Audience]
    /// Whether the warehouse's tables or views have to follow: see ``SQLMigration``.
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
