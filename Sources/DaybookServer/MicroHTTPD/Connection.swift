import DaybookHTTP
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// One client's connection: the state of its present request, its deadline, and what a sweep and a shutdown do to it.
///
/// What happens to a request is in `Connection+Exchange.swift`.
final class Connection: Sendable {
    /// The request under way.
    struct Exchange {
        var machine: ExchangeMachine
        var head: HTTPRequest.Head
        var began: UInt64
        /// Of the reply, once there is one.
        var status = 0
        var isReplyAhead = false
        /// Bytes taken from the budget of all bodies.
        var bodyBytes = 0
        /// The handler at work.
        var work: Task<Void, Never>?
        var stream: ReplyStream?
    }

    struct State {
        var stage = Stage.serving
        /// The target of the coming request, raw.
        var target: [UInt8] = []
        var exchange: Exchange?
    }

    let core: ServerCore
    let handle: ConnectionHandle
    let socket: Int32
    let peer: String
    let state = Mutex(State())
    /// When the sweep closes the connection, on the core's clock; `noDeadline` while the handler works or a stream
    /// waits for its producer. An atomic, because each phase sets it from its own thread and the sweep only compares.
    private let deadline: Atomic<UInt64>

    static let noDeadline = UInt64.max

    init(core: ServerCore, handle: ConnectionHandle, socket: Int32, peer: String) {
        self.core = core
        self.handle = handle
        self.socket = socket
        self.peer = peer
        deadline = Atomic(core.clock.now() &+ core.limits.headerTime.nanoseconds)
    }

    func setDeadline(in nanoseconds: UInt64?) {
        let (sum, overflow) = core.clock.now().addingReportingOverflow(nanoseconds ?? Self.noDeadline)
        deadline.store(overflow ? Self.noDeadline : sum, ordering: .relaxed)
    }

    /// A streamed reply went on, or waits.
    func noteStream(_ result: StreamMachine.Pull) {
        setDeadline(in: result == .suspend ? nil : core.limits.idleTime.nanoseconds)
    }

    /// A request line came.
    func beginHead(target: [UInt8]) {
        setDeadline(in: core.limits.headerTime.nanoseconds)
        state.withLock { $0.target = target }
    }

    /// One step of a shutdown.
    func advance(to stage: Stage) -> [Leftover] {
        state.withLock { state in
            state.stage = max(state.stage, stage)
            guard state.stage > .serving, state.exchange != nil else { return [] }
            var leftovers: [Leftover] = []
            if let leftover = state.exchange?.stream?.end() { leftovers.append(leftover) }
            if state.stage == .abandoning, state.exchange?.machine.abandon() == true {
                handle.resume()
                leftovers.append(Leftover(task: state.exchange?.work.take()))
            }
            return leftovers
        }
    }

    /// Closes an overdue connection, and ends a suspended stream whose client left. Only under the table's lock, which
    /// keeps the socket open.
    func sweep(at now: UInt64) -> (hasExpired: Bool, leftover: Leftover?) {
        var hasExpired = false
        let due = deadline.load(ordering: .relaxed)
        if due != Self.noDeadline && now >= due {
            deadline.store(Self.noDeadline, ordering: .relaxed)
            // The library finds the socket at its end and closes the connection by its usual path.
            shutdown(socket, Int32(SHUT_RDWR))
            hasExpired = true
        }
        let stream = state.withLock { $0.exchange?.stream }
        guard let stream, stream.isSuspended, hasExpired || hasClientLeft else { return (hasExpired, nil) }
        return (hasExpired, stream.fail())
    }

    /// Whether the client ended its direction. Bytes that wait (a pipelined request) hide this until they are read.
    private var hasClientLeft: Bool {
        var byte: UInt8 = 0
        let count = recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        if count < 0 { return errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR }
        return count == 0
    }
}
