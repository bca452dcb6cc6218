import CThreads
import DaybookBase

/// Where a log call's record may go, decided before anything is encoded.
extension PipelineCore {
    @inline(__always)
    func admit(_ descriptor: EventDescriptor, _ table: RoutingTable) -> Passage? {
        guard table.takes(descriptor.level) else { return nil }
        return admit(descriptor.routing(in: table), tag: descriptor.tag, descriptor.level, table)
    }

    /// Asks the routes and the gates; `nil` for a record that goes nowhere, before the clock is read or anything
    /// encoded. `tag` is a closure, so that an unused tag costs no reference counting.
    @inline(__always)
    func admit(
        _ routing: Routing, tag: @autoclosure () -> String, _ level: Level, _ table: RoutingTable
    ) -> Passage? {
        var mask = routing.mask
        let scope = CallScope.current
        if !scope.isEmpty {
            guard isAllowed(in: scope) else { return nil }
            mask.remove(scope.outputs)
        }
        if mask.contains(.filtered) {
            return askGates(of: Routing(mask: mask, chain: routing.chain), tag(), level, table)
        }
        return isRouted(mask, tag: tag()) ? Passage(mask: mask) : nil
    }

    /// Whether log calls are allowed here, reported once if not. In a filter they would recurse without end; during
    /// encoding the journal is locked.
    @inline(never)
    private func isAllowed(in scope: CallScope) -> Bool {
        if scope.contains(.filter) { report("A filter logged while it was filtering; such records are dropped.") }
        if scope.contains(.encoding) {
            report("A LogEvent, a LogValue or an Enrichment logged while it was encoded; such records are dropped.")
        }
        return scope.isDisjoint(with: .filter.union(.encoding))
    }

    /// Whether any output takes the record. Counts and reports unrouted tags.
    @inline(__always)
    func isRouted(_ mask: RouteMask, tag: @autoclosure () -> String) -> Bool {
        if !mask.outputs.isEmpty { return true }
        if mask.contains(.unrouted) { noteUnrouted(tag()) }
        return false
    }

    @inline(never)
    private func noteUnrouted(_ tag: String) {
        unroutedCount.add(1, ordering: .relaxed)
        report(
            "No route matches the tag \"\(tag)\": its records go nowhere. Add a Route for it, or Route(\"**\", to: …).")
    }

    @inline(never)
    private func askGates(
        of routing: Routing, _ tag: String, _ level: Level, _ table: RoutingTable
    ) -> Passage? {
        table.withChain(routing.chain) { chain in
            // A rewriting filter may change the tag, so routing is checked after it.
            if chain.rewriteFrom == nil {
                guard isRouted(routing.mask, tag: tag) else { return nil }
            }
            var weight: Double? = 1
            if !chain.gates.isEmpty {
                CallScope.filter.run { weight = chain.weight(tag: tag, level: level) }
            }
            guard let weight else {
                filteredCount.add(1, ordering: .relaxed)
                return nil
            }
            return Passage(mask: routing.mask, chain: routing.chain, weight: weight)
        }
    }

    /// Admits the start of a span: only for outputs that need it, without counting.
    func admitStart(_ routing: Routing, _ tag: String, _ level: Level, _ table: RoutingTable) -> Passage? {
        let scope = CallScope.current
        guard scope.isEmpty || isAllowed(in: scope) else { return nil }
        let mask = routing.mask.intersection(table.startOutputs).subtracting(scope.outputs)
        guard routing.mask.contains(.filtered) else { return mask.isEmpty ? nil : Passage(mask: mask) }
        return table.withChain(routing.chain) { chain in
            guard !mask.isEmpty || chain.rewriteFrom != nil else { return nil }
            var weight: Double?
            CallScope.filter.run { weight = chain.weight(tag: tag, level: level, isStart: true) }
            return weight.map { Passage(mask: mask.union(.filtered), chain: routing.chain, weight: $0) }
        }
    }
}

/// What was decided before encoding: outputs, filters and weight. Trivial, so that log calls count no references.
struct Passage {
    /// Without `filtered`, `chain` and `weight` mean nothing.
    let mask: RouteMask
    let chain: UInt8
    /// How many logged records it represents.
    let weight: Double

    init(mask: RouteMask, chain: UInt8 = 0, weight: Double = 1) {
        self.mask = mask
        self.chain = chain
        self.weight = weight
    }
}

/// What the current thread is running (outputs, filters, encoding), so that their own log calls do not recurse without
/// end.
///
/// One thread-local word: no allocation, no clean-up when a thread ends.
struct CallScope: BitSet {
    let rawValue: UInt32

    static func output(_ index: Int) -> CallScope { CallScope(rawValue: RouteMask(output: index).rawValue) }

    static let filter = CallScope(rawValue: RouteMask.filtered.rawValue)

    /// Encoding a record, under the journal's lock.
    static let encoding = CallScope(rawValue: 1 << 31)

    /// The thread's scope, with the task's where tasks carry one.
    @inline(__always)
    static var current: CallScope {
        let thread = CallScope(rawValue: daybook_scope())
        return daybook_tasks_carry_scope() ? thread.union(DeliveryScope.current) : thread
    }

    var outputs: RouteMask { RouteMask(rawValue: rawValue).outputs }

    @inline(__always)
    func run<Result>(_ body: () -> Result) -> Result {
        let before = daybook_scope()
        daybook_set_scope(before | rawValue)
        defer { daybook_set_scope(before) }
        return body()
    }
}
