/// Sends records to an output, by tag and level.
public struct Route: Sendable {
    /// When an output without batches is called.
    public enum Timing: Sendable, Hashable {
        /// On the logging thread, right after the record is stored. For consoles while debugging and for crash
        /// reporters.
        case inline
        /// Soon after, in order, on the output's own queue. At most once: what still waits when the process ends is
        /// dropped and counted. The default.
        case immediate
    }

    enum Target: Sendable {
        case output(any Output, Timing)
        case batch(any BatchOutput, BatchLimits, RouteWait)

        var id: String {
            switch self {
            case .output(let output, _): output.id
            case .batch(let output, _, _): output.id
            }
        }

        /// Whether its records wait in the journal; an inline output has had them when the log call returns.
        var isStored: Bool {
            if case .output(_, .inline) = self { false } else { true }
        }

        /// The identity of an output that is an object: it may serve several routes.
        var object: ObjectIdentifier? {
            switch self {
            case .output(let output, _): type(of: output) is AnyClass ? ObjectIdentifier(output as AnyObject) : nil
            case .batch(let output, _, _): type(of: output) is AnyClass ? ObjectIdentifier(output as AnyObject) : nil
            }
        }
    }

    let pattern: String
    let target: Target
    let levels: LevelSet
    let transform: (any Filter)?

    /// Sends matching records to `output`, one at a time.
    ///
    /// ```swift
    /// Route("payment.**", to: ConsoleOutput(), level: .warning, timing: .inline)
    /// ```
    /// - Parameters:
    ///   - pattern: See `TagPattern`.
    ///   - output: Where they go.
    ///   - level: Only records of this level or above. Default: all.
    ///   - timing: On the output's own queue (default) or on the logging thread.
    ///   - transform: Changes or drops the matching records for this output only, at delivery; of several emitted
    ///     records the first is used. Default: none.
    public init(
        _ pattern: String, to output: some Output, level: Level = .trace, timing: Timing = .immediate,
        transform: (any Filter)? = nil
    ) {
        self.init(pattern, .output(output, timing), LevelSet(from: level), transform)
    }

    /// Sends matching records of individual levels.
    ///
    /// ```swift
    /// Route("**", to: ConsoleOutput(), levels: [.debug, .error])
    /// ```
    /// - Parameter levels: Only records of these levels. A level set at run time (``Pipeline/setLevel(_:output:)``)
    ///   replaces them.
    public init(
        _ pattern: String, to output: some Output, levels: Set<Level>, timing: Timing = .immediate,
        transform: (any Filter)? = nil
    ) {
        self.init(pattern, .output(output, timing), LevelSet(levels), transform)
    }

    /// Sends matching records to `output` in batches, and keeps them until they are delivered.
    ///
    /// ```swift
    /// Route("**", to: OTLPOutput(endpoint: collector), level: .info, batch: BatchLimits(delay: .seconds(30)))
    /// ```
    /// - Parameters:
    ///   - pattern: See `TagPattern`.
    ///   - output: Where they go.
    ///   - level: Only records of this level or above. Default: all.
    ///   - batch: When a batch is full.
    ///   - waits: The conditions under which the records wait. Default: none.
    ///   - transform: Changes or drops the matching records for this output only, at delivery; of several emitted
    ///     records the first is used. Default: none.
    public init(
        _ pattern: String, to output: some BatchOutput, level: Level = .trace, batch: BatchLimits = .init(),
        waits: RouteWait = .never, transform: (any Filter)? = nil
    ) {
        self.init(pattern, .batch(output, batch, waits), LevelSet(from: level), transform)
    }

    /// Sends matching records of individual levels.
    ///
    /// ```swift
    /// Route("**", to: OTLPOutput(endpoint: collector), levels: [.warning, .error, .fatal])
    /// ```
    /// - Parameter levels: Only records of these levels. A level set at run time (``Pipeline/setLevel(_:output:)``)
    ///   replaces them.
    public init(
        _ pattern: String, to output: some BatchOutput, levels: Set<Level>, batch: BatchLimits = .init(),
        waits: RouteWait = .never, transform: (any Filter)? = nil
    ) {
        self.init(pattern, .batch(output, batch, waits), LevelSet(levels), transform)
    }

