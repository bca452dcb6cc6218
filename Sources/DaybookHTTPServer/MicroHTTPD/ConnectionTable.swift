import DaybookBase
import DaybookHTTP

/// A server's open connections.
///
/// A connection enters after the library accepts its socket and leaves before the library closes it, both under this
/// lock. So under it, every socket in the table is open, and its descriptor belongs to no other.
///
/// Lock order: table, connection, stream, the library's own. During callbacks, the library holds no lock that a resume
/// takes.
final class ConnectionTable: Sendable {
    private struct State {
        var stage = Stage.serving
        var connections: [ObjectIdentifier: Connection] = [:]
        /// Those that gave up their seats, but that the library has not closed yet.
        var leaving: Set<ObjectIdentifier> = []
        var statistics = HTTPServerStatistics()

        /// Admitted connections that are about to be inserted, by library thread, with whether only the reserve was
        /// left.
        var coming: [UInt: Bool] = [:]

        var seated: Int { connections.count - leaving.count + coming.count }
    }

    let open = ActiveCount()
    private let limit: Int
    /// Seats reserved for ingest and health.
    private var reserve: Int { limit / 16 }
    private let state = Mutex(State())

    init(limit: Int) {
        self.limit = limit
    }

    var statistics: HTTPServerStatistics {
        state.withLock { state in
            var result = state.statistics
            result.openConnections = state.connections.count
            return result
        }
    }

    /// Whether to admit a connection, displacing another if necessary.
    /// - Parameter thread: the library's; it inserts the connection before it admits another.
    func admits(onThread thread: UInt) -> Bool {
        state.withLock { state in
            state.coming[thread] = nil
            let isAdmitted = makesRoom(&state)
            if isAdmitted { state.coming[thread] = state.seated >= limit - reserve && reserve > 0 }
            return isAdmitted
        }
    }

    private func makesRoom(_ state: inout State) -> Bool {
        // Bounds the connections still closing, which come on top of the limit.
        guard state.stage == .serving, state.leaving.count <= max(64, limit / 8) else {
            state.statistics.refusedConnections += 1
            return false
        }
        if state.seated < limit - reserve { return true }
        let seated = state.connections.values.filter { !state.leaving.contains(ObjectIdentifier($0)) }
        // Displace several at once, so that not every newcomer causes a full scan.
        for index in Seat.givingWay(among: seated.map(\.seat)).prefix(max(1, limit / 64)) {
            seated[index].giveUpSeat()
            state.leaving.insert(ObjectIdentifier(seated[index]))
            state.statistics.displacedConnections += 1
        }
        if state.seated < limit { return true }
        state.statistics.refusedConnections += 1
        return false
    }

    func insert(_ connection: Connection) {
        open.begin()
        state.withLock { state in
            let isInReserve = state.coming.removeValue(forKey: connection.thread) ?? false
            connection.isInReserve.store(isInReserve, ordering: .relaxed)
            state.connections[ObjectIdentifier(connection)] = connection
            state.statistics.acceptedConnections += 1
            // A connection admitted just before a shutdown must not miss it. It has no request yet, so there is no
            // leftover.
            _ = connection.advance(to: state.stage)
        }
    }

    func remove(_ connection: Connection) {
        state.withLock { state in
            state.leaving.remove(ObjectIdentifier(connection))
            state.connections.removeValue(forKey: ObjectIdentifier(connection))
        }
        open.end()
    }

    /// Advances all connections, present and future, to a shutdown stage.
    func advance(to stage: Stage) {
        let leftovers = state.withLock { state in
            state.stage = max(state.stage, stage)
            return state.connections.values.flatMap { $0.advance(to: stage) }
        }
        for leftover in leftovers { leftover.release() }
    }

    /// Answers before the library does on this thread.
    func answerForLibrary(_ status: Int, onThread thread: UInt) {
        let connections = state.withLock { $0.connections.values.filter { $0.thread == thread } }
        guard status == 505 else {
            for connection in connections { connection.answerForLibrary() }
            return
        }
        // If the connection is ambiguous, the library's own answer stands.
        let speakers = connections.filter(\.maySpeakHTTP2)
        if speakers.count == 1 { speakers[0].endHTTP2() }
    }

    /// Bodies being read, with some bytes held.
    func unfinishedBodies(at now: UInt64) -> [UnfinishedBody] {
        state.withLock { $0.connections.values.compactMap { $0.unfinishedBody(at: now) } }
    }

    /// Counts a displaced body.
    func noteDisplaced() { state.withLock { $0.statistics.displacedBodies += 1 } }

    /// Closes overdue connections, and ends the streams of disconnected clients.
    func sweep(at now: UInt64) {
        let leftovers = state.withLock { state in
            var leftovers: [Leftover] = []
            for connection in state.connections.values {
                let result = connection.sweep(at: now)
                if result.hasExpired { state.statistics.expiredConnections += 1 }
                if let leftover = result.leftover { leftovers.append(leftover) }
            }
            return leftovers
        }
        for leftover in leftovers { leftover.release() }
    }

    /// Requests whose handlers run or whose replies stream.
    var exchangesUnderWay: [(connection: Connection, number: Int, head: HTTPRequest.Head)] {
        state.withLock { $0.connections.values.compactMap(\.exchangeUnderWay) }
    }

    /// Ends an exchange whose key was revoked.
    func revoke(_ connection: Connection, number: Int) {
        let leftovers = state.withLock { state in
            state.connections[ObjectIdentifier(connection)].map { $0.revoke(number: number) } ?? []
        }
        for leftover in leftovers { leftover.release() }
    }
}
