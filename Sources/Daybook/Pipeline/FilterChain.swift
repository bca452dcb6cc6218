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
                guard case .pass(let weight) = gates[index].verdict(tag: tag, level: level) else { return nil }
                product *= weight
            }
            return product
        }
    }

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
