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

/// The world outside a journal: files, clocks, randomness. `live` is the real one; tests replace parts.
public struct JournalSystem: Sendable {
    public var files: any JournalFileSystem
    /// Nanoseconds of a clock that never goes back, for all schedules. Whether it runs during sleep depends on the
    /// system.
    public var monotonicNanoseconds: @Sendable () -> UInt64
    /// Nanoseconds since 1970. Recorded in segments for people; no decision depends on it.
    public var wallNanoseconds: @Sendable () -> UInt64
    /// Waits about this many nanoseconds, between a log call's looks for room in a full ring. `live` spins below 10 µs,
    /// because a sleep would take ten times as long.
    public var pause: @Sendable (UInt64) -> Void
    /// Random bits for epochs, salts and ids.
    public var random: @Sendable () -> UInt64
    /// Identifies this boot of the machine. Monotonic times compare within one boot only.
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

    /// The machine's own.
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
                var time = timespec(tv_sec: 0, tv_nsec: Int(truncatingIfNeeded: min(nanoseconds, 999_999_999)))
                nanosleep(&time, nil)
            })
    }

    func randomID() -> JournalID {
        JournalID(high: random(), low: random())
    }
}

/// Read once, because it cannot change during the process's life; zero if the system does not tell.
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
