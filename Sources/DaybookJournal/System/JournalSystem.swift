import CThreads

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Glibc
#endif

/// Everything that a journal takes from the world outside: files, clocks, randomness. `live` is the real one; a test
/// replaces what it wants to steer.
public struct JournalSystem: Sendable {
    /// File operations.
    public var files: any JournalFileSystem
    /// Nanoseconds of a clock that never goes back, and stands still or runs on during sleep as the system has it.
    /// All schedules use it.
    public var monotonicNanoseconds: @Sendable () -> UInt64
    /// Nanoseconds since 1970 by the wall clock. Recorded in segments for people; no decision depends on it.
    public var wallNanoseconds: @Sendable () -> UInt64
    /// Waits so many nanoseconds, about: a log call that finds the ring full, while the log is being written. A wait
    /// of less than 10 µs is spent awake, because a sleep would take ten times as long.
    public var pause: @Sendable (UInt64) -> Void
    /// Random bits for epochs, salts and the journal's own id.
    public var random: @Sendable () -> UInt64
    /// What names this boot of the machine; monotonic times compare within one boot only.
    public var boot: JournalID

    public init(
        files: any JournalFileSystem, monotonicNanoseconds: @escaping @Sendable () -> UInt64,
        wallNanoseconds: @escaping @Sendable () -> UInt64, random: @escaping @Sendable () -> UInt64, boot: JournalID,
        pause: @escaping @Sendable (UInt64) -> Void = { _ in }
    ) {
        self.files = files
        self.monotonicNanoseconds = monotonicNanoseconds
        self.wallNanoseconds = wallNanoseconds
        self.random = random
        self.boot = boot
        self.pause = pause
    }

    /// The machine itself.
    public static var live: JournalSystem {
        JournalSystem(
            files: PosixFileSystem(), monotonicNanoseconds: { UInt64(daybook_monotonic_time()) },
            wallNanoseconds: { UInt64(daybook_wall_time()) },
            random: {
                var generator = SystemRandomNumberGenerator()
                return generator.next()
            }, boot: currentBoot,
            pause: { nanoseconds in
                guard nanoseconds >= 10_000 else {
                    let end = UInt64(daybook_monotonic_time()) &+ nanoseconds
                    while UInt64(daybook_monotonic_time()) < end { sched_yield() }
                    return
                }
                var time = timespec(tv_sec: 0, tv_nsec: Int(min(nanoseconds, 999_999_999)))
                nanosleep(&time, nil)
            })
    }

    /// 128 random bits.
    func randomID() -> JournalID {
        JournalID(high: random(), low: random())
    }
}

/// Read once: it cannot change while this process lives. All zero where the system does not tell.
private let currentBoot: JournalID = {
    var text = [UInt8](repeating: 0, count: 64)
    #if canImport(Darwin)
        var size = text.count
        let known = sysctlbyname("kern.bootsessionuuid", &text, &size, nil, 0) == 0
    #else
        let descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        let known = descriptor >= 0 && read(descriptor, &text, text.count) > 0
        if descriptor >= 0 { close(descriptor) }
    #endif
    return known ? JournalID(hexDigitsOf: text) ?? JournalID(high: 0, low: 0) : JournalID(high: 0, low: 0)
}()
