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
