/// Changes, splits or drops records before they reach the disk.
///
/// Sees whole records, which must be built first. An ``Enrichment``, which only adds attributes, and a ``Gate``, which
/// only passes or drops, are faster.
///
/// Called on the logging thread: it must be quick and not wait. What it logs is dropped and reported.
public protocol Filter: Sendable {
    /// Calls `emit` for each replacement of `record`: never to drop it, once to keep or change it, several times to
    /// split it.
    /// - Parameters:
    ///   - record: The record.
    ///   - captured: What the pattern's wildcard matched in the tag, empty if `a.**` matched `a` itself; `nil` without
    ///     a wildcard.
    ///   - emit: Takes each replacement.
    func filter(_ record: Record, captured: Substring?, emit: (Record) -> Void)
}

/// Adds attributes to records, directly in the journal.
///
/// Called on the logging thread, under the journal's lock: it must not log, lock or wait.
public protocol Enrichment: Sendable {
    /// Writes the attributes to add.
    func encode(into fields: inout FieldEncoder)
}

/// Passes or drops records by tag and level.
///
/// Called on the logging thread, before the record is encoded: it must be quick and not wait. Gates run in order, ahead
/// of the tag's first rewriting filter. What a gate logs is dropped and reported.
public protocol Gate: Sendable {
    /// Whether a record passes, and how many records it represents.
    func decide(tag: String, level: Level) -> GateDecision

    /// Whether the decision depends on the number of calls. Other gates are also called when a span begins, in case it
    /// never ends. Default: no.
    var isCounting: Bool { get }
}

extension Gate {
    public var isCounting: Bool { false }
}

public enum GateDecision: Sendable, Hashable {
    /// Passes and represents `weight` logged records; 1 unless sampled.
    case pass(weight: Double)
    /// Dropped, and counted with the gate's reason.
    case drop

    /// Passes and represents only itself.
    public static let pass = GateDecision.pass(weight: 1)
}

/// A filter of any kind with its tag pattern; a pipeline consists of these and routes.
public protocol FilterStage: Sendable {
    /// See `TagPattern`.
    var pattern: String { get }
    var action: FilterAction { get }
}

public enum FilterAction: Sendable {
    /// Adds attributes; fast.
    case enrich(any Enrichment)
    /// Passes or drops records; fast.
    case gate(any Gate)
    /// Changes, splits or drops whole records.
    case rewrite(any Filter)
}

/// Your own filter, of any kind, for a tag pattern: `Filtered("feed.**", by: MyFilter())`.
public struct Filtered: FilterStage {
    public let pattern: String
    public let action: FilterAction

    /// Uses a filter that sees whole records.
    ///
    /// ```swift
    /// struct WithoutDrafts: Filter {
    ///     func filter(_ record: Record, captured: Substring?, emit: (Record) -> Void) {
    ///         if record.attributes["draft"] == nil { emit(record) }
    ///     }
    /// }
    /// let pipeline = try Pipeline(directory: folder) {
    ///     Filtered("recipe.**", by: WithoutDrafts())
    ///     Route("**", to: ConsoleOutput())
    /// }
    /// ```
    public init(_ pattern: String = "**", by filter: some Filter) {
        self.pattern = pattern
        action = .rewrite(filter)
    }

    /// Uses a filter that only adds attributes.
    ///
    /// ```swift
    /// struct Uptime: Enrichment {
    ///     func encode(into fields: inout FieldEncoder) { fields.add("uptime", ProcessInfo.processInfo.systemUptime) }
    /// }
    /// let pipeline = try Pipeline(directory: folder) {
    ///     Filtered("app.**", by: Uptime())
    ///     Route("**", to: ConsoleOutput())
    /// }
    /// ```
    public init(_ pattern: String = "**", by enrichment: some Enrichment) {
        self.pattern = pattern
        action = .enrich(enrichment)
    }

    /// Uses a filter that only passes or drops records.
    ///
    /// ```swift
    /// struct OnlyWarnings: Gate {
    ///     func decide(tag: String, level: Level) -> GateDecision { level >= .warning ? .pass : .drop }
    /// }
    /// let pipeline = try Pipeline(directory: folder) {
    ///     Filtered("prefetch.**", by: OnlyWarnings())
    ///     Route("**", to: ConsoleOutput())
    /// }
    /// ```
    public init(_ pattern: String = "**", by gate: some Gate) {
        self.pattern = pattern
        action = .gate(gate)
    }
}

