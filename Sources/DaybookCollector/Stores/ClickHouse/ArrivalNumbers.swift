/// Decides which arrival numbers a commit claims. Pure.
///
/// A store that is written by one collector is asked for its newest number once; after that its own last number is the
/// newest. Where others give out numbers too, it is asked before each commit: else each would claim numbers that are
/// taken, and begin anew.
struct ArrivalNumbers {
    /// Collectors that are in each other's way go on with different steps.
    private let step: Int64
    private var collisions: Int64 = 0
    /// The largest number that is known to have been claimed.
    private(set) var last: Int64 = 0
    /// Whether the store is to be asked for its newest number before the next claim.
    private(set) var mustAsk = true

    /// - Parameter name: a random number of the collector's own.
    init(name: UInt64) { step = Int64(name % 61) }

    /// Numbers for so many rows, at least one.
    mutating func take(_ count: Int) -> ClosedRange<Int64> {
        let first = last + 1 + collisions * step * Int64(count)
        last = first + Int64(count) - 1
        return first...last
    }

    /// The store was asked.
    /// - Parameter newest: the largest number above ``last``, or 0.
    mutating func learn(newest: Int64) {
        mustAsk = newest > last
        last = max(last, newest)
    }

    /// A claim was looked at beside those of others.
    /// - Parameter newest: the largest number that others have claimed, of those from the claim's first on, or 0.
    mutating func look(newest: Int64) {
        if newest > 0 { mustAsk = true }
        last = max(last, newest)
        collisions = newest > 0 ? collisions + 1 : 0
    }
}
