import CThreads
import DaybookBase

/// Where a log call's record may go, decided before anything is encoded.
extension PipelineCore {
    /// Asks the routes and the gates for an event.
    @inline(__always)
    func admit(_ descriptor: EventDescriptor, _ table: RoutingTable) -> Passage? {
        guard table.takes(descriptor.level) else { return nil }
        return admit(descriptor.routing(in: table), tag: descriptor.tag, descriptor.level, table)
    }

    /// Asks the routes and the gates; `nil` for a record that goes nowhere, which has then cost neither clock nor encoding.
    /// The tag is a closure, so that a call whose tag nobody asks for counts no reference to it.
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

    /// Whether a log call may come from here. From within a filter, it would be filtered again without end; while a
    /// record is encoded, the journal waits for that one. Said once.
    @inline(never)
    private func isAllowed(in scope: CallScope) -> Bool {
        if scope.contains(.filter) { report("A filter logged while it was filtering; such records are dropped.") }
        if scope.contains(.encoding) {
            report("A LogEvent, a LogValue or an Enrichment logged while it was encoded; such records are dropped.")
        }
        return scope.isDisjoint(with: .filter.union(.encoding))
    }

    /// Whether any output takes the record; counts and reports tags that no route matches.
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

    /// Asks the gates that come before anything that could change what they see.
    @inline(never)
    private func askGates(
        of routing: Routing, _ tag: String, _ level: Level, _ table: RoutingTable
    ) -> Passage? {
        table.withChain(routing.chain) { chain in
            // A filter that rewrites may lead a record elsewhere: where it goes is asked behind it.
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

    /// Admits the start of a span, which not all outputs are interested in, and which nobody counts.
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

/// What has been decided of a record before it is encoded: where it goes, and by which filters. A trivial value, so that a
/// log call counts no references.
struct Passage {
    /// As the routing table gave it; `filtered` says that `chain` and `weight` have a meaning.
    let mask: RouteMask
    let chain: UInt8
    /// How many records it stands for.
    let weight: Double

    init(mask: RouteMask, chain: UInt8 = 0, weight: Double = 1) {
        self.mask = mask
        self.chain = chain
        self.weight = weight
    }
}

/// Which outputs and filters the current thread is inside of, and whether it is encoding, so that what they log themselves
/// cannot come back to them without end.
///
/// Kept in one word of the thread's own: no allocation, and nothing to clean up when a thread ends.
struct CallScope: BitSet {
    let rawValue: UInt32

    /// Within an output that is called on this thread.
    static func output(_ index: Int) -> CallScope { CallScope(rawValue: RouteMask(output: index).rawValue) }

    /// Within a filter.
    static let filter = CallScope(rawValue: RouteMask.filtered.rawValue)

    /// Within what a record is encoded by, under the journal's lock.
    static let encoding = CallScope(rawValue: 1 << 31)

    /// What this call is inside of: what its thread is, and on systems without executors for tasks, what its task is.
    @inline(__always)
    static var current: CallScope {
        let thread = CallScope(rawValue: daybook_scope())
        return daybook_tasks_carry_scope() ? thread.union(DeliveryScope.current) : thread
    }

    /// The outputs that are being called on this thread.
    var outputs: RouteMask { RouteMask(rawValue: rawValue).outputs }

    /// Runs `body` inside the scope.
    @inline(__always)
    func run<Result>(_ body: () -> Result) -> Result {
        let before = daybook_scope()
        daybook_set_scope(before | rawValue)
        defer { daybook_set_scope(before) }
        return body()
    }
}
