import DaybookBase

/// Adds attributes to records: `Append("feed.**", ["experiment": "b"])`.
public struct Append: FilterStage, Enrichment {
    public let pattern: String
    private let attributes: @Sendable () -> Attributes

    /// Adds what `attributes` returns for each record. It is called under the journal's lock: it must not log, lock or
    /// wait.
    ///
    /// ```swift
    /// Append("**", ["build": "nightly"])
    /// ```
    public init(_ pattern: String = "**", _ attributes: @escaping @autoclosure @Sendable () -> Attributes) {
        self.pattern = pattern
        self.attributes = attributes
    }

    public var action: FilterAction { .enrich(self) }

    public func encode(into fields: inout FieldEncoder) { fields.add(attributes()) }
}

extension Enrichment {
    /// The added attributes, for records that a rewriting filter has built.
    func attributes(key: HashKey) -> Attributes {
        ContextBytes(
            resource: [], attributes: FieldEncoder.encoded(key: key, encode),
            names: []
        ).decodedAttributes
    }
}

/// Drops records: `Drop("debug.**")`, `Drop("scroll.**", below: .warning)`.
public struct Drop: FilterStage, Gate {
    public let pattern: String
    private let level: Level?

    /// Drops the records that match.
    ///
    /// ```swift
    /// Drop("debug.**", below: .warning)
    /// ```
    /// - Parameters:
    ///   - pattern: See `TagPattern`.
    ///   - level: Only records below this level; `nil` (the default) drops all.
    public init(_ pattern: String, below level: Level? = nil) {
        self.pattern = pattern
        self.level = level
    }

    public var action: FilterAction { .gate(self) }

    public func decide(tag: String, level: Level) -> GateDecision {
        guard let limit = self.level else { return .drop }
        return level < limit ? .drop : .pass
    }
}

/// Changes records with a closure: `Map("old.*") { $0.tag = "new." + ($1 ?? "") }`.
public struct Map: FilterStage, Filter {
    public let pattern: String
    private let change: @Sendable (inout Record, Substring?) -> Void

    /// Changes matching records. The second argument is what the wildcard matched. The closure runs on the logging
    /// thread: it must be quick and not wait.
    ///
    /// ```swift
    /// Map("old.*") { record, rest in record.tag = "new.\(rest ?? "")" }
    /// ```
    public init(_ pattern: String, _ change: @escaping @Sendable (inout Record, Substring?) -> Void) {
        self.pattern = pattern
        self.change = change
    }

    public var action: FilterAction { .rewrite(self) }

    public func filter(_ record: Record, captured: Substring?, emit: (Record) -> Void) {
        var record = record
        change(&record, captured)
        emit(record)
    }
}

/// Keeps a share of the records: `Sample("scroll.**", rate: 0.1)`.
///
/// A kept record has the attribute `daybook.sample.weight`, the number of records that it represents (1 / rate), to
/// estimate counts: `SELECT sum(weight)`.
public struct Sample: FilterStage, Gate {
    public enum Unit: Sendable, Hashable {
        case record
        /// The whole launch: all of its matching records or none, so that journeys stay complete.
        case launch
    }

    public let pattern: String
    private let rate: Double
    private let unit: Unit
    private let isLaunchKept: Bool
    private let random: @Sendable () -> Double

    /// Keeps a share of the matching records.
    ///
    /// ```swift
    /// Sample("scroll.**", rate: 0.1)
    /// ```
    /// - Parameters:
    ///   - pattern: See `TagPattern`.
    ///   - rate: The share that is kept, clamped to 0 to 1.
    ///   - unit: What is sampled. Default: each record.
    ///   - random: Returns numbers in 0..<1. Default: a generator seeded once, without a system call per record.
    public init(
        _ pattern: String, rate: Double, per unit: Unit = .record,
        random: (@Sendable () -> Double)? = nil
    ) {
        let random = random ?? Self.uniform
        self.pattern = pattern
        self.rate = rate.isNaN ? 1 : min(max(rate, 0), 1)
        self.unit = unit
        self.random = random
        isLaunchKept = random() < self.rate
    }

    /// In 0..<1, from the upper 53 bits, which a `Double` holds exactly.
    @Sendable private static func uniform() -> Double { Double(Identifiers.next() >> 11) * 0x1p-53 }

    public var action: FilterAction { .gate(self) }

    public func decide(tag: String, level: Level) -> GateDecision {
        let isKept = unit == .launch ? isLaunchKept : random() < rate
        return isKept ? .pass(weight: 1 / rate) : .drop
    }
}

/// Limits records per time: `RateLimit("feed.**", 100, per: .seconds(1))`.
///
/// A token bucket per tag: it fills evenly, and a burst may empty it. Safe to share between threads.
public final class RateLimit: FilterStage, Gate {
    private struct Bucket {
        var tokens: Double
        var filledAt: UInt64
    }

    /// Further tags share one bucket, so that generated tags cannot fill the memory.
    private static let maximumTags = 1024

    public let pattern: String
    private let burst: Double
    private let tokensPerNanosecond: Double
    private let now: @Sendable () -> UInt64
    private let buckets = Mutex<[String: Bucket]>([:])

    /// Limits matching records, for each tag separately.
    ///
    /// ```swift
    /// RateLimit("feed.scroll", 10, per: .seconds(1))
    /// ```
    /// - Parameters:
    ///   - pattern: See `TagPattern`.
    ///   - count: The number of records; at least 1.
    ///   - time: The time for that number; at least 1 ms.
    ///   - clock: Default: the system's.
    public init(_ pattern: String, _ count: Int, per time: Duration, clock: PipelineClock = .system) {
        self.pattern = pattern
        burst = Double(max(1, count))
        tokensPerNanosecond = burst / Double(max(time.nanoseconds, 1_000_000))
        now = clock.monotonic
    }

    public var action: FilterAction { .gate(self) }

    /// A span counts once, at its end.
    public var isCounting: Bool { true }

    public func decide(tag: String, level: Level) -> GateDecision {
        let time = now()
        return buckets.withLock { buckets in
            let key = buckets[tag] == nil && buckets.count >= Self.maximumTags ? "" : tag
            var bucket = buckets[key] ?? Bucket(tokens: burst, filledAt: time)
            if time > bucket.filledAt {
                bucket.tokens = min(burst, bucket.tokens + Double(time - bucket.filledAt) * tokensPerNanosecond)
                bucket.filledAt = time
            }
            let passes = bucket.tokens >= 1
            if passes { bucket.tokens -= 1 }
            buckets[key] = bucket
            return passes ? .pass : .drop
        }
    }
}