/// The compiled filters of a tag: the fast part, and where the slow path begins.
///
/// All gates up to the first rewriting filter run before encoding, since nothing before it changes what they see. A
/// class, so that a log call can borrow it.
final class FilterChain: Sendable {
    /// In order, run before encoding. The chain retains gates and enrichments.
    let gates: [Unmanaged<LentGate>]
    /// Enrichments and screens, in order, for records that pass.
    let steps: [FilterAction]
    private let enrichments: [Unmanaged<LentEnrichment>]
    /// If none of them finds anything, the record is stored as encoded.
    let screens: [any Screen]
    /// Index of the first filter on the slow path; `nil` for none.
    let rewriteFrom: Int?

    init(_ indices: [Int], of filters: [RoutingTable.CompiledFilter]) {
        var gates: [Unmanaged<LentGate>] = []
        var steps: [FilterAction] = []
        var enrichments: [Unmanaged<LentEnrichment>] = []
        var screens: [any Screen] = []
        var rewriteFrom: Int?
        for index in indices where rewriteFrom == nil {
            switch filters[index].action {
            case .gate(let gate): gates.append(.passRetained(LentGate(gate)))
            case .enrich(let enrichment):
                steps.append(filters[index].action)
                enrichments.append(.passRetained(LentEnrichment(enrichment)))
            case .rewrite(let filter):
                if let screen = filter as? any Screen {
                    steps.append(filters[index].action)
                    screens.append(screen)
                } else {
                    rewriteFrom = index
                }
            }
        }
        (self.gates, self.steps, self.rewriteFrom) = (gates, steps, rewriteFrom)
        (self.enrichments, self.screens) = (enrichments, screens)
    }

    /// A chain with only the slow path, which matches the patterns itself.
    init(rewriteFrom: Int) {
        (gates, steps, enrichments, screens) = ([], [], [], [])
        self.rewriteFrom = rewriteFrom
    }

    deinit {
        for gate in gates { gate.release() }
        for enrichment in enrichments { enrichment.release() }
    }

    /// The product of the gates' weights; `nil` if one drops the record. Counting gates are skipped at the start of a
    /// span.
    func weight(tag: String, level: Level, isStart: Bool = false) -> Double? {
        var product = 1.0
        for gate in gates {
            let decision = gate._withUnsafeGuaranteedRef {
                isStart && $0.gate.isCounting ? .pass : $0.gate.decide(tag: tag, level: level)
            }
            guard case .pass(let weight) = decision else { return nil }
            product *= weight
        }
        return product
    }

    var onlyAdds: Bool { rewriteFrom == nil && screens.isEmpty }

    /// Writes what the chain adds after the record's own attributes.
    func encode(weight: Double, into fields: inout FieldEncoder) {
        if weight != 1 { fields.add(WireName.sampleWeight, weight) }
        guard !enrichments.isEmpty else { return }
        CallScope.encoding.run {
            for enrichment in enrichments {
                enrichment._withUnsafeGuaranteedRef { $0.enrichment.encode(into: &fields) }
            }
        }
    }

    /// Whether no screen would change these bytes.
    func leaves(_ payload: UnsafeRawBufferPointer, isSpan: Bool) -> Bool {
        screens.allSatisfy { $0.leaves(payload, isSpan: isSpan) }
    }

    /// Applies the fast part to a decoded record that passed the gates.
    func apply(to record: inout Record, weight: Double, key: HashKey) {
        if weight != 1 { record.multiplyWeight(by: weight) }
        for step in steps {
            switch step {
            case .enrich(let enrichment):
                record.attributes.elements += enrichment.attributes(key: key).elements
            case .rewrite(let screen): screen.filter(record, captured: nil) { record = $0 }
            case .gate: break
            }
        }
    }
}

/// A gate behind a pointer: a call through an array of existentials would copy it and count references.
final class LentGate: Sendable {
    let gate: any Gate

    init(_ gate: any Gate) { self.gate = gate }
}

/// Same for an enrichment.
final class LentEnrichment: Sendable {
    let enrichment: any Enrichment

    init(_ enrichment: any Enrichment) { self.enrichment = enrichment }
}

extension Record {
    /// A record that is sampled twice has the product of both weights.
    mutating func multiplyWeight(by weight: Double) {
        let name = WireName.sampleWeight.description
        var product = weight
        if case .double(let before) = attributes[name] { product *= before }
        attributes[name] = Value(product)
    }
}
