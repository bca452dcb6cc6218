import DaybookBase
import DaybookHTTP
import Dispatch

/// Serves an `HTTPHandler` over HTTP/1.1.
///
/// Every request passes the `Host` and `Origin` check (`HostGuard`) before the handler sees it. `admit` is called on
/// one of the few threads that serve all sockets and must not block; `respond` runs on threads for its kind of work
/// (``HTTPWork``).
///
/// Safe to use from any thread. A server is started once and stopped once; one that is let go of without `stop` keeps
/// serving until the process ends.
public final class HTTPServer: Sendable {
    private enum State {
        case idle
        case running(Daemons, ServerCore, [String], port: Int)
        case stopped(Task<Void, Never>)
    }

    private let configuration: HTTPServerConfiguration
    private let handler: any HTTPHandler
    private let clock: MonotonicClock
    private let onExchange: (@Sendable (ServedRequest) -> Void)?
    private let denials = Denials()
    private let state = Mutex(State.idle)

    /// A server; nothing is bound before `start`.
    ///
    /// - Parameters:
    ///   - handler: answers what passed the `Host` and `Origin` check.
    ///   - onExchange: told of every finished request whose head could be parsed, on a thread that serves sockets:
    ///     it must not block. Default none.
    ///   - clock: for the time limits.
    public init(
        configuration: HTTPServerConfiguration = HTTPServerConfiguration(), handler: any HTTPHandler,
        clock: MonotonicClock = .system, onExchange: (@Sendable (ServedRequest) -> Void)? = nil
    ) {
        self.configuration = configuration
        self.handler = handler
        self.clock = clock
        self.onExchange = onExchange
    }

    /// Binds the addresses and begins to serve.
    ///
    /// - Returns: the port, the one the system chose where 0 was configured.
    /// - Throws: `HTTPServerError`: an address is in use or not this machine's, the port needs a privilege, the
    ///   process may have too few descriptors, or the server was started before. Nothing is left open then.
    @discardableResult
    public func start() throws(HTTPServerError) -> Int {
        try state.withLock { state throws(HTTPServerError) in
            guard case .idle = state else { throw .alreadyStarted }
            var limits = configuration.limits
            limits.connections = try DescriptorLimit.connections(most: limits.connections)
            let sockets = try ListeningSockets.open(addresses: configuration.addresses, port: configuration.port)
            let port = sockets[0].port
            let endpoints = sockets.map { SocketAddress.endpoint($0.address, $0.port) }
            // A bound address is a name that the user chose to be reached by; "all addresses" are those that the machine
            // has now.
            let bound = sockets.flatMap { socket in
                (SocketAddress.isAny(socket.address)
                    ? SocketAddress.ofInterfaces(like: socket.address) : [socket.address])
                    .map { SocketAddress.endpoint($0, socket.port) }
            }
            let policy = HostPolicy(
                loopbackPort: port, names: configuration.hostNames, addresses: bound, isSecure: configuration.tls != nil
            )
            let core = ServerCore(
                handler: HostGuard(policy, around: handler) { [denials] in
                    denials.count.add(1, ordering: .relaxed)
                }, limits: limits, clock: clock,
                isSecure: configuration.tls != nil, onExchange: onExchange)
            let daemons = try Daemons.start(
                on: sockets, threads: configuration.threads, tls: configuration.tls, core: core)
            state = .running(daemons, core, endpoints, port: port)
            return port
        }
    }

    /// The bound port; `nil` before the start and after the stop.
    public var port: Int? {
        state.withLock { if case .running(_, _, _, let port) = $0 { port } else { nil } }
    }

    /// The bound addresses with their port, as they stand in a URL; empty before the start and after the stop.
    public var endpoints: [String] {
        state.withLock { if case .running(_, _, let endpoints, _) = $0 { endpoints } else { [] } }
    }

    /// Counters; zeros before the start and after the stop.
    public var statistics: HTTPServerStatistics {
        state.withLock { state in
            guard case .running(_, let core, _, _) = state else { return HTTPServerStatistics() }
            var result = core.table.statistics
            result.requests = core.active.total
            result.activeRequests = core.active.count
            result.bodyBytes = core.bodies.current
            result.replyBytes = core.replies.current
            result.deniedRequests = denials.count.load(ordering: .relaxed)
            return result
        }
    }

    /// Stops: takes no new connections, ends streamed replies, waits for the requests under way, answers 503 to those
    /// that are not done by the deadline, and closes everything. Returns when the port is free. Every caller waits.
    ///
    /// - Parameter deadline: how long requests under way may take. Default 5 s. Half a second more is given to send
    ///   what was answered.
    public func stop(within deadline: Duration = .seconds(5)) async {
        let stopping = state.withLock { state -> Task<Void, Never>? in
            switch state {
            case .idle:
                return nil
            case .stopped(let task):
                return task
            case .running(let daemons, let core, _, _):
                let task = core.workshop.run { await Self.stop(daemons, core, within: deadline) }
                state = .stopped(task)
                return task
            }
        }
        await stopping?.value
    }

