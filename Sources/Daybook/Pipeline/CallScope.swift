import CThreadScope

/// Which outputs and filters the current thread is inside of, and whether it is encoding, so that what they log themselves
/// cannot come back to them without end.
///
/// Kept in one word of the thread's own: no allocation, and nothing to clean up when a thread ends.
struct CallScope: OptionSet, Sendable {
    let rawValue: UInt32

    /// Within an output that is called on this thread.
    static func output(_ index: Int) -> CallScope { CallScope(rawValue: RouteMask(output: index).rawValue) }

    /// Within a filter.
    static let filter = CallScope(rawValue: RouteMask.filtered.rawValue)

    /// Within what a record is encoded by, under the journal's lock.
    static let encoding = CallScope(rawValue: 1 << 31)

    /// What this thread is inside of.
    @inline(__always)
    static var current: CallScope { CallScope(rawValue: daybook_scope()) }

    /// The outputs that are being called on this thread.
    var outputs: RouteMask { RouteMask(rawValue: rawValue).outputs }

    /// Runs `body` inside the scope.
    @inline(__always)
    func run<Result>(_ body: () -> Result) -> Result {
        let before = Self.current
        daybook_set_scope(before.union(self).rawValue)
        defer { daybook_set_scope(before.rawValue) }
        return body()
    }
}
