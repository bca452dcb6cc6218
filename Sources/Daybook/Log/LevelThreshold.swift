import Synchronization

/// The severity number below which nobody takes anything: what an inlined log call compares its level with, before it
/// evaluates or calls anything. Safe to share.
@usableFromInline
final class LevelThreshold: Sendable {
    /// A shortcut only: the pipeline checks the level itself. 0 lets everything through, `UInt8.max` nothing.
    @usableFromInline let minimum: Atomic<UInt8>

    init(_ minimum: UInt8) { self.minimum = Atomic(minimum) }
}
