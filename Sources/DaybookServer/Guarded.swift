import Synchronization

#if os(Linux)
    import Glibc
#endif

/// A value behind a `Mutex` whose locking ThreadSanitizer can see.
///
/// On Linux the contended path of `Mutex` lies in the toolchain's library, which is not instrumented: two threads that
/// merely wait for each other are reported as a race (seen with 6.3.1 in a program of one `Mutex` and four threads).
/// Where the sanitizer's runtime is loaded it is told of each acquisition and release, as its interface foresees for
/// locks that it does not know; it then checks everything but the `Mutex` itself. Elsewhere this costs a nil check.
struct Guarded<Value: Sendable>: ~Copyable, Sendable {
    private let mutex: Mutex<Value>
    private let mark = SanitizerMark()

    init(_ value: Value) {
        mutex = Mutex(value)
    }

    /// Runs `body` alone. Not to be nested for the same value.
    borrowing func withLock<Result: Sendable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try mutex.withLock { value throws(Failure) in
            mark?.acquired()
            defer { mark?.releasing() }
            return try body(&value)
        }
    }
}

/// Names one lock to ThreadSanitizer; there is none where its runtime is not loaded.
private final class SanitizerMark: Sendable {
    /// `void (void *)`, as `sanitizer/tsan_interface.h` declares both.
    private typealias Note = @convention(c) (UnsafeMutableRawPointer) -> Void

    private static let acquire = find("__tsan_acquire")
    private static let release = find("__tsan_release")

    init?() {
        guard Self.acquire != nil, Self.release != nil else { return nil }
    }

    func acquired() { Self.acquire?(name) }
    func releasing() { Self.release?(name) }

    /// The object's own address: unique while it lives, and never read through.
    private var name: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    private static func find(_ symbol: String) -> Note? {
        #if os(Linux)
            return dlsym(nil, symbol).map { unsafeBitCast($0, to: Note.self) }
        #else
            return nil  // Here `Mutex` is a system lock, which the sanitizer knows.
        #endif
    }
}
