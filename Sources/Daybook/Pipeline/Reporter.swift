import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Tells the developer what Daybook cannot do: each text once.
final class Reporter: Sendable {
    private let said = Mutex<Set<String>>([])
    private let say: @Sendable (String) -> Void
    /// After so many different texts the reporter is silent: something is wrong that more lines do not explain.
    private static let maximum = 100

    init(_ say: @escaping @Sendable (String) -> Void) { self.say = say }

    func report(_ text: String) {
        let isNew = said.withLock { $0.count < Self.maximum && $0.insert(text).inserted }
        if isNew { say(text) }
    }

    /// One line on standard error.
    static let standardError: @Sendable (String) -> Void = { text in
        let line = Array("daybook: \(text)\n".utf8)
        // A failed write to standard error has nowhere to be reported.
        _ = line.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
    }
}
