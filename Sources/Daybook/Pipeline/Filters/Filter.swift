/// Changes, splits or drops records before anything of them reaches a disk.
///
/// The general kind of filter: it sees the whole record, so every record it applies to is built first. What only adds
/// attributes is an ``Enrichment``; what only lets records pass or not is a ``Gate``: both keep the fast path.
///
/// Called on the logging thread: it must be quick and must not wait. What it logs itself is dropped and reported.
public protocol Filter: Sendable {
    /// Calls `emit` for each record that takes the place of `record`: never to drop it, once to keep or change it, more
    /// often to split it.
    /// - Parameters:
    ///   - record: The record.
    ///   - captured: What the pattern's wildcard stands for in the record's tag; `nil` if the pattern has none.
    ///   - emit: Takes what replaces the record.
    func filter(_ record: Record, captured: Substring?, emit: (Record) -> Void)
}

/// Adds attributes to records, straight into the journal.
///
/// Called on the logging thread within the journal's lock: it must not log, lock or wait.
public protocol Enrichment: Sendable {
    /// Writes the attributes to add.
    func encode(into fields: inout FieldEncoder)
}

/// Lets records pass or not, by what is known without building them.
///
/// Called on the logging thread, before the record costs anything: it must be quick and must not wait. All gates of a tag
/// that stand before a rewriting filter are asked first, in order. What it logs itself is dropped and reported.
public protocol Gate: Sendable {
    /// Whether a record passes, and for how many it stands.
    func verdict(tag: String, level: Level) -> GateVerdict

    /// Whether the verdict depends on how often it was asked for. The other gates are asked when a span begins, too, for
    /// the case that it never ends. Default: no.
    var isCounting: Bool { get }
}

extension Gate {
    public var isCounting: Bool { false }
}

/// What a gate says of a record.
public enum GateVerdict: Sendable, Hashable {
    /// It passes. `weight` records like it were logged for each that passes; 1 unless it was sampled.
    case pass(weight: Double)
    /// It is dropped, and counted with the gate's reason.
    case drop

    /// It passes for itself alone.
    public static let pass = GateVerdict.pass(weight: 1)
}
