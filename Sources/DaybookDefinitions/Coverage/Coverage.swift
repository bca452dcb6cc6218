/// For every event: whether it is defined, called in the sources, fired in recorded test runs, and seen in a store, in
/// which versions. What was not examined is `nil`, not zero.
public struct Coverage: Sendable {
    /// A stage that an event can reach.
    public enum Stage: String, Sendable, CaseIterable {
        case called
        case fired
        case seen
    }

    /// How often a version of the app sent an event.
    public struct Sighting: Sendable, Hashable {
        /// The version; `nil` if the record does not say.
        public var version: String?
        public var count: Int64

        /// Creates a sighting.
        public init(version: String?, count: Int64) {
            self.version = version
            self.count = count
        }
    }

    /// One event.
    public struct Row: Sendable, Hashable {
        /// `category.event`.
        public var tag: String
        /// Where it is defined.
        public var location: SourceLocation
        public var isObsolete: Bool
        /// What the event or its category is for.
        public var metrics: [String]
        /// Where it is called; `nil` if no sources were scanned.
        public var called: CallSites.Sites?
        /// How often it was fired in recordings; `nil` if there were none.
        public var fired: Int64?
        /// By version, the most frequent first; `nil` if no store was queried.
        public var seen: [Sighting]?

        /// Whether the event has reached `stage`; `nil` if that was not examined.
        public func has(_ stage: Stage) -> Bool? {
            switch stage {
            case .called: called.map { $0.count > 0 }
            case .fired: fired.map { $0 > 0 }
            case .seen: seen.map { !$0.isEmpty }
            }
        }

        /// Those that the event is not known to have reached.
        func lacking(_ stages: [Stage]) -> [Stage] { stages.filter { has($0) != true } }
    }

    /// Every defined event, by tag.
    public let rows: [Row]
    /// Tags of events that were fired or seen but have no definition, with their counts, by tag.
    public let undefined: [(tag: String, count: Int64)]

    /// Combines what was found.
    ///
    /// - Parameters:
    ///   - calls: The scanned sources, if any were.
    ///   - fired: Events in recordings, by tag.
    ///   - seen: Events in a store, by tag.
    public init(_ definitions: Definitions, calls: CallSites?, fired: [String: Int64]?, seen: [String: [Sighting]]?) {
        var rows: [Row] = []
        for category in definitions.categories {
            for event in category.events {
                let tag = "\(category.name).\(event.name)"
                let metrics = event.labels.metrics
                rows.append(
                    Row(
                        tag: tag, location: event.location, isObsolete: event.isObsolete,
                        metrics: metrics.isEmpty ? category.labels.metrics : metrics,
                        called: calls.map { $0.sites[tag] ?? .init() }, fired: fired.map { $0[tag] ?? 0 },
                        seen: seen.map { ($0[tag] ?? []).sorted(by: Coverage.isBefore) }))
            }
        }
        self.rows = rows.sorted { $0.tag < $1.tag }
        let defined = Set(rows.map(\.tag))
        // A recorded run may also be in the store: the larger count contains it once.
        var others: [String: Int64] = fired ?? [:]
        for (tag, sightings) in seen ?? [:] {
            let count = sightings.reduce(0) { $0 + $1.count }
            if count > 0 { others[tag] = max(others[tag] ?? 0, count) }
        }
        undefined = others.filter { !defined.contains($0.key) }.sorted { $0.key < $1.key }
            .map { (tag: $0.key, count: $0.value) }
    }

    /// How many events are in use: defined, and not obsolete.
    public var inUse: Int { rows.count { !$0.isObsolete } }

    /// Events in use that have not demonstrably reached one of `stages`.
    public func missing(_ stages: [Stage]) -> [Row] {
        rows.filter { row in !row.isObsolete && !row.lacking(stages).isEmpty }
    }

    private static func isBefore(_ left: Sighting, _ right: Sighting) -> Bool {
        (right.count, left.version ?? "") < (left.count, right.version ?? "")
    }
}
