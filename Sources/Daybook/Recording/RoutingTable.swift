import DaybookBase

/// Which outputs and filters a tag and level lead to. Immutable but for a cache; one per state of the switches.
final class RoutingTable: Sendable {
    struct CompiledRoute: Sendable {
        let pattern: TagPattern
        let output: Int
        /// As declared.
        let ownLevels: LevelSet
        /// As switched: none while the output is off.
        let levels: LevelSet
    }

    struct CompiledFilter: Sendable {
        let pattern: TagPattern
        let action: FilterAction
    }

    /// Unique in the process, so that answers of different tables are never confused. 0 is no table.
    let generation: UInt32
    let routes: [CompiledRoute]
    let filters: [CompiledFilter]
    private let filterChains: FilterChains
    /// One per bit. Those whose records are stored come first, since the journal knows only them.
    let outputs: [Route.Target]
    /// What changes an output's records on delivery, by the output's bit.
    let transforms: [RouteTransform?]
    /// Outputs called on the logging thread.
    let inlineOutputs: RouteMask
    let inline: InlineOutputs
    /// Outputs called soon, on the drain thread.
    let immediateOutputs: RouteMask
    let storedOutputs: RouteMask
    let batchOutputs: RouteMask
    /// Outputs that need the start of a span: those that get unfinished spans, and those that take starts.
    let startOutputs: RouteMask
    /// Below it no route takes anything; `UInt8.max` while every output is off.
    let minimumSeverity: UInt8

    private static let generations = Atomic<UInt32>(0)

    /// For tags without a descriptor.
    private let cache = TagCache()

    /// - Throws: ``PipelineError``.
    init(_ parts: [PipelineBuilder.Part]) throws {
        let routes = parts.compactMap { if case .route(let route) = $0 { route } else { nil } }
        let filters = try parts.compactMap { part -> CompiledFilter? in
            guard case .filter(let stage) = part else { return nil }
            return CompiledFilter(pattern: try Self.pattern(stage.pattern), action: stage.action)
        }
        let outputs = try Self.outputs(of: routes)
        generation = Self.nextGeneration()
        self.routes = try routes.map { route in
            CompiledRoute(
                pattern: try Self.pattern(route.pattern),
                output: outputs.firstIndex { $0.id == route.target.id } ?? 0, ownLevels: route.levels,
                levels: route.levels)
        }
        self.filters = filters
        filterChains = FilterChains(filters)
        self.outputs = outputs
        transforms = try outputs.map { output in
            RouteTransform(
                try routes.filter { $0.target.id == output.id }.compactMap { route in
                    guard let filter = route.transform else { return nil }
                    return (try Self.pattern(route.pattern), filter)
                })
        }
        minimumSeverity = Self.minimumSeverity(of: self.routes)
        inline = InlineOutputs(outputs, transforms)
        inlineOutputs = Self.mask(of: outputs) { if case .output(_, .inline) = $0 { true } else { false } }
        immediateOutputs = Self.mask(of: outputs) { if case .output(_, .immediate) = $0 { true } else { false } }
        storedOutputs = Self.mask(of: outputs, where: \.isStored)
        batchOutputs = storedOutputs.subtracting(immediateOutputs)
        startOutputs = batchOutputs.union(
            Self.mask(of: outputs) { if case .output(let output, _) = $0 { output.takesStarts } else { false } })
    }

    /// Each output once; those whose records are stored come first.
    private static func outputs(of routes: [Route]) throws -> [Route.Target] {
        var outputs: [Route.Target] = []
        for route in routes {
            guard let known = outputs.first(where: { $0.id == route.target.id }) else {
                outputs.append(route.target)
                continue
            }
            guard let object = route.target.object, object == known.object else {
                throw PipelineError.duplicateOutput(route.target.id)
            }
        }
        guard !outputs.isEmpty else { throw PipelineError.noRoute }
        guard outputs.count <= RouteMask.maximumOutputs else { throw PipelineError.tooManyOutputs }
        return outputs.filter(\.isStored) + outputs.filter { !$0.isStored }
    }

    private static func pattern(_ text: String) throws -> TagPattern {
        do throws(TagPattern.Problem) {
            return try TagPattern(text)
        } catch {
            throw PipelineError.badPattern(text, error)
        }
    }

    /// The same outputs, bits and filters, with other switches.
    init(_ other: RoutingTable, switches: [OutputSwitch]) {
        generation = Self.nextGeneration()
        routes = other.routes.map { route in
            CompiledRoute(
                pattern: route.pattern, output: route.output, ownLevels: route.ownLevels,
                levels: switches[route.output].levels(of: route.ownLevels))
        }
        filters = other.filters
        filterChains = other.filterChains
        outputs = other.outputs
        transforms = other.transforms
        minimumSeverity = Self.minimumSeverity(of: routes)
        inline = other.inline
        inlineOutputs = other.inlineOutputs
        immediateOutputs = other.immediateOutputs
        storedOutputs = other.storedOutputs
        batchOutputs = other.batchOutputs
        startOutputs = other.startOutputs
    }

    /// The ids of the outputs that the journal stores records for, by bit.
    var storedIDs: [String] { outputs.filter(\.isStored).map(\.id) }

    private static func nextGeneration() -> UInt32 {
        while true {
            let next = generations.add(1, ordering: .relaxed) & Routing.maximumGeneration
            if next != 0 { return next }
        }
    }

    private static func minimumSeverity(of routes: [CompiledRoute]) -> UInt8 {
        routes.compactMap { $0.levels.least?.rawValue }.min() ?? .max
    }

