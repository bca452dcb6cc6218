import DaybookBase
import DaybookHTTP

/// Who sends a body: a key that was checked, and an address.
struct BodyClient: Hashable {
    var key: String?
    var address: String

    /// - Parameter peer: the other end with its port, `127.0.0.1:51234` or `[::1]:51234`.
    init(key: String? = nil, peer: String) {
        self.key = key
        address = PeerAddress.network(of: peer)
    }

    /// All clients with the same key, or, without one, with the same address.
    var group: BodyGroup { key.map { .key($0) } ?? .address(address) }
}

/// Clients that share a part of the room.
enum BodyGroup: Hashable {
    case key(String)
    case address(String)
}

/// Whose bodies have to give way.
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

/// An unfinished body.
struct UnfinishedBody {
    var connection: Connection
    var client: BodyClient
    var began: UInt64
    /// Whether little or nothing has come of it lately.
    var isSlow: Bool
}

/// The bytes that all clients' bodies take together, so that many clients cannot fill the memory where one cannot.
///
/// As long as there is room anybody may have all of it. Where it is short, a client with less than its share can displace
/// one with more: the room is shared equally by keys, and by addresses among those without a key; and what one key has, by
/// its addresses. So neither many connections of one address, nor one phone with everybody's key, starve the others, and
/// phones of different keys behind one carrier's address do not starve each other.
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

    /// Whether a body of this length would have room now.
    func hasRoom(for count: Int) -> Bool { current + count <= limit }

    /// Takes room for bytes that came; `false` where there is none, and then none is taken.
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

    /// Who has to give way to a client that wants so many more bytes: whoever has the most, if the client has less than its
    /// share with them; `nil` for nobody.
    func victim(of client: BodyClient, wanting count: Int) -> BodyVictim? {
        let byClient = state.withLock { $0.byClient }
        var groups = byClient.reduce(into: [BodyGroup: Int]()) { $0[$1.key.group, default: 0] += $1.value }
        groups[client.group, default: 0] += count
        if let largest = Self.larger(than: client.group, in: groups, of: limit) { return .group(largest) }
        var clients = byClient.filter { $0.key.group == client.group }
        clients[client, default: 0] += count
        // What others have is not this group's to share.
        let room = min(limit, max(groups[client.group] ?? 0, count))
        return Self.larger(than: client, in: clients, of: room).map { .client($0) }
    }

    /// The one with the most, if that is more than an equal share and the asking one has no more than one.
    private static func larger<Name: Hashable>(than asking: Name, in amounts: [Name: Int], of room: Int) -> Name? {
        let share = room / amounts.count
        guard amounts[asking] ?? 0 <= share, let largest = amounts.max(by: { $0.value < $1.value }),
            largest.key != asking, largest.value > share
        else { return nil }
        return largest.key
    }
}
