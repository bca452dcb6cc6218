import Synchronization

/// Which outputs and filters a tag and level lead to. Immutable but for a cache; one per configuration of a pipeline.
final class RoutingTable: Sendable {
    struct CompiledRoute: Sendable {
        let pattern: TagPattern
        let output: Int
        let level: Level
    }

    struct CompiledFilter: Sendable {
        let pattern: TagPattern
        let action: FilterAction
    }

    /// Unique in the process, so that a cached answer of one table is never taken for another's. 0 is no table.
    let generation: UInt32
    let routes: [CompiledRoute]
    let filters: [CompiledFilter]
    /// The outputs, one for each bit: those whose records are stored come first, since the journal knows only them.
    let outputs: [Route.Target]
    /// Outputs called on the logging thread.
    let inlineOutputs: RouteMask
    /// Outputs called on the drain thread, soon.
    let immediateOutputs: RouteMask
    /// Outputs whose records are stored.
    let storedOutputs: RouteMask
    /// Whether log calls may come from within an output or a filter on the same thread.
    let callsOutputs: Bool
    /// Below this level no route takes anything.
    let minimumLevel: Level

    private static let generations = Atomic<UInt32>(0)

    /// Answers for tags that have no descriptor.
    private let cache = TagCache()

    /// - Throws: ``PipelineError``.
    init(_ parts: [PipelineBuilder.Part]) throws {
        generation = Self.generations.wrappingAdd(1, ordering: .relaxed).newValue
        var routes: [Route] = []
        var filters: [CompiledFilter] = []
        var outputs: [Route.Target] = []
        for part in parts {
            switch part {
            case .filter(let stage):
                filters.append(CompiledFilter(pattern: try TagPattern(stage.pattern), action: stage.action))
            case .route(let route):
                routes.append(route)
                guard let known = outputs.first(where: { $0.id == route.target.id }) else {
                    outputs.append(route.target)
                    continue
                }
                guard let object = route.target.object, object == known.object else {
                    throw PipelineError.duplicateOutput(route.target.id)
                }
            }
        }
        guard !routes.isEmpty else { throw PipelineError.noRoute }
        guard outputs.count <= RouteMask.maximumOutputs else { throw PipelineError.tooManyOutputs }
        outputs = outputs.filter(\.isStored) + outputs.filter { !$0.isStored }
        self.routes = try routes.map { route in
            CompiledRoute(
                pattern: try TagPattern(route.pattern),
                output: outputs.firstIndex { $0.id == route.target.id } ?? 0, level: route.level)
        }
        self.filters = filters
        self.outputs = outputs
        minimumLevel = routes.map(\.level).min() ?? .trace
        inlineOutputs = Self.mask(of: outputs) { if case .output(_, .inline) = $0 { true } else { false } }
        immediateOutputs = Self.mask(of: outputs) { if case .output(_, .immediate) = $0 { true } else { false } }
        storedOutputs = Self.mask(of: outputs, where: \.isStored)
        callsOutputs = !inlineOutputs.isEmpty || !immediateOutputs.isEmpty
    }

    /// The ids of the outputs that the journal stores records for, by their bit.
    var storedIDs: [String] { outputs.filter(\.isStored).map(\.id) }

    private static func mask(of outputs: [Route.Target], where holds: (Route.Target) -> Bool) -> RouteMask {
        outputs.indices.filter { holds(outputs[$0]) }.reduce(into: []) { $0.insert(RouteMask(output: $1)) }
    }

    /// The answer for a tag that has a descriptor, which keeps it.
    func routes(tag: String, level: Level) -> RouteMask {
        var mask: RouteMask = []
        var isRouted = false
        for route in routes where route.pattern.match(tag) != nil {
            isRouted = true
            if level >= route.level { mask.insert(RouteMask(output: route.output)) }
        }
        if !isRouted { mask.insert(.unrouted) }
        if filters.contains(where: { $0.pattern.match(tag) != nil }) { mask.insert(.filtered) }
        return mask
    }

    /// The answer for any other tag.
    func cachedRoutes(tag: String, level: Level) -> RouteMask {
        cache.routes(tag: tag, level: level) { routes(tag: tag, level: level) }
    }
}
