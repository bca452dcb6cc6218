/// Drops the records of some tags: `Drop("debug.**")`, `Drop("scroll.**", below: .warning)`.
public struct Drop: FilterStage, Gate {
    public let pattern: String
    private let level: Level?

    /// Drops what matches.
    /// - Parameters:
    ///   - pattern: See ``TagPattern``.
    ///   - level: Only records below this level; `nil` (the default) drops all.
    public init(_ pattern: String, below level: Level? = nil) {
        self.pattern = pattern
        self.level = level
    }

    public var action: FilterAction { .gate(self) }

    public func verdict(tag: String, level: Level) -> GateVerdict {
        guard let limit = self.level else { return .drop }
        return level < limit ? .drop : .pass
    }
}
