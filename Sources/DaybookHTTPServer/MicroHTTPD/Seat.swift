import CMicroHTTPD
import DaybookBase
import DaybookHTTP

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Glibc
#endif

/// How an open connection ranks when all seats are taken.
struct Seat {
    enum Phase {
        /// Between requests, or before the first.
        case idle
        /// A request is being read.
        case reading
        /// Its handler runs, or its reply streams.
        case working
        /// A reply is being sent.
        case sending
    }

    /// The remote address, or its network.
    var address: String
    /// Whether its last request had a valid key.
    var isKnown: Bool
    var phase: Phase
    /// Start of the phase, on the server's clock.
    var since: UInt64

    /// The connections that give way to newcomers, in this order: without a key and idle or sending a request, then
    /// without a key and taking a reply, then with a key and idle. Within each, addresses above their share come first,
    /// then the longest in that phase. Working connections never give way.
    static func givingWay(among seats: [Seat]) -> [Int] {
        let counts = seats.reduce(into: [String: Int]()) { $0[$1.address, default: 0] += 1 }
        let share = counts.isEmpty ? 0 : seats.count / counts.count
        let ranked = seats.indices.compactMap { index in
            seats[index].rank.map { rank in
                (rank, counts[seats[index].address, default: 0] > share ? 0 : 1, seats[index].since, index)
            }
        }
        return ranked.sorted(by: <).map { $0.3 }
    }

    private var rank: Int? {
        switch (phase, isKnown) {
        case (.idle, false), (.reading, false): 0
        case (.sending, false): 1
        case (.idle, true): 2
        case (.working, _), (.reading, true), (.sending, true): nil
        }
    }
}

extension Connection {
    var seat: Seat {
        state.withLock { state in
            let phase: Seat.Phase
            if let exchange = state.exchange {
                let machine = exchange.machine
                phase =
                    machine.isReading
                    ? .reading : machine.isResponding || exchange.stream != nil ? .working : .sending
            } else {
                phase = state.isReadingHead ? .reading : .idle
            }
            return Seat(
                address: address, isKnown: state.isKnown, phase: phase, since: state.exchange?.began ?? state.since)
        }
    }

    /// Gives up its seat. Only under the table's lock, which keeps the socket open. The library sees the end of the
    /// socket, and closes the connection the usual way.
    func giveUpSeat() { shutdown(socket, Int32(SHUT_RDWR)) }
}

/// How many connections fit in the process's descriptor limit.
enum DescriptorLimit {
    /// For the store, its readers and their processes, files, logs and listening sockets.
    private static let reserve = 192
    /// Fewer connections are useless.
    private static let least = 8
    /// The descriptors to request, if the hard limit permits.
    private static let wanted: rlim_t = 8_192

    /// Raises the process's descriptor limit as needed, and returns how many connections fit.
    /// - Parameter most: the configured limit.
    /// - Throws: ``HTTPServerError`` if almost none fit: such a server would accept and never answer.
    static func connections(most: Int) throws(HTTPServerError) -> Int {
        var limit = rlimit()
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let resource = RLIMIT_NOFILE
        #endif
        guard getrlimit(resource, &limit) == 0 else { return most }
        let raised = min(limit.rlim_max, wanted)
        if limit.rlim_cur < raised {
            var higher = limit
            higher.rlim_cur = raised
            if setrlimit(resource, &higher) == 0 { limit = higher }
        }
        return try connections(most: most, descriptors: Int(clamping: limit.rlim_cur))
    }

    /// As above, for a given number of descriptors.
    static func connections(most: Int, descriptors: Int) throws(HTTPServerError) -> Int {
        guard descriptors >= reserve + least else { throw .tooFewDescriptors(descriptors, least: reserve + least) }
        return min(most, descriptors - reserve)
    }
}
