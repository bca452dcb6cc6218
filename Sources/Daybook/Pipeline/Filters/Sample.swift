/// Keeps a share of the records of some tags: `Sample("scroll.**", rate: 0.1)`.
///
/// A record that is kept says for how many it stands in the attribute `daybook.sample.weight` (1 / rate), so that counts
/// can be estimated: `SELECT sum(weight)`.
public struct Sample: FilterStage, Gate {
    /// Who is drawn.
    public enum Unit: Sendable, Hashable {
        /// Each record by itself.
        case record
        /// The whole life of this process: all of its matching records, or none, so that journeys stay whole.
        case launch
    }

    public let pattern: String
    private let rate: Double
    private let unit: Unit
    private let isLaunchKept: Bool
    private let random: @Sendable () -> Double

    /// Keeps a share of what matches.
    /// - Parameters:
    ///   - pattern: See ``TagPattern``.
    ///   - rate: The share that is kept, 0 to 1; values outside are brought to the nearer end.
    ///   - unit: Who is drawn. Default: each record.
    ///   - random: Gives numbers in 0..<1. Default: a generator that the system's seeds once, without a system call per
    ///     record.
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

    /// A number in 0..<1: the upper 53 bits of a word, which a `Double` holds exactly.
    @Sendable private static func uniform() -> Double { Double(Identifiers.next() >> 11) * 0x1p-53 }

    public var action: FilterAction { .gate(self) }

    public func verdict(tag: String, level: Level) -> GateVerdict {
        let isKept = unit == .launch ? isLaunchKept : random() < rate
        return isKept ? .pass(weight: 1 / rate) : .drop
    }
}
