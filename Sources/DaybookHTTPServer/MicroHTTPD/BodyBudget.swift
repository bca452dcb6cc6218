import DaybookBase
import DaybookHTTP

/// A body's sender: a verified key, and an address.
struct BodyClient: Hashable {
    var key: String?
    var address: String

    /// - Parameter peer: with port, `127.0.0.1:51234` or `[::1]:51234`.
    init(key: String? = nil, peer: String) {
        self.key = key
        address = PeerAddress.network(of: peer)
    }

    var group: BodyGroup { key.map { .key($0) } ?? .address(address) }
}

/// Clients that share one part of the budget.
enum BodyGroup: Hashable {
    case key(String)
    case address(String)
}

/// Whose bodies are abandoned.
enum BodyVictim: Equatable {
    case group(BodyGroup)
    case client(BodyClient)

    func covers(_ client: BodyClient) -> Bool {
        switch self {
        case .group(let group): client.group == group
        case .client(let one): one == client
        }
    }
}

struct UnfinishedBody {
    var connection: Connection
    var client: BodyClient
    var began: UInt64
    /// Whether it has made little progress lately.
    var isSlow: Bool
}

/// The memory for all clients' bodies, so that many clients cannot exhaust it together.
///
/// While there is room, anyone may use it all. When it is short, a client below its share displaces one above it. Keys
/// share the budget equally, and so do addresses without a key; a key's part is shared by its addresses. So neither
/// many connections of one address, nor one phone with an app's shared key, starve others, and phones of different keys
/// behind a carrier's NAT do not starve each other.
final class BodyBudget: Sendable {
    private struct State {
        var used = 0
        var byClient: [BodyClient: Int] = [:]
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) {
        self.limit = limit
    }

    var current: Int { state.withLock { $0.used } }

    /// Whether a body of this length would fit now.
    func hasRoom(for count: Int) -> Bool { current + count <= limit }

    /// Takes room for received bytes, or nothing.
    func take(_ count: Int, of client: BodyClient) -> Bool {
        state.withLock { state in
            guard state.used + count <= limit else { return false }
            state.used += count
            state.byClient[client, default: 0] += count
            return true
        }
    }

    func giveBack(_ count: Int, of client: BodyClient) {
        guard count > 0 else { return }
        state.withLock { state in
            state.used -= count
            let rest = (state.byClient[client] ?? 0) - count
            state.byClient[client] = rest > 0 ? rest : nil
        }
    }

    /// Who must give way to a client that wants `count` more bytes: the largest holder, if the client is below its
    /// share; otherwise nobody.
    func victim(of client: BodyClient, wanting count: Int) -> BodyVictim? {
        let byClient = state.withLock { $0.byClient }
        var groups = byClient.reduce(into: [BodyGroup: Int]()) { $0[$1.key.group, default: 0] += $1.value }
        groups[client.group, default: 0] += count
        if let largest = Self.larger(than: client.group, in: groups, of: limit) { return .group(largest) }
        var clients = byClient.filter { $0.key.group == client.group }
        clients[client, default: 0] += count
        // A group divides only what it holds itself.
        let room = min(limit, max(groups[client.group] ?? 0, count))
        return Self.larger(than: client, in: clients, of: room).map { .client($0) }
    }

    /// The largest holder, if it is above an equal share and the asking one is not.
    private static func larger<Name: Hashable>(than asking: Name, in amounts: [Name: Int], of room: Int) -> Name? {
        let share = room / amounts.count
        guard amounts[asking] ?? 0 <= share, let largest = amounts.max(by: { $0.value < $1.value }),
            largest.key != asking, largest.value > share
        else { return nil }
        return largest.key
    }
}