    private static func mask(of outputs: [Route.Target], where holds: (Route.Target) -> Bool) -> RouteMask {
        var mask = RouteMask.none
        for (index, output) in outputs.enumerated() where holds(output) { mask.insert(RouteMask(output: index)) }
        return mask
    }

    @inline(__always)
    func takes(_ level: Level) -> Bool { level.rawValue >= minimumSeverity }

    /// The routing for a tag. Not cached here: a descriptor keeps its own.
    func routing(tag: String, level: Level) -> Routing {
        var mask = RouteMask.none
        var isRouted = false
        for route in routes where route.pattern.match(tag) != nil {
            isRouted = true
            if route.levels.contains(level) { mask.insert(RouteMask(output: route.output)) }
        }
        if !isRouted { mask.insert(.unrouted) }
        let chain = filterChains.number(for: tag)
        if chain != nil { mask.insert(.filtered) }
        return Routing(mask: mask, chain: chain ?? 0)
    }

    @inline(__always)
    func known(_ tag: String, _ level: Level) -> TagCache.Answer {
        cache.find(tag, level) { routing(tag: tag, level: level) }
    }

    /// Whether a record is encoded directly in the journal's memory: its filters only add attributes, and it has no
    /// inline output.
    @inline(__always)
    func isStoredDirectly(_ passage: Passage) -> Bool {
        passage.mask.isDisjoint(with: inlineOutputs.union(.filtered))
            || passage.mask.isDisjoint(with: inlineOutputs) && withChain(passage.chain) { $0.onlyAdds }
    }

    /// Whether screens check the encoded bytes, which may stay as they are.
    func isScreened(_ passage: Passage) -> Bool {
        passage.mask.contains(.filtered) && passage.mask.isDisjoint(with: inlineOutputs)
            && withChain(passage.chain) { $0.rewriteFrom == nil && !$0.screens.isEmpty }
    }

    @inline(__always)
    func withChain<Result>(_ number: UInt8, _ body: (FilterChain) -> Result) -> Result {
        filterChains.borrowed[Int(number)]._withUnsafeGuaranteedRef(body)
    }
}

/// The outputs and the filter chain for a tag and level.
struct Routing: Sendable, Equatable {
    let mask: RouteMask
    /// Index in ``FilterChains``; without `filtered` in the mask it means nothing.
    let chain: UInt8

    init(mask: RouteMask, chain: UInt8 = 0) {
        self.mask = mask
        self.chain = chain
    }

    // MARK: One word

    // Lower half: the mask. Then 8 bits for the chain, and 24 for the table's generation. A generation repeats only
    // after 16 million tables; a stale answer would need one cached under exactly that number.

    static let maximumGeneration: UInt32 = 1 << 24 - 1

    @inline(__always)
    func word(generation: UInt32) -> UInt64 {
        UInt64(generation) << 40 | UInt64(chain) << 32 | UInt64(mask.rawValue)
    }

    /// `nil` if another generation gave the answer.
    @inline(__always)
    init?(word: UInt64, generation: UInt32) {
        guard UInt32(truncatingIfNeeded: word >> 40) == generation else { return nil }
        mask = RouteMask(rawValue: UInt32(truncatingIfNeeded: word))
        chain = UInt8(truncatingIfNeeded: word >> 32)
    }
}

/// One bit for each output that takes a record, and what else the table knows of its tag.
struct RouteMask: BitSet {
    let rawValue: UInt32

    /// No pattern matches the tag at any level.
    static let unrouted = RouteMask(rawValue: 1 << 31)
    static let filtered = RouteMask(rawValue: 1 << 30)

    static let maximumOutputs = 30

    init(rawValue: UInt32) { self.rawValue = rawValue }

    init(output index: Int) { rawValue = 1 << UInt32(index) }

    var outputs: RouteMask { subtracting(.unrouted.union(.filtered)) }
}

/// The distinct filter chains of a table, each with a number that fits beside a route mask.
///
/// Which filters match a tag depends only on the longest pattern head it begins with, and on whether no, one or several
/// terms follow. So one example of each finds all chains when the table is built, and no log call has to.
struct FilterChains: Sendable {
    /// Number 0 has only the slow path; it serves any chain without a number.
    let chains: [FilterChain]
    /// The same without reference counting, an atomic write that waits for all earlier stores and costs more than the
    /// rest of the filters. Sound: `chains` lives as long.
    let borrowed: [Unmanaged<FilterChain>]
    private let numbers: [[Int]: UInt8]
    private let filters: [RoutingTable.CompiledFilter]

    init(_ filters: [RoutingTable.CompiledFilter]) {
        var chains = [FilterChain(rewriteFrom: 0)]
        var numbers: [[Int]: UInt8] = [:]
        for tag in filters.flatMap(\.pattern.examples) {
            let indices = Self.matching(tag, filters)
            guard numbers[indices] == nil, let number = UInt8(exactly: chains.count) else { continue }
            numbers[indices] = number
            chains.append(FilterChain(indices, of: filters))
        }
        (self.chains, self.numbers, self.filters) = (chains, numbers, filters)
        borrowed = chains.map(Unmanaged.passUnretained)
    }

    func number(for tag: String) -> UInt8? {
        let indices = Self.matching(tag, filters)
        return indices.isEmpty ? nil : numbers[indices] ?? 0
    }

    private static func matching(_ tag: String, _ filters: [RoutingTable.CompiledFilter]) -> [Int] {
        filters.indices.filter { filters[$0].pattern.match(tag) != nil }
    }
}
