import DaybookBase
import DaybookHTTP
import Dispatch

/// Serves an `HTTPHandler` over HTTP/1.1.
///
/// Every request passes the `Host` and `Origin` check (`HostGuard`) before it reaches the handler. `admit` runs on one
/// of the few socket threads and must not block; `respond` runs on threads for its kind of work (``HTTPWork``).
///
/// Thread-safe. A server is started once and stopped once; if it is released without `stop`, it keeps serving until the
/// process ends.
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
    private let library: @Sendable () -> HTTPServerError?
    private let denials = Denials()
    private let state = Mutex(State.idle)

    /// Creates a server; nothing is bound before `start`.
    ///
    /// - Parameters:
    ///   - handler: answers requests that passed the `Host` and `Origin` check.
    ///   - onExchange: called after each request whose head could be parsed, on a socket thread: must not block.
    ///     Default: none.
    ///   - clock: for timeouts.
    public convenience init(
        configuration: HTTPServerConfiguration = HTTPServerConfiguration(), handler: any HTTPHandler,
        clock: MonotonicClock = .system, onExchange: (@Sendable (ServedRequest) -> Void)? = nil
    ) {
        self.init(
            configuration: configuration, handler: handler, clock: clock, onExchange: onExchange,
            library: { LibraryCheck.failureOfProcess })
    }

    /// - Parameter library: what is wrong with the HTTP library, if anything; called at the start.
    init(
        configuration: HTTPServerConfiguration, handler: any HTTPHandler, clock: MonotonicClock = .system,
        onExchange: (@Sendable (ServedRequest) -> Void)? = nil, library: @escaping @Sendable () -> HTTPServerError?
    ) {
        self.configuration = configuration
        self.handler = handler
        self.clock = clock
        self.onExchange = onExchange
        self.library = library
    }

    /// Binds the addresses and starts serving.
    ///
    /// - Returns: the port; if 0 was configured, the one that the system chose.
    /// - Throws: `HTTPServerError`: an address is in use or not this machine's, the port is privileged, the limit of
    ///   descriptors is too low, the HTTP library's version does not do, or the server was already started. Nothing is
    ///   left open.
    @discardableResult
    public func start() throws(HTTPServerError) -> Int {
        if let failure = library() { throw failure }
        return try state.withLock { state throws(HTTPServerError) in
            guard case .idle = state else { throw .alreadyStarted }
            var limits = configuration.limits
            limits.connections = try DescriptorLimit.connections(most: limits.connections)
            let sockets = try ListeningSockets.open(addresses: configuration.addresses, port: configuration.port)
            let port = sockets[0].port
            let endpoints = sockets.map { SocketAddress.endpoint($0.address, $0.port) }
            // A bound address is also a valid `Host`; a wildcard stands for the addresses that the machine has now.
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

    /// The bound port; `nil` before `start` and after `stop`.
    public var port: Int? {
        state.withLock { if case .running(_, _, _, let port) = $0 { port } else { nil } }
    }

    /// The bound addresses with port, as in a URL; empty before `start` and after `stop`.
    public var endpoints: [String] {
        state.withLock { if case .running(_, _, let endpoints, _) = $0 { endpoints } else { [] } }
    }

    /// Counters; zeros before `start` and after `stop`.
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

    /// Shuts down: refuses new connections, ends streamed replies, waits for requests in progress, answers 503 to those
    /// unfinished at the deadline, and closes everything. Returns once the port is free, to every caller.
    ///
    /// - Parameter deadline: how long requests in progress may take. Default: 5 s. Another half second is for sending
    ///   replies.
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
        // The library crashes if it refuses a malformed head during its shutdown (seen in 0.9.75), so close all
        // connections first.
        core.table.advance(to: .closing)
        await core.table.open.waitUntilNone(within: .seconds(2))
        // Joins threads, so stay off the cooperative pool.
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                daemons.stop()
                core.workshop.stop()
                continuation.resume()
            }
        }
    }
}

