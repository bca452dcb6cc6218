import DaybookBase
import DaybookStore
import DaybookTrials
import Foundation

enum Step {
    case log(client: Int, Int)
    case deliver(client: Int, SimulatedNetwork.Weather)
    case bringLate(client: Int)
    case breakDisk(client: Int)
    case relaunch(client: Int, killed: Bool)
    case olderClient(Int, SimulatedNetwork.Weather)
    case attack(Attack)
    case ask
    case storeTrouble(SimulatedStore.Trouble?)
    case revoke(client: Int)
    case giveKey(client: Int)
    case erase(client: Int)
    case retain
    case edit(Editor.Place, atOnce: Int)
    case editByHand
    case alerts(SimulatedTarget.Mood)
    case startRun
    case importExport(client: Int)
    case advance(seconds: Int)
    case jump(hours: Int)
    case restart

    /// Every choice draws the same random numbers in all worlds of a seed.
    static func random(in world: World.Settings, using random: inout SeededGenerator) -> Step {
        func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
        func one<Choice>(of choices: [Choice]) -> Choice { choices[number(0...choices.count - 1)] }
        let client = number(0...2)
        let weather = one(of: SimulatedNetwork.Weather.allCases + [.fair])
        switch number(0...99) {
        case ..<22: return .log(client: client, number(1...30))
        case ..<40: return .deliver(client: client, weather)
        case ..<43: return .bringLate(client: client)
        case ..<46: return world.hasBadDisks ? .breakDisk(client: client) : .bringLate(client: client)
        case ..<52: return .relaunch(client: client, killed: number(0...2) > 0)
        case ..<56: return .olderClient(number(1...10), weather)
        case ..<63: return .attack(one(of: Attack.allCases))
        case ..<70: return .ask
        case ..<73: return .storeTrouble(nil)
        case ..<78: return .storeTrouble(one(of: SimulatedStore.Trouble.allCases))
        case ..<80: return .revoke(client: client)
        case ..<82: return .giveKey(client: client)
        case ..<84: return .erase(client: client)
        case ..<85: return .retain
        case ..<88: return .edit(one(of: Editor.Place.allCases), atOnce: 6)
        case ..<89: return .editByHand
        case ..<93: return .alerts(one(of: SimulatedTarget.Mood.allCases))
        case ..<94: return .startRun
        case ..<95: return .importExport(client: client)
        case ..<97: return .advance(seconds: number(1...100_000))
        case ..<98: return .jump(hours: number(-5...5))
        default: return .restart
        }
    }
}

extension World {
    func perform(_ step: Step) async throws {
        let keys = collector.keys
        switch step {
        case .log(let number, let count): clients[number].log(count, &random)
        case .deliver(let number, let weather): await clients[number].deliver(weather)
        case .bringLate(let number): await clients[number].bringLate()
        case .breakDisk(let number): clients[number].breakDisk(times: Int.random(in: 1...5, using: &random))
        case .relaunch(let number, let killed): try await clients[number].relaunch(killed: killed)
        case .olderClient(let count, let weather): await older.send(count, weather, keys.text("older"))
        case .attack(let attack): try await perform(attack)
        case .ask: try await askAsReader()
        case .storeTrouble(let trouble): try collector.set(trouble)
        case .revoke(let number):
            try keys.revoke(clients[number].name)
            revoked[clients[number].name] = stored.count(of: clients[number].name)
        case .giveKey(let number): try await giveKey(to: clients[number])
        case .erase(let number): try await erase(clients[number])
        case .retain: try await retain()
        case .edit(let place, let count): try await edit(place, atOnce: count)
        case .editByHand: try editor.editByHand()
        case .alerts(let mood):
            collector.target.set(mood)
            clock.advance(by: .seconds(61))
            await collector.keepAlerts()
        case .startRun:
            let answer = await collector.ask(
                "POST", "/api/v1/runs/start", body: #"{"checklist":"release","tester":"ann"}"#, key: keys.token.text)
            // A store in trouble starts no run.
            if case .int(let id)? = answer.data("id") { run = run ?? id }
        case .importExport(let number): try await importExport(clients[number])
        case .advance(let seconds): clock.advance(by: .seconds(seconds))
        case .jump(let hours): clock.setWall(clock.clock.wall() + Int64(hours) * 3_600_000_000_000)
        case .restart: try await collector.restart()
        }
    }

    private func erase(_ client: SimulatedClient) async throws {
        let answer = await collector.ask(
            "DELETE", "/api/v1/records", [("installation", client.installation)], key: collector.keys.token.text)
        try promise(.requestsAreAnswered, answer.status == 200, "erasing: \(answer.text)")
        stored.erase { marker, _ in marker.hasPrefix(client.name + "-") }
    }

    private func retain() async throws {
        let now = clock.clock.wall()
        let age = Int64(Int.random(in: 1...20, using: &random)) * 3_600_000_000_000
        // A clock in doubt erases nothing.
        guard (try? await collector.store.retain([RetentionRule(age: age)], now: now)) != nil else { return }
        stored.erase { _, arrived in arrived < now - age }
    }

    /// Exports records and imports them again, as a person would.
    private func importExport(_ client: SimulatedClient) async throws {
        var query = RecordQuery()
        query.filter.narrow(by: .field(.installation, client.installation))
        query.limit = 20
        let lines = try await collector.store.page(query).map { RecordLine.text($0) }
        guard !lines.isEmpty else { return }
        _ = await collector.ask(
            "POST", "/api/v1/import", body: lines.joined(separator: "\n"), key: collector.keys.token.text)
    }
}

/// The records in the store and the erased ones, by marker.
struct StoredMarkers {
    private(set) var markers: [String: (copies: Int, arrived: Int64)] = [:]
    private(set) var erased: Set<String> = []
    /// The arrival number up to which the store was read; `0` to read it again.
    private(set) var last: Int64 = 0

    var count: Int { markers.count }

    func count(of sender: String) -> Int { markers.keys.count { $0.hasPrefix(sender + "-") } }

    /// Removes what must be gone now. The store is then read again from the start.
    mutating func erase(where isErased: (_ marker: String, _ arrived: Int64) -> Bool) {
        for (marker, found) in markers where isErased(marker, found.arrived) { erased.insert(marker) }
        arrivals = markers.mapValues(\.arrived)
        (markers, last) = ([:], 0)
    }

    /// Arrival times of what is read again.
    private var arrivals: [String: Int64] = [:]

    mutating func note(_ marker: String?, id: Int64, now: Int64) {
        last = max(last, id)
        guard let marker else { return }
        markers[marker, default: (0, arrivals[marker] ?? now)].copies += 1
    }
}
