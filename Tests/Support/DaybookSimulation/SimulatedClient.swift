import Daybook
import DaybookBase
import DaybookJournal
import DaybookOTLP
import DaybookTesting
import DaybookTrials
import Foundation

/// An app: a real pipeline over its own files, with the simulated clock and network.
///
/// It sends only while ``deliver(_:)`` runs, so that nothing happens outside a step: conditions always hold its routes
/// back, and a flush overrides them. A failed attempt is repeated by the next flush, not by a timer, whose jitter could
/// not be repeated.
final class SimulatedClient {
    /// So long that none of the pipeline's own waits ends.
    private static let never = Duration.seconds(100 * 365 * 86_400)

    let name: String
    /// The records that an output must deliver, in order.
    private(set) var logged: [String] = []
    /// In `Authorization` from the next launch on.
    var key: String
    var installation: String { pipeline.installation }

    private let tags: [String]
    private let outputs: [(id: String, pattern: String, network: SimulatedNetwork)]
    private let clock: ManualClock
    private let files = FaultyFileSystem(over: UnsyncedFileSystem())
    private let planted: PlantedFault?
    private let secretWord: String
    private var directory = TemporaryDirectory.inMemory()
    private var pipeline: Pipeline<EmptyContext>
    private var loggedInLaunch = 0
    private var hadBadDisk = false
    /// The number of records left by the launch before. A range, since a killed launch or a failed disk may have
    /// forgotten what it delivered.
    private var inherited: ClosedRange<UInt64> = 0...0

    /// - Parameter network: Makes an output's network.
    init(
        _ number: Int, key: String, world: World.Settings, clock: ManualClock, network: (String) -> SimulatedNetwork
    ) throws {
        name = "c\(number)"
        (self.key, self.clock, planted, secretWord) = (key, clock, world.planted, world.secretWord)
        // Some apps have two outputs, for different tags.
        let routes = number % 2 == 0 ? [("all", "**")] : [("feed", "feed.**"), ("shop", "shop.**")]
        outputs = routes.map { [name] in ($0.0, $0.1, network("\(name)/\($0.0)")) }
        tags = ["feed.show_article", "feed.tap_article", "shop.buy"]
        pipeline = try Self.open(directory, files, outputs, key, clock)
    }

    deinit { directory.remove() }

    private static func open(
        _ directory: TemporaryDirectory, _ files: FaultyFileSystem,
        _ outputs: [(id: String, pattern: String, network: SimulatedNetwork)], _ key: String, _ clock: ManualClock
    ) throws -> Pipeline<EmptyContext> {
        var options = PipelineOptions()
        options.clock = clock.clock
        options.backoff = Backoff(initial: never, maximum: never)
        options.conditions = LowPower()
        options.report = { _ in }
        options.journal = smallOptions(cap: 16 << 20)
        let store = LogStore.directory(directory.url, files: files)
        return try Pipeline(store: store, options: options) {
            Drop("debug.**")
            for output in outputs {
                Route(
                    output.pattern,
                    to: OTLPOutput(
                        endpoint: URL(string: "http://collector.example")!, key: key, id: output.id,
                        compression: .none, transport: output.network.nextLaunch()),
                    batch: BatchLimits(delay: never), waits: .while([.lowPower], atMost: never))
            }
        }
    }

    // MARK: What an app does

    func log(_ count: Int, _ random: inout SeededGenerator) {
        for _ in 0..<count {
            let marker = Marker.record(name, logged.count + 1)
            let tag = tags.randomElement(using: &random) ?? tags[0]
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                // What a filter drops is not a record.
                pipeline.log("debug.noise").info("nothing")
                continue
            case 1:
                pipeline.log(tag).start("load").end([Marker.attribute: .string(marker)])
            default:
                pipeline.log().post(
                    tag,
                    [
                        Marker.attribute: .string(marker),
                        Marker.privateAttribute: .string(Marker.secret(secretWord, marker)),
                    ] as Attributes)
            }
            logged.append(marker)
            loggedInLaunch += 1
        }
    }

    /// Sends what waits, until it has arrived or an attempt has failed.
    func deliver(_ weather: SimulatedNetwork.Weather) async {
        for output in outputs { output.network.set(weather) }
        // Shorter than any wait a receiver may ask for; the clock stands still.
        try? await pipeline.flush(deadline: .milliseconds(1), ignoringWaits: true)
    }

    func bringLate() async {
        for output in outputs { await output.network.bringLate() }
    }

    func breakDisk(times: Int) {
        hadBadDisk = true
        files.fail([.open, .write, .sync, .rename, .allocate], code: EIO, times: times)
    }

    /// The next launch: after an orderly end, or with the files as a kill left them.
    func relaunch(killed: Bool) async throws {
        files.heal()
        let ledgers = await pipeline.ledgers().values
        let pending = ledgers.reduce(0) { $0 + $1.pending }
        let delivered = ledgers.reduce(0) { $0 + $1.delivered }
        inherited = pending...(killed || hadBadDisk ? pending + delivered : pending)
        let image = try directory.snapshot()
        await close()
        if killed {
            directory.remove()
            directory = .inMemory()
            try directory.restore(planted == .losesJournal ? [:] : image)
        }
        pipeline = try Self.open(directory, files, outputs, key, clock)
        (loggedInLaunch, hadBadDisk) = (0, false)
    }

    /// Ends without sending.
    func close() async {
        for output in outputs { _ = output.network.nextLaunch() }
        await pipeline.shutdown(deadline: .zero)
    }

    // MARK: Checks

    var events: [String] { outputs.flatMap { $0.network.takeEvents() } }

    func pending() async -> UInt64 { await pipeline.ledgers().values.reduce(0) { $0 + $1.pending } }

    /// A mistake in the client's accounts; `nil` for none.
    func mistakeInAccounts() async -> String? {
        let ledgers = await pipeline.ledgers()
        var (accepted, recovered) = (UInt64(0), UInt64(0))
        for (id, ledger) in ledgers {
            let dropped = ledger.dropped.values.reduce(0, +)
            guard ledger.delivered + ledger.quarantined + dropped <= ledger.accepted else {
                return "\(name)/\(id) counts more than it accepted: \(ledger)"
            }
            guard dropped == 0, ledger.quarantined == 0 else { return "\(name)/\(id) has given records up: \(ledger)" }
            accepted += ledger.accepted
            recovered += ledger.recovered
        }
        let own = accepted - recovered
        guard own == UInt64(loggedInLaunch) else {
            return "\(name) logged \(loggedInLaunch) records and accepted \(own)"
        }
        guard inherited.contains(recovered) else {
            return "\(name) found \(recovered) records of the launch before, which left \(inherited)"
        }
        return nil
    }
}

/// A device that is always in Low Power Mode.
private struct LowPower: ConditionSource {
    func start(_ changed: @escaping @Sendable (DeliveryConditions) -> Void) { changed(.lowPower) }
}
