import DaybookBase

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Glibc
#endif

/// Decides when a statement process has taken too much memory, for a system that does not bound it itself.
///
/// What a process takes between two readings, some tens of megabytes, comes on top. SQLite counts its own memory at each
/// allocation; this is for what else the process takes, such as libpq's results.
package struct MemoryWatch: Sendable {
    package enum Verdict { case goOn, stop }

    /// Between readings.
    package static let interval = Duration.milliseconds(10)

    /// Apple's systems have no limit on what `malloc` takes, so there the parent watches; elsewhere the kernel refuses
    /// more, and nobody watches: `nil`.
    package static var ofSystem: MemoryWatch? {
        #if canImport(Darwin)
            MemoryWatch(most: ProcessLimits.memory + ProcessLimits.ownMemory, reader: footprint)
        #else
            nil
        #endif
    }

    private let most: Int
    private let reader: @Sendable (pid_t) -> Int?
    private var due: ContinuousClock.Instant?

    /// - Parameters:
    ///   - most: bytes that a process may have.
    ///   - reader: the bytes that a process has now; `nil` if it has ended.
    package init(most: Int, reader: @escaping @Sendable (pid_t) -> Int?) {
        (self.most, self.reader) = (most, reader)
    }

    /// Reads the process's memory if the last reading is old enough.
    package mutating func verdict(on process: pid_t, at now: ContinuousClock.Instant) -> Verdict {
        if let due, now < due { return .goOn }
        due = now + Self.interval
        return (reader(process) ?? 0) > most ? .stop : .goOn
    }

    #if canImport(Darwin)
        /// The memory that the system charges to a process: resident or compressed, without what it shares.
        private static func footprint(of process: pid_t) -> Int? {
            var usage = rusage_info_v2()
            // The function takes every version of the structure by the pointer type of them all.
            let code = withUnsafeMutablePointer(to: &usage) {
                $0.withMemoryRebound(to: rusage_info_t?.self, capacity: 1) {
                    proc_pid_rusage(process, RUSAGE_INFO_V2, $0)
                }
            }
            return code == 0 ? Int(clamping: usage.ri_phys_footprint) : nil
        }
    #endif
}
