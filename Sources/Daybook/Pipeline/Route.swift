import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// How records of some tags reach one output.
public struct Route: Sendable {
    /// How an output without batches is called.
    public enum Timing: Sendable, Hashable {
        /// On the logging thread, right after the record is stored. For consoles while debugging and for crash reporters.
        case inline
        /// On a queue of the output's own, in order, soon after. At most once: what is still waiting when the process
        /// ends is dropped and counted. The default.
        case immediate
    }

    enum Target: Sendable {
        case output(any Output, Timing)
        case batch(any BatchOutput, BatchLimits)

        var id: String {
            switch self {
            case .output(let output, _): output.id
            case .batch(let output, _): output.id
            }
        }

        /// Whether its records wait in the journal; an inline output has had them when the log call returns.
        var isStored: Bool {
            if case .output(_, .inline) = self { false } else { true }
        }

        /// The output's identity, if it is an object: one object may serve several routes.
        var object: ObjectIdentifier? {
            switch self {
            case .output(let output, _): type(of: output) is AnyClass ? ObjectIdentifier(output as AnyObject) : nil
            case .batch(let output, _): type(of: output) is AnyClass ? ObjectIdentifier(output as AnyObject) : nil
            }
        }
    }

    let pattern: String
    let target: Target
    let level: Level
    let transform: (any Filter)?

    /// Records whose tag matches `pattern` go to `output`, one at a time.
    /// - Parameters:
    ///   - pattern: See ``TagPattern``.
    ///   - output: Where they go.
    ///   - level: Only records of this level or above. Default: all.
    ///   - timing: On a queue of the output's own (default) or on the logging thread.
    ///   - transform: Changes or drops the records with such tags on their way to this output alone, as they are
    ///     delivered; of several records that it emits for one, the first is taken. Default: none.
    public init(
        _ pattern: String, to output: some Output, level: Level = .trace, timing: Timing = .immediate,
        transform: (any Filter)? = nil
    ) {
        self.pattern = pattern
        self.level = level
        self.transform = transform
        target = .output(output, timing)
    }

    /// Records whose tag matches `pattern` go to `output` in batches, and are kept until it has taken them.
    /// - Parameters:
    ///   - pattern: See ``TagPattern``.
    ///   - output: Where they go.
    ///   - level: Only records of this level or above. Default: all.
    ///   - batch: When a batch is full.
    ///   - transform: Changes or drops the records with such tags on their way to this output alone, as they are
    ///     delivered; of several records that it emits for one, the first is taken. Default: none.
    public init(
        _ pattern: String, to output: some BatchOutput, level: Level = .trace, batch: BatchLimits = .init(),
        transform: (any Filter)? = nil
    ) {
        self.pattern = pattern
        self.level = level
        self.transform = transform
        target = .batch(output, batch)
    }
}

/// When a batch is sent: at the first limit that is met.
public struct BatchLimits: Sendable, Hashable {
    /// This many records. Default 512; at least 1.
    public var count: Int
    /// This many bytes of encoded records. Default 256,000; at least 1. A backlog is sent in batches of up to 1 MiB.
    public var bytes: Int
    /// This long after the first record of the batch. Default 10 s.
    public var delay: Duration

    /// Limits.
    public init(count: Int = 512, bytes: Int = 256_000, delay: Duration = .seconds(10)) {
        self.count = max(1, count)
        self.bytes = max(1, bytes)
        self.delay = max(.zero, delay)
    }
}

/// What changes the records of one output as they are delivered to it; no other output sees it, and what is stored stays
/// as it is.
struct RouteTransform: Sendable {
    private let filters: [(pattern: TagPattern, filter: any Filter)]

    /// The transforms of an output's routes, in order, or `nil` if there are none.
    init?(_ filters: [(pattern: TagPattern, filter: any Filter)]) {
        if filters.isEmpty { return nil }
        self.filters = filters
    }

    /// The record as the output is to get it, or `nil` if it is not to get it at all.
    ///
    /// A record stays one record: it has one number, and a receiver that was sent it twice would take it once. So of
    /// several that a filter emits the first counts, and its number and context are those of the original.
    func transformed(_ record: Record) -> Record? {
        var current = record
        for (pattern, filter) in filters {
            guard let captured = pattern.match(current.tag) else { continue }
            var result: Record?
            filter.filter(current, captured: captured.isEmpty ? nil : captured) { if result == nil { result = $0 } }
            guard let result else { return nil }
            current = result
        }
        current.sequence = record.sequence
        current.context = record.context
        return current
    }
}

extension Route {
    /// The name of the launch environment's variable that holds the address of a test's log probe.
    public static let probeVariable = "DAYBOOK_PROBE"

    /// The route to the log probe of the test that launched this process; `nil` where none did. Put it before the routes
    /// to the network, and these into its `else`, so that no test log reaches production:
    ///
    /// ```
    /// if let probe = Route.toProbe() { probe } else { Route("**", to: OTLPOutput(endpoint: url)) }
    /// ```
    ///
    /// Only an address of this machine is taken, so that a forgotten variable sends nothing elsewhere.
    /// - Parameter environment: Where the address is looked for. Default: the process's.
    public static func toProbe(environment: [String: String] = ProcessInfo.processInfo.environment) -> Route? {
        guard let text = environment[probeVariable], let url = URL(string: text), url.scheme == "http",
            ["127.0.0.1", "localhost", "::1", "[::1]"].contains(url.host ?? "")
        else { return nil }
        // The test judges what was logged; nothing leaves the machine.
        var format = TextFormat.json
        format.showsPrivate = true
        let output = HTTPOutput(
            id: "probe",
            request: { _ in
                var request = URLRequest(url: url.appendingPathComponent("v1/events"))
                request.setValue("application/x-ndjson", forHTTPHeaderField: "Content-Type")
                return request
            },
            body: { [format] records in Data(records.map { format.text(of: $0) + "\n" }.joined().utf8) })
        return Route("**", to: output, batch: BatchLimits(count: 64, delay: .milliseconds(20)))
    }
}
