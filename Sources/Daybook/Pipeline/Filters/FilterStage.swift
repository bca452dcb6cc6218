/// A filter of any kind, and the tags it applies to: what stands in a pipeline beside its routes.
public protocol FilterStage: Sendable {
    /// The tags; see ``TagPattern``.
    var pattern: String { get }
    /// What it does.
    var action: FilterAction { get }
}

/// What a filter does, by kind.
public enum FilterAction: Sendable {
    /// Adds attributes; keeps the fast path.
    case enrich(any Enrichment)
    /// Lets records pass or not; keeps the fast path.
    case gate(any Gate)
    /// Anything else.
    case rewrite(any Filter)
}

/// One's own filter, of any kind, for the tags of a pattern: `Filtered("feed.**", by: MyFilter())`.
public struct Filtered: FilterStage {
    public let pattern: String
    public let action: FilterAction

    /// A filter that sees whole records.
    public init(_ pattern: String = "**", by filter: some Filter) {
        self.pattern = pattern
        action = .rewrite(filter)
    }

    /// A filter that only adds attributes.
    public init(_ pattern: String = "**", by enrichment: some Enrichment) {
        self.pattern = pattern
        action = .enrich(enrichment)
    }

    /// A filter that only lets records pass or not.
    public init(_ pattern: String = "**", by gate: some Gate) {
        self.pattern = pattern
        action = .gate(gate)
    }
}
