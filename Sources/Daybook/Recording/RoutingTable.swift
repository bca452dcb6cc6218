import DaybookBase

/// Which outputs and filters a tag and level lead to. Immutable but for a cache; one per setting of a pipeline.
final class RoutingTable: Sendable {
    struct CompiledRoute: Sendable {
        let pattern: TagPattern
        let output: Int
        /// As the route was made.
        let ownLevels: LevelSet
        /// As they are now: none while its output is switched off.
        let levels: LevelSet
    }

    struct CompiledFilter: Sendable {
        let pattern: TagPattern
        let action: FilterAction
    }

    /// Unique in the process, so that a cached answer of one table is never taken for another's. 0 is no table.
    let generation: UInt32
    let routes: [CompiledRoute]
    let filters: [CompiledFilter]
    private let filterChains: FilterChains
    /// The outputs, one for each bit: those whose records are stored come first, since the journal knows only them.
    let outputs: [Route.Target]
    /// What changes an output's records as they are delivered, by the output's bit.
    let transforms: [RouteTransform?]
    /// Outputs called on the logging thread.
    let inlineOutputs: RouteMask
    /// These outputs themselves.
    let inline: InlineOutputs
    /// Outputs called on the drain thread, soon.
    let immediateOutputs: RouteMask
    /// Outputs whose records are stored.
    let storedOutputs: RouteMask
    /// Outputs that take records in batches.
    let batchOutputs: RouteMask
    /// Outputs that the start of a span is for: those that get it if it never ends, and those that take starts.
    let startOutputs: RouteMask
    /// Below this severity number no route takes anything; `UInt8.max` while every output is off.
    let minimumSeverity: UInt8

    private static let generations = Atomic<UInt32>(0)

    /// Answers for tags that have no descriptor.
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

    /// Each output once, however many routes lead to it; those that are stored first.
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

    /// The same outputs with the same bits and the same filters, switched otherwise.
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

    /// The ids of the outputs that the journal stores records for, by their bit.
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

    /// Whether any route takes records of the level.
    @inline(__always)
    func takes(_ level: Level) -> Bool { level.rawValue >= minimumSeverity }

    /// The answer for a tag that has a descriptor, which keeps it.
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

    /// What is known of a tag that has no descriptor.
    @inline(__always)
    func known(_ tag: String, _ level: Level) -> TagCache.Answer {
        cache.find(tag, level) { routing(tag: tag, level: level) }
    }

    /// Whether a record is encoded in the journal's memory at once: nothing but attributes is added to it, and no output
    /// wants it on this thread.
    @inline(__always)
    func isStoredDirectly(_ passage: Passage) -> Bool {
        passage.mask.isDisjoint(with: inlineOutputs.union(.filtered))
            || passage.mask.isDisjoint(with: inlineOutputs) && withChain(passage.chain) { $0.onlyAdds }
    }

    /// Whether a record is looked through before it is stored, but may stay as it is.
    func isScreened(_ passage: Passage) -> Bool {
        passage.mask.contains(.filtered) && passage.mask.isDisjoint(with: inlineOutputs)
            && withChain(passage.chain) { $0.rewriteFrom == nil && !$0.screens.isEmpty }
    }

    /// Calls `body` with the chain of this number.
    @inline(__always)
    func withChain<Result>(_ number: UInt8, _ body: (FilterChain) -> Result) -> Result {
        filterChains.borrowed[Int(number)]._withUnsafeGuaranteedRef(body)
    }
}

/// What the routing table knows of a tag and level: the outputs, and which chain of filters comes before them.
struct Routing: Sendable, Equatable {
    let mask: RouteMask
    /// The number of the chain in ``FilterChains``; of no meaning where the mask does not say `filtered`.
    let chain: UInt8

    init(mask: RouteMask, chain: UInt8 = 0) {
        self.mask = mask
        self.chain = chain
    }

    // MARK: One word

    // Lower half: the mask. Above it 8 bits for the chain, and 24 for the generation of the table that gave the answer.
    // 24 bits last: a program would have to make 16 million tables before a number came again, and an answer cached
    // under it be asked for just then.

    /// The largest generation that fits into a word.
    static let maximumGeneration: UInt32 = 1 << 24 - 1

    /// An answer and the generation of the table that gave it.
    @inline(__always)
    func word(generation: UInt32) -> UInt64 {
        UInt64(generation) << 40 | UInt64(chain) << 32 | UInt64(mask.rawValue)
    }

    /// The answer in a word, if a table of this generation gave it.
    @inline(__always)
    init?(word: UInt64, generation: UInt32) {
        guard UInt32(truncatingIfNeeded: word >> 40) == generation else { return nil }
        mask = RouteMask(rawValue: UInt32(truncatingIfNeeded: word))
        chain = UInt8(truncatingIfNeeded: word >> 32)
    }
}

/// The outputs that take a record, one bit each, and what else the routing table knows of its tag and level.
struct RouteMask: BitSet {
    let rawValue: UInt32

    /// No pattern matches the tag at any level.
    static let unrouted = RouteMask(rawValue: 1 << 31)
    /// A filter matches the tag.
    static let filtered = RouteMask(rawValue: 1 << 30)

    static let maximumOutputs = 30

    init(rawValue: UInt32) { self.rawValue = rawValue }

    init(output index: Int) { rawValue = 1 << UInt32(index) }

    /// The outputs' bits alone.
    var outputs: RouteMask { subtracting(.unrouted.union(.filtered)) }
}

/// The distinct chains of a table's filters, each with a number that fits beside a route mask.
///
/// Patterns are prefixes, so there are few: the filters that match a tag are settled by the longest pattern's head it
/// begins with, and by whether it is that head, has one term more, or several. One example for each of these finds all
/// chains when the table is made, and no log call has to look for one.
struct FilterChains: Sendable {
    /// Number 0 leaves everything to the slow path; it serves any chain that has no number of its own.
    let chains: [FilterChain]
    /// The same, lent: a reference counted within a log call waits until all that the call has written before is in the
    /// caches, which costs more than the rest of the filters. Sound, since `chains` lives as long.
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

    /// The number of a tag's chain, or `nil` if no filter matches.
    func number(for tag: String) -> UInt8? {
        let indices = Self.matching(tag, filters)
        return indices.isEmpty ? nil : numbers[indices] ?? 0
    }

    private static func matching(_ tag: String, _ filters: [RoutingTable.CompiledFilter]) -> [Int] {
        filters.indices.filter { filters[$0].pattern.match(tag) != nil }
    }
}
