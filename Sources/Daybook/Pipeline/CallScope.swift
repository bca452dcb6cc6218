#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Which outputs and filters the current thread is inside of, so that what they log themselves cannot come back to them
/// without end.
///
/// Kept in a thread-specific value of the system: one word, no allocation, and nothing to clean up when a thread ends.
struct CallScope: Sendable {
    private let mask: RouteMask

    /// Within an output that is called on this thread.
    static func output(_ index: Int) -> CallScope { CallScope(mask: RouteMask(output: index)) }

    /// Within a filter.
    static let filter = CallScope(mask: .filtered)

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        // It fails only when the process has used up all its keys; the value then reads as "inside nothing".
        pthread_key_create(&key, nil)
        return key
    }()

    private static var current: RouteMask {
        RouteMask(rawValue: UInt32(truncatingIfNeeded: UInt(bitPattern: pthread_getspecific(key))))
    }

    /// The outputs that are being called on this thread.
    static var outputsBeingCalled: RouteMask { current.outputs }

    /// Whether a filter is running on this thread.
    static var isInFilter: Bool { current.contains(.filtered) }

    /// Runs `body` inside the scope.
    func run(_ body: () -> Void) {
        let before = Self.current
        pthread_setspecific(Self.key, UnsafeRawPointer(bitPattern: UInt(before.union(mask).rawValue)))
        body()
        pthread_setspecific(Self.key, UnsafeRawPointer(bitPattern: UInt(before.rawValue)))
    }
}
