import DaybookBase
import DaybookHTTP

/// The open connections of a server.
///
/// A connection enters when the library accepted its socket and leaves before the library closes it, both under this
/// lock; so under this lock every socket in the table is open and its number belongs to no one else.
///
/// Locks are taken in this order: table, connection, stream, the library's own. The library holds none of its own that
/// a resume takes while it calls back.
final class ConnectionTable: Sendable {
    private struct State {
        var stage = Stage.serving
        var connections: [ObjectIdentifier: Connection] = [:]
        /// Of those: they have given up their seats, and are open until the library has closed them.
        var leaving: Set<ObjectIdentifier> = []
        var statistics = HTTPServerStatistics()

        /// Those that were let in and are about to come, by the library's thread, and whether only the reserve was left.
        var coming: [UInt: Bool] = [:]

        var seated: Int { connections.count - leaving.count + coming.count }
    }

    /// How many are open.
    let open = ActiveCount()
    private let limit: Int
    /// Of these, how many are for ingest and health alone.
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

    /// Whether one more connection may come, if need be in another's place.
    /// - Parameter thread: the library's, on which the connection is inserted before another may come.
    func admits(onThread thread: UInt) -> Bool {
        state.withLock { state in
            state.coming[thread] = nil
            let isAdmitted = makesRoom(&state)
            if isAdmitted { state.coming[thread] = state.seated >= limit - reserve && reserve > 0 }
            return isAdmitted
        }
    }

    private func makesRoom(_ state: inout State) -> Bool {
        // So many that are being closed may be open beside the limit.
        guard state.stage == .serving, state.leaving.count <= max(64, limit / 8) else {
            state.statistics.refusedConnections += 1
            return false
        }
        if state.seated < limit - reserve { return true }
        let seated = state.connections.values.filter { !state.leaving.contains(ObjectIdentifier($0)) }
        // A few at once, so that not every newcomer costs a look at all.
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
            // A connection that was admitted just before a shutdown began must not miss it. Nothing is under way on
            // it, so there is nothing to clean up.
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

    /// Takes every connection, present and future, to a stage of the shutdown.
    func advance(to stage: Stage) {
        let leftovers = state.withLock { state in
            state.stage = max(state.stage, stage)
            return state.connections.values.flatMap { $0.advance(to: stage) }
        }
        for leftover in leftovers { leftover.release() }
    }

    /// Answers what the library is about to answer by itself on this thread, in its place.
    func answerForLibrary(_ status: Int, onThread thread: UInt) {
        let connections = state.withLock { $0.connections.values.filter { $0.thread == thread } }
        guard status == 505 else {
            for connection in connections { connection.answerForLibrary() }
            return
        }
        // Where more than one may be meant the library's own words do.
        let speakers = connections.filter(\.maySpeakHTTP2)
        if speakers.count == 1 { speakers[0].endHTTP2() }
    }

    /// The bodies that are being read, of which some bytes are held.
    func unfinishedBodies(at now: UInt64) -> [UnfinishedBody] {
        state.withLock { $0.connections.values.compactMap { $0.unfinishedBody(at: now) } }
    }

    /// Counts a body that had to give way.
    func noteDisplaced() { state.withLock { $0.statistics.displacedBodies += 1 } }

    /// Closes what is over its deadline and ends the streams of clients that left.
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

    /// The requests whose handlers work or whose replies stream.
    var exchangesUnderWay: [(connection: Connection, number: Int, head: HTTPRequest.Head)] {
        state.withLock { $0.connections.values.compactMap(\.exchangeUnderWay) }
    }

    /// Ends what is under way for who may not have it any more.
    func revoke(_ connection: Connection, number: Int) {
        let leftovers = state.withLock { state in
            state.connections[ObjectIdentifier(connection)].map { $0.revoke(number: number) } ?? []
        }
        for leftover in leftovers { leftover.release() }
    }
}