    private init(_ pattern: String, _ target: Target, _ levels: LevelSet, _ transform: (any Filter)?) {
        (self.pattern, self.target, self.levels, self.transform) = (pattern, target, levels, transform)
    }
}

struct LevelSet: Sendable, Hashable {
    static let none = LevelSet([])

    /// A bit for each level, in order.
    private let bits: UInt8

    init(_ levels: some Sequence<Level>) { bits = levels.reduce(0) { $0 | Self.bit($1) } }

    init(from level: Level) { self.init(Level.allCases.filter { $0 >= level }) }

    func contains(_ level: Level) -> Bool { bits & Self.bit(level) != 0 }

    /// `nil` if there is none.
    var least: Level? { Level.allCases.first(where: contains) }

    /// Severity numbers of levels are four apart, from 1.
    private static func bit(_ level: Level) -> UInt8 { 1 << (level.rawValue / 4) }
}

/// When a batch is sent, at the first limit reached, and its largest size.
public struct BatchLimits: Sendable, Hashable {
    /// Most records, in a backlog too. Default 512; at least 1. Setting it sets ``backlogBytes`` to 0.
    public var count: Int {
        didSet {
            count = max(1, count)
            backlogBytes = 0
        }
    }
    /// Most bytes of encoded records, in a backlog too; a single record may have more. Default 256,000; at least 1.
    /// Setting it sets ``backlogBytes`` to 0.
    public var bytes: Int {
        didSet {
            bytes = max(1, bytes)
            backlogBytes = 0
        }
    }
    /// Longest wait after the first record of the batch. Default 10 s.
    public var delay: Duration

    /// Size of batches of a backlog, with any number of records, once the receiver has accepted one within the limits.
    /// At most 1 MiB, the default if neither count nor bytes are given. 0: the limits hold for every batch; the default
    /// if one is given.
    public var backlogBytes: Int

    /// Creates limits. Default: 512 records, 256,000 bytes, 10 s, and 1 MiB for a backlog.
    ///
    /// ```swift
    /// Route("**", to: OTLPOutput(endpoint: collector), batch: BatchLimits(count: 100, bytes: 64_000, delay: .seconds(30)))
    /// ```
    public init(
        count: Int? = nil, bytes: Int? = nil, delay: Duration = .seconds(10), backlogBytes: Int? = nil
    ) {
        self.count = max(1, count ?? 512)
        self.bytes = max(1, bytes ?? 256_000)
        self.delay = max(.zero, delay)
        self.backlogBytes = backlogBytes ?? (count == nil && bytes == nil ? 1 << 20 : 0)
    }
}

/// Changes the records of one output at delivery; other outputs and the stored records are not affected.
struct RouteTransform: Sendable {
    private let filters: [(pattern: TagPattern, filter: any Filter)]

    /// The transforms of an output's routes, in order; `nil` if there are none.
    init?(_ filters: [(pattern: TagPattern, filter: any Filter)]) {
        if filters.isEmpty { return nil }
        self.filters = filters
    }

    /// The record for the output; `nil` to drop it.
    ///
    /// A record stays one record with one number, and a receiver would take a duplicate once. So of several emitted
    /// records the first counts, with the original's number and context.
    func transformed(_ record: Record) -> Record? {
        var current = record
        for (pattern, filter) in filters {
            guard let captured = pattern.match(current.tag) else { continue }
            var result: Record?
            filter.filter(current, captured: pattern.hasWildcard ? captured : nil) { if result == nil { result = $0 } }
            guard let result else { return nil }
            current = result
        }
        current.sequence = record.sequence
        current.context = record.context
        return current
    }
}
