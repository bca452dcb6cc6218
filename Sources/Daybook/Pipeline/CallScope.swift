#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Which outputs and filters the current thread is inside of, and whether it is encoding, so that what they log themselves
/// cannot come back to them without end.
///
/// Kept in a thread-specific value of the system: one word, no allocation, and nothing to clean up when a thread ends.
struct CallScope: OptionSet, Sendable {
    let rawValue: UInt32

    /// Within an output that is called on this thread.
    static func output(_ index: Int) -> CallScope { CallScope(rawValue: RouteMask(output: index).rawValue) }

    /// Within a filter.
    static let filter = CallScope(rawValue: RouteMask.filtered.rawValue)

    /// Within what a record is encoded by, under the journal's lock.
    static let encoding = CallScope(rawValue: 1 << 31)

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        // It fails only when the process has used up all its keys; the value then reads as "inside nothing".
        pthread_key_create(&key, nil)
        return key
    }()

    /// What this thread is inside of.
    static var current: CallScope {
        CallScope(rawValue: UInt32(truncatingIfNeeded: UInt(bitPattern: pthread_getspecific(key))))
    }

    /// The outputs that are being called on this thread.
    var outputs: RouteMask { RouteMask(rawValue: rawValue).outputs }

    /// Runs `body` inside the scope.
    func run<Result>(_ body: () -> Result) -> Result {
        let before = Self.current
        pthread_setspecific(Self.key, UnsafeRawPointer(bitPattern: UInt(before.union(self).rawValue)))
        defer { pthread_setspecific(Self.key, UnsafeRawPointer(bitPattern: UInt(before.rawValue))) }
        return body()
    }
}