    private static func stop(_ daemons: Daemons, _ core: ServerCore, within deadline: Duration) async {
        core.table.advance(to: .draining)
        await core.active.waitUntilNone(within: deadline)
        core.table.advance(to: .abandoning)
        await core.active.waitUntilNone(within: .milliseconds(500))
        // The library crashes where it refuses a malformed head while it is being stopped (seen in 0.9.75): it is left no
        // connection that could bring one.
        core.table.advance(to: .closing)
        await core.table.open.waitUntilNone(within: .seconds(2))
        // Joins threads, so it stays off the threads that run tasks.
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                daemons.stop()
                core.workshop.stop()
                continuation.resume()
            }
        }
    }
}

/// Counts requests that were denied for their `Host` or `Origin`.
private final class Denials: Sendable {
    let count = Atomic(0)
}

/// One request and its answer, for a log: sanitized, without the query (it may hold tokens) and without bodies.
public struct ServedRequest: Sendable, Equatable {
    /// At most 16 characters, printable ASCII.
    public var method: String
    /// Percent-decoded, at most 256 characters, control characters and line separators replaced by `?`.
    public var path: String
    /// The reply's status; 0 where the connection broke before there was one.
    public var status: Int
    /// From the end of the head to the end of the reply.
    public var duration: Duration
    /// Whether the whole reply was sent.
    public var isComplete: Bool

    init(method: String, path: String, status: Int, duration: Duration, isComplete: Bool) {
        self.method = Self.sanitized(
            method, limit: 16, allowed: { $0.isASCII && $0.properties.isPatternWhitespace == false })
        self.path = Self.sanitized(path, limit: 256, allowed: { _ in true })
        self.status = status
        self.duration = duration
        self.isComplete = isComplete
    }

    private static func sanitized(_ text: String, limit: Int, allowed: (Unicode.Scalar) -> Bool) -> String {
        var result = ""
        for scalar in text.unicodeScalars.prefix(limit) {
            let isPrintable =
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
                default: true
                }
            result.unicodeScalars.append(isPrintable && allowed(scalar) ? scalar : "?")
        }
        return result
    }
}

/// Counters of a server since its start.
public struct HTTPServerStatistics: Sendable, Equatable {
    /// Connections open now.
    public var openConnections = 0
    /// Connections accepted in all.
    public var acceptedConnections = 0
    /// Connections closed at once because of the limit or a shutdown.
    public var refusedConnections = 0
    /// Connections that gave way to others at the limit: idle ones first.
    public var displacedConnections = 0
    /// Connections closed at a deadline.
    public var expiredConnections = 0
    /// Requests whose headers were read.
    public var requests = 0
    /// Requests denied for their `Host` or `Origin`.
    public var deniedRequests = 0
    /// Bodies that were given up half-read, because others waited for the room.
    public var displacedBodies = 0
    /// Requests whose head was read and whose answer is not finished.
    public var activeRequests = 0
    /// Bytes of bodies that are being read or answered.
    public var bodyBytes = 0
    /// Bytes of large replies that clients have not taken yet.
    public var replyBytes = 0
}

/// Why a server did not start. The description is one line that says what to do, safe to show and to log.
public struct HTTPServerError: Error, Equatable, CustomStringConvertible {
    /// What went wrong.
    public enum Code: Sendable, Equatable {
        case addressInUse, addressUnavailable, permissionDenied, invalidAddress, badIdentity, alreadyStarted, system
    }

    public var code: Code
    public var description: String

    static func addressInUse(_ endpoint: String) -> Self {
        Self(
            code: .addressInUse,
            description: "\(endpoint) is in use by another process; stop it or choose another port with --port")
    }

    static func portOfConnection(_ endpoint: String) -> Self {
        Self(
            code: .addressInUse,
            description:
                "\(endpoint) cannot be taken yet: nothing listens there, but the system has given the port to an "
                + "outgoing connection, and keeps it up to a minute after that is closed; try again, or choose another "
                + "port with --port")
    }

    static func addressUnavailable(_ endpoint: String) -> Self {
        Self(
            code: .addressUnavailable,
            description: "\(endpoint) is not an address of this machine; bind one that it has, or 0.0.0.0 for all")
    }

    static func permissionDenied(_ endpoint: String) -> Self {
        Self(
            code: .permissionDenied,
            description: "no permission to listen on \(endpoint); choose a port of 1024 or more with --port")
    }

    static func invalidAddress(_ text: String) -> Self {
        Self(
            code: .invalidAddress,
            description: "cannot listen on \(text); give a numeric address and a port from 0 to 65535")
    }

    static let badIdentity = Self(
        code: .badIdentity,
        description:
            "the certificate and the key cannot be used for TLS; both must be PEM, belong together, and have "
            + "no passphrase")

    static let alreadyStarted = Self(
        code: .alreadyStarted, description: "the server has already been started; create another one to start again")

    static func tooFewDescriptors(_ count: Int, least: Int) -> Self {
        Self(
            code: .system,
            description:
                "the process may have \(count) file descriptors, too few to serve anybody; allow at least \(least): "
                + "`ulimit -n 1024`, or LimitNOFILE= of its service")
    }

    static func system(_ endpoint: String, _ reason: String) -> Self {
        Self(code: .system, description: "cannot listen on \(endpoint): \(reason)")
    }
}
