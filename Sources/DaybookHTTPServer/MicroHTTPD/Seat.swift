import CMicroHTTPD
import DaybookBase
import DaybookHTTP

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What an open connection is to those who come when all are taken.
struct Seat {
    enum Phase {
        /// Between two requests, or before the first.
        case idle
        /// A request comes.
        case reading
        /// Its handler works, or its reply streams.
        case working
        /// A reply goes out.
        case sending
    }

    /// The other end's, or its network.
    var address: String
    /// Whether its last request had a sender's key.
    var isKnown: Bool
    var phase: Phase
    /// Since when, on the server's clock.
    var since: UInt64

    /// Who of these gives way to newcomers, in this order: who has shown no key and does nothing or is still asking, then who
    /// is still reading without one, then who has one and does nothing; of these, those of an address with more than its share
    /// before others, and then those that have been so for the longest time. Nobody who works.
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

    /// Gives its seat up. Only under the table's lock, which keeps the socket open: the library finds it at its end and
    /// closes the connection by its usual path.
    func giveUpSeat() { shutdown(socket, Int32(SHUT_RDWR)) }
}

/// How many connections a process can have open beside the files that it needs.
enum DescriptorLimit {
    /// For the store, its readers and their processes, files, logs and listening sockets.
    private static let reserve = 192
    /// A server with fewer connections serves nobody.
    private static let least = 8
    /// Descriptors that are asked for, where the system lets the process have more than it does by itself.
    private static let wanted: rlim_t = 8_192

    /// Raises the process's limit of descriptors as far as it may, and says how many connections there is room for.
    /// - Parameter most: what was asked for.
    /// - Throws: ``HTTPServerError`` where there is room for next to none: such a server would accept and not answer.
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

    /// The same, of so many descriptors.
    static func connections(most: Int, descriptors: Int) throws(HTTPServerError) -> Int {
        guard descriptors >= reserve + least else { throw .tooFewDescriptors(descriptors, least: reserve + least) }
        return min(most, descriptors - reserve)
    }
}