private final class Denials: Sendable {
    let count = Atomic(0)
}

/// A request and its reply for logs: sanitized, without bodies or the query, which may contain tokens.
public struct ServedRequest: Sendable, Equatable {
    /// At most 16 characters, printable ASCII.
    public var method: String
    /// Percent-decoded, at most 256 characters; control characters and line separators become `?`.
    public var path: String
    /// The reply's status; 0 if the connection broke first.
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

/// A server's counters since its start.
public struct HTTPServerStatistics: Sendable, Equatable {
    /// Connections open now.
    public var openConnections = 0
    /// Total connections accepted.
    public var acceptedConnections = 0
    /// Connections refused at the limit or during shutdown.
    public var refusedConnections = 0
    /// Connections closed at the limit in favour of others, idle ones first.
    public var displacedConnections = 0
    /// Connections closed at a deadline.
    public var expiredConnections = 0
    /// Requests whose heads were read.
    public var requests = 0
    /// Requests denied for `Host` or `Origin`.
    public var deniedRequests = 0
    /// Bodies abandoned while being read, to make room for others.
    public var displacedBodies = 0
    /// Requests in progress: the head was read, the reply is unfinished.
    public var activeRequests = 0
    /// Bytes of bodies being read or answered.
    public var bodyBytes = 0
    /// Bytes of large replies not yet sent.
    public var replyBytes = 0
}

/// Why a server did not start. The description is one line with advice, safe to show and log.
public struct HTTPServerError: Error, Equatable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: Sendable, Equatable {
        case addressInUse, addressUnavailable, permissionDenied, invalidAddress, badIdentity, alreadyStarted, system
    }

    public var code: Code
    public var description: String

    private init(_ code: Code, _ description: String) { (self.code, self.description) = (code, description) }

    static func addressInUse(_ endpoint: String) -> Self {
        Self(
            .addressInUse, "\(endpoint) is in use by another process; stop it or choose another port with --port")
    }

    static func portOfConnection(_ endpoint: String) -> Self {
        Self(
            .addressInUse,
            "\(endpoint) cannot be taken yet: nothing listens there, but the system has given the port to an "
                + "outgoing connection, and keeps it up to a minute after that is closed; try again, or choose another "
                + "port with --port")
    }

    static func addressUnavailable(_ endpoint: String) -> Self {
        Self(
            .addressUnavailable,
            "\(endpoint) is not an address of this machine; bind one that it has, or 0.0.0.0 for all")
    }

    static func permissionDenied(_ endpoint: String) -> Self {
        Self(
            .permissionDenied, "no permission to listen on \(endpoint); choose a port of 1024 or more with --port")
    }

    static func invalidAddress(_ text: String) -> Self {
        Self(
            .invalidAddress, "cannot listen on \(text); give a numeric address and a port from 0 to 65535")
    }

    static let badIdentity = Self(
        .badIdentity,
        "the certificate and the key cannot be used for TLS; both must be PEM, belong together, and have "
            + "no passphrase")

    static let alreadyStarted = Self(
        .alreadyStarted, "the server has already been started; create another one to start again")

    static func tooFewDescriptors(_ count: Int, least: Int) -> Self {
        Self(
            .system,
            "the process may have \(count) file descriptors, too few to serve anybody; allow at least \(least): "
                + "`ulimit -n 1024`, or LimitNOFILE= of its service")
    }

    static func unfitLibrary(_ version: String, failsAt what: String) -> Self {
        Self(
            .system,
            "the HTTP library, libmicrohttpd \(version), does not answer \(what) as the server needs; install 0.9.75 or "
                + "1.0.1, which are known to do, or another version, and start again")
    }

    static func system(_ endpoint: String, _ reason: String) -> Self {
        Self(
            .system, "cannot listen on \(endpoint): \(reason)")
    }
}
