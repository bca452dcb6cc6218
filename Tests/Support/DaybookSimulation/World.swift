import Daybook
import DaybookBase
import DaybookCollector
import DaybookStore
import DaybookTesting
import DaybookTrials
import Foundation

/// Clients, a collector, its operators, readers, webhooks and attackers in one process, driven by one seed. A step runs
/// until nothing is in flight; then the promises are checked.
package final class World {
    package struct Settings: Sendable {
        package var seed: UInt64
        package var steps = 60
        /// What private values are made of.
        package var secretWord = "amber"
        package var planted: PlantedFault?
        /// Whether disks fail in this world. The system's clock decides when a journal notices that its disk is back,
        /// so such a schedule is not repeatable.
        package var hasBadDisks: Bool { seed.isMultiple(of: 4) }

        package init(seed: UInt64) { self.seed = seed }
    }

    let settings: Settings
    let clock = ManualClock()
    let folder = TemporaryDirectory.inMemory()
    let traffic = Traffic()
    let collector: SimulatedCollector
    var clients: [SimulatedClient] = []
    let older: OlderClient
    var random: SeededGenerator
    /// Clients whose key was revoked, with the number of their records stored by then.
    var revoked: [String: Int] = [:]
    var stored = StoredMarkers()
    var editor: Editor
    /// When the last failed append was noticed, by the monotonic clock.
    var failure: UInt64?
    /// The number of a run started through the API.
    var run: Int64?
    /// The events, without anything that differs between two runs of a seed.
    private(set) var trace: [String] = []
    private var step = 0

    private init(_ settings: Settings) async throws {
        self.settings = settings
        random = SeededGenerator(seed: settings.seed)
        let collector = try await SimulatedCollector(settings, clock: clock, folder: folder.path)
        (self.collector, editor) = (collector, Editor(folder: folder.path))
        let (traffic, planted) = (traffic, settings.planted)
        func network(_ name: String, _ salt: UInt64) -> SimulatedNetwork {
            SimulatedNetwork(
                name, seed: settings.seed &* 0x9E37_79B9_7F4A_7C15 ^ salt, traffic: traffic, planted: planted
            ) { request in await collector.respond(to: request) }
        }
        for (holder, purpose) in [("mallory", StoredKey.Purpose.ingest), ("reader", .read), ("older", .ingest)] {
            try collector.keys.add(holder, purpose)
        }
        older = OlderClient(network: network("older", 99), seed: settings.seed)
        for number in 0..<3 {
            try collector.keys.add("c\(number)", .ingest)
            var salt = UInt64(number * 10)
            clients.append(
                try SimulatedClient(number, key: collector.keys.text("c\(number)"), world: settings, clock: self.clock)
                {
                    salt += 1
                    return network($0, salt)
                })
        }
    }

    deinit { folder.remove() }

    /// Runs one schedule.
    /// - Returns: The events; the same for the same seed.
    /// - Throws: ``BrokenPromise``, or an error of the system.
    package static func run(_ settings: Settings) async throws -> [String] {
        let world = try await World(settings)
        do {
            try await world.run()
        } catch {
            await world.close()
            throw error
        }
        await world.close()
        return world.trace
    }

    /// Runs one schedule twice with different private values: the events and all answers to masked readers must be the
    /// same. Only once where disks fail.
    package static func runTwice(_ settings: Settings) async throws {
        var other = settings
        other.secretWord = "birch"
        let first = try await run(settings)
        let second = settings.hasBadDisks ? first : try await run(other)
        guard let place = zip(first, second).enumerated().first(where: { $1.0 != $1.1 })?.offset else { return }
        throw BrokenPromise(
            promise: .traceIsTheSame, seed: settings.seed, step: place,
            reason: "“\(first[place])” with other private values is “\(second[place])”",
            tail: Array(first[max(0, place - 10)..<place]))
    }

    private func run() async throws {
        while step < settings.steps {
            step += 1
            let next = Step.random(in: settings, using: &random)
            note("step \(step): \(next)")
            try await perform(next)
            try await check()
        }
        try await converge()
    }

    private func close() async {
        for client in clients { await client.close() }
        await collector.close()
    }

    func note(_ event: String) { trace.append(event) }

    func promise(_ promise: Promise, _ isKept: Bool, _ reason: @autoclosure () -> String) throws {
        guard !isKept else { return }
        throw BrokenPromise(
            promise: promise, seed: settings.seed, step: step, reason: reason(), tail: trace.suffix(25))
    }

    /// After each step. Events are noted per sender, because two outputs send at the same time.
    private func check() async throws {
        for client in clients { client.events.forEach(note) }
        older.network.takeEvents().forEach(note)
        try await checkStore()
        try await checkSenders()
        try await checkCollector()
        note("stored \(stored.count)")
    }

    /// Ends all faults; then everything must arrive, and the counts must be exact.
    private func converge() async throws {
        note("all faults end")
        try collector.heal()
        collector.target.set(.answers)
        for client in clients {
            try await giveKey(to: client)
            await client.bringLate()
        }
        for _ in 0..<40 {
            clock.advance(by: .seconds(3_600))
            for client in clients { await client.deliver(.fair) }
            await older.send(0, .fair, collector.keys.text("older"))
            try await check()
            var pending = UInt64(older.pending)
            for client in clients { pending += await client.pending() }
            if pending == 0 { break }
        }
        try await checkEnd()
    }

    func giveKey(to client: SimulatedClient) async throws {
        guard revoked.removeValue(forKey: client.name) != nil else { return }
        try collector.keys.add(client.name, .ingest)
        client.key = collector.keys.text(client.name)
        try await client.relaunch(killed: false)
    }
}
