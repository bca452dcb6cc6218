/// Changes, splits or drops records before any part of them reaches a disk.
///
/// The general kind of filter: it sees the whole record, so every record it applies to is built first. For only adding
/// attributes use an ``Enrichment``; for only passing or dropping records, a ``Gate``. Both keep the fast path.
///
/// Called on the logging thread: it must be quick and must not wait. What it logs itself is dropped and reported.
public protocol Filter: Sendable {
    /// Calls `emit` for each record that replaces `record`: never to drop it, once to keep or change it, more than once
    /// to split it.
    /// - Parameters:
    ///   - record: The record.
    ///   - captured: What the pattern's wildcard matched in the record's tag, empty if `a.**` matched `a` itself; `nil`
    ///     if the pattern has none.
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

/// Passes or drops records, by what is known without building them.
///
/// Called on the logging thread, before the record costs anything: it must be quick and must not wait. The gates that
/// come before a tag's first rewriting filter are called first, in order. What it logs itself is dropped and reported.
public protocol Gate: Sendable {
    /// Whether a record passes, and how many records it represents.
    func decide(tag: String, level: Level) -> GateDecision

    /// Whether the decision depends on how often it is called. Other gates are also called when a span begins, in case
    /// it never ends. Default: no.
    var isCounting: Bool { get }
}

extension Gate {
    public var isCounting: Bool { false }
}

/// A gate's decision on a record.
public enum GateDecision: Sendable, Hashable {
    /// It passes and represents `weight` logged records like it; 1 unless it was sampled.
    case pass(weight: Double)
    /// It is dropped, and counted with the gate's reason.
    case drop

    /// It passes and represents only itself.
    public static let pass = GateDecision.pass(weight: 1)
}

/// A filter of any kind, and the tags that it applies to; a pipeline consists of these and routes.
public protocol FilterStage: Sendable {
    /// The tags; see `TagPattern`.
    var pattern: String { get }
    /// What it does.
    var action: FilterAction { get }
}

/// What a filter does, by kind.
public enum FilterAction: Sendable {
    /// Adds attributes; keeps the fast path.
    case enrich(any Enrichment)
    /// Passes or drops records; keeps the fast path.
    case gate(any Gate)
    /// Changes, splits or drops whole records.
    case rewrite(any Filter)
}

/// Your own filter, of any kind, for the tags of a pattern: `Filtered("feed.**", by: MyFilter())`.
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

/// The filters that apply to a tag, compiled: as much of them as keeps the fast path, and where the rest begins.
///
/// Up to the first filter that may change a record's tag, drop it or split it, every gate can be asked before anything
/// is encoded, since none of what comes between changes what gates see. A class, so that a log call can borrow it.
final class FilterChain: Sendable {
    enum Step: Sendable {
        case enrichment(any Enrichment)
        case screen(any Screen)
    }

    /// In order; asked before anything is encoded.
    let gates: [any Gate]
    /// Those of the gates that are asked for the start of a span.
    private let startGates: [any Gate]
    /// What is done to a record that passes, in order.
    let steps: [Step]
    /// Those of the steps that add attributes.
    private let enrichments: [any Enrichment]
    /// What must find nothing for a record to be stored as it was encoded.
    let screens: [any Screen]
    /// Where in the table's filters the slow path goes on; `nil` if there is nothing left to do.
    let rewriteFrom: Int?

    /// The chain of these filters of a table.
    init(_ indices: [Int], of filters: [RoutingTable.CompiledFilter]) {
        var gates: [any Gate] = []
        var steps: [Step] = []
        var enrichments: [any Enrichment] = []
        var screens: [any Screen] = []
        var rewriteFrom: Int?
        for index in indices where rewriteFrom == nil {
            switch filters[index].action {
            case .gate(let gate): gates.append(gate)
            case .enrich(let enrichment):
                steps.append(.enrichment(enrichment))
                enrichments.append(enrichment)
            case .rewrite(let filter):
                if let screen = filter as? any Screen {
                    steps.append(.screen(screen))
                    screens.append(screen)
                } else {
                    rewriteFrom = index
                }
            }
        }
        (self.gates, self.steps, self.rewriteFrom) = (gates, steps, rewriteFrom)
        startGates = gates.filter { !$0.isCounting }
        (self.enrichments, self.screens) = (enrichments, screens)
    }

    /// A chain that leaves everything to the slow path, which matches the patterns itself.
    init(rewriteFrom: Int) {
        (gates, startGates, steps, enrichments, screens) = ([], [], [], [], [])
        self.rewriteFrom = rewriteFrom
    }

    /// The product of the gates' weights, or `nil` if one of them drops the record.
    func weight(tag: String, level: Level) -> Double? { Self.weight(by: gates, tag: tag, level: level) }

    /// The same for the start of a span.
    func startWeight(tag: String, level: Level) -> Double? { Self.weight(by: startGates, tag: tag, level: level) }

    private static func weight(by gates: [any Gate], tag: String, level: Level) -> Double? {
        // By pointer: a copy of each gate would count references for each record.
        gates.withUnsafeBufferPointer { gates in
            var product = 1.0
            for index in gates.indices {
                guard case .pass(let weight) = gates[index].decide(tag: tag, level: level) else { return nil }
                product *= weight
            }
            return product
        }
    }

    /// Whether it does nothing to an admitted record but to add attributes.
    var onlyAdds: Bool { rewriteFrom == nil && screens.isEmpty }

    /// Writes what the chain adds behind the record's own attributes.
    func encode(weight: Double, into fields: inout FieldEncoder) {
        if weight != 1 { fields.add(WireName.sampleWeight, weight) }
        guard !enrichments.isEmpty else { return }
        enrichments.withUnsafeBufferPointer { enrichments in
            CallScope.encoding.run { for index in enrichments.indices { enrichments[index].encode(into: &fields) } }
        }
    }

    /// Whether every screen leaves these bytes as they are.
    func leaves(_ payload: UnsafeRawBufferPointer, isSpan: Bool) -> Bool {
        screens.allSatisfy { $0.leaves(payload, isSpan: isSpan) }
    }

    /// The same for a record that has been built; the gates have been asked.
    func apply(to record: inout Record, weight: Double, key: HashKey) {
        if weight != 1 { record.multiplyWeight(by: weight) }
        for step in steps {
            switch step {
            case .enrichment(let enrichment):
                record.attributes.elements += enrichment.attributes(key: key).elements
            case .screen(let screen): record = screen.screened(record)
            }
        }
    }
}

extension Record {
    /// Notes that the record stands for more: sampled twice, it stands for the product.
    mutating func multiplyWeight(by weight: Double) {
        let name = WireName.sampleWeight.description
        var product = weight
        if case .double(let before) = attributes[name] { product *= before }
        attributes[name] = Value(product)
    }
}
