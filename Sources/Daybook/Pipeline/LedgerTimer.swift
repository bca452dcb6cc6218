/// Says when the ledgers are to be recorded, and has them recorded. Pure but for the call.
struct LedgerTimer {
    private let interval: UInt64
    private let record: @Sendable ([String: Ledger]) -> Void
    private(set) var due = UInt64.max

    /// - Parameters:
    ///   - interval: At least a second.
    ///   - record: Called on the drain thread; must not wait for anything.
    init(interval: Duration, record: @escaping @Sendable ([String: Ledger]) -> Void) {
        self.interval = max(interval, .seconds(1)).nanoseconds
        self.record = record
    }

    mutating func start(now: UInt64) { due = now &+ interval }

    func isDue(now: UInt64) -> Bool { now >= due }

    mutating func announce(_ ledgers: [String: Ledger], now: UInt64) {
        due = now &+ interval
        record(ledgers)
    }
}
