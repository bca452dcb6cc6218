import DaybookBase
import DaybookCollector
import DaybookStore

/// Maintenance of the store: watches the log's size, and periodically rereads everything to find corruption.
final class StoreDuties: Sendable {
    /// Before the first check, and between checks.
    private static let pauses: (first: Duration, others: Duration) = (.seconds(300), .seconds(86_400))
    /// Sleep per time worked: about 5 percent of a core.
    private static let rest = 20
    /// The most damages logged per check; all are counted.
    private static let mostTold = 10

    private let store: any EventStore
    private let log: OwnLog
    /// Found by the current and the previous check.
    private let damages = Mutex((now: 0, before: 0))

    init(store: any EventStore, log: OwnLog) { (self.store, self.log) = (store, log) }

    func run() async {
        await withTaskGroup { group in
            group.addTask { await self.watchLog() }
            group.addTask { await self.checkStore() }
        }
    }

    func write(to text: inout PrometheusText) {
        text.add(
            "daybook_store_damages", .gauge,
            "Damages that the present or the last reading of the whole store has found: see the log.",
            damages.withLock { max($0.now, $0.before) })
    }

    private func watchLog() async {
        var report = LogReport()
        repeat {
            for notice in await store.notices() { log.event("daybook.store.index", .warning, notice) }
            guard let use = await store.diskUse(), let change = report.next(use.log) else { continue }
            log.event("daybook.store.log", change.isFailure ? .warning : .info, change.message)
        } while (try? await Task.sleep(for: .seconds(5))) != nil
    }

    private func checkStore() async {
        var pause = Self.pauses.first
        while (try? await Task.sleep(for: pause)) != nil {
            pause = Self.pauses.others
            damages.withLock { $0 = (0, max($0.now, $0.before)) }
            do {
                try await store.check(resting: Self.rest) { [self] in tell($0) }
            } catch is CancellationError {
                return
            } catch {
                tell("\(error)")
            }
            damages.withLock { $0.before = $0.now }
        }
    }

    private func tell(_ damage: String) {
        let count = damages.withLock { damages in
            damages.now += 1
            return damages.now
        }
        guard count <= Self.mostTold else { return }
        log.event("daybook.store.damaged", .error, "The store is damaged: \(damage)")
    }
}

/// Reports when the write-ahead log cannot be checkpointed, and when that ends (pure).
struct LogReport {
    /// Twice the size at which it is truncated.
    private static let limit: Int64 = 256 << 20
    private var isLarge = false

    mutating func next(_ bytes: Int64) -> (message: String, isFailure: Bool)? {
        guard isLarge ? bytes <= Self.limit / 2 : bytes > Self.limit else { return nil }
        isLarge.toggle()
        guard isLarge else { return ("The store's write-ahead log was emptied.", false) }
        return (
            "The store's write-ahead log has \(bytes) bytes and grows: another program has read an older state of the store "
                + "for long, such as an open sqlite3 or a backup. End it.", true
        )
    }
}
