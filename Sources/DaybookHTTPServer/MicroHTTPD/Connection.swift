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

/// A client's connection: the state of its current request, its deadline, and its part in sweeps and shutdown.
///
/// The handler's part is in `Connection+Work.swift`.
final class Connection: Sendable {
    /// The current request.
    struct Exchange {
        var machine: ExchangeMachine
        var head: HTTPRequest.Head
        var began: UInt64
        /// Of the reply, once there is one.
        var status = 0
        var isReplyAhead = false
        var isChunked = false
        /// How often the connection's memory was checked for exhaustion; each check takes some of it.
        var fullnessChecks = 0
        /// Bytes taken from the body budget, and for whom.
        var bodyBytes = 0
        /// Bytes taken from the reply budget.
        var replyBytes = 0
        var client: BodyClient
        var pace: BodyPace
        var work: HandlerWork?
        /// The handler's deadline, on the core's clock.
        var answerBy = Connection.noDeadline
        var stream: ReplyStream?
    }

    struct State {
        var stage = Stage.serving
        /// The next request's raw target.
        var target: [UInt8] = []
        var exchange: Exchange?
        /// The current exchange's number on this connection.
        var number = 0
        var isReadingHead = false
        /// Whether the last request had a valid key.
        var isKnown = false
        /// When the connection was opened, its last request line came, or its last request ended.
        var since: UInt64
    }

    let core: ServerCore
    let handle: ConnectionHandle
    let socket: Int32
    let peer: String
    /// The library's thread, which alone touches this connection.
    let thread: UInt
    let state: Mutex<State>
    /// The remote address, or its network.
    let address: String
    /// Whether its seat is reserved for ingest and health.
    let isInReserve = Atomic(false)
    /// When the sweep closes the connection, on the core's clock; `noDeadline` while the handler works or a stream
    /// waits for its producer. Atomic, because phases set it from their own threads and the sweep only compares.
    private let deadline: Atomic<UInt64>

    static let noDeadline = UInt64.max

    init(core: ServerCore, handle: ConnectionHandle, socket: Int32, peer: String) {
        self.core = core
        self.handle = handle
        self.socket = socket
        self.peer = peer
        address = BodyClient(peer: peer).address
        state = Mutex(State(since: core.clock.now()))
        thread = daybook_mhd_thread()
        deadline = Atomic(core.clock.now() &+ core.limits.headerTime.nanoseconds)
    }

    func setDeadline(in nanoseconds: UInt64?) {
        let (sum, overflow) = core.clock.now().addingReportingOverflow(nanoseconds ?? Self.noDeadline)
        deadline.store(overflow ? Self.noDeadline : sum, ordering: .relaxed)
    }

    /// A streamed reply made progress, or waits.
    func noteStream(_ result: StreamMachine.Pull) {
        setDeadline(in: result == .suspend ? nil : core.limits.idleTime.nanoseconds)
    }

    func beginHead(target: [UInt8]) {
        setDeadline(in: core.limits.headerTime.nanoseconds)
        let now = core.clock.now()
        state.withLock { state in
            (state.target, state.isReadingHead, state.since) = (target, true, now)
        }
    }

    /// A shutdown stage. Only under the table's lock, which keeps the socket open.
    func advance(to stage: Stage) -> [Leftover] {
        state.withLock { state in
            state.stage = max(state.stage, stage)
            // The library sees the end of the socket, and closes the connection the usual way.
            if state.stage == .closing { shutdown(socket, Int32(SHUT_RDWR)) }
            guard state.stage > .serving, state.exchange != nil else { return [] }
            var leftovers: [Leftover] = []
            if let leftover = state.exchange?.stream?.end() { leftovers.append(leftover) }
            if state.stage >= .abandoning, state.exchange?.machine.abandon() == true {
                handle.resume()
                leftovers.append(Leftover(work: state.exchange?.work.take()))
            }
            return leftovers
        }
    }

    /// Closes an overdue connection, ends a suspended stream of a disconnected client, and cancels a handler working
    /// for one. Only under the table's lock, which keeps the socket open.
    func sweep(at now: UInt64) -> (hasExpired: Bool, leftover: Leftover?) {
        var hasExpired = false
        let due = deadline.load(ordering: .relaxed)
        if due != Self.noDeadline && now >= due {
            deadline.store(Self.noDeadline, ordering: .relaxed)
            // The library sees the end of the socket, and closes the connection the usual way.
            shutdown(socket, Int32(SHUT_RDWR))
            hasExpired = true
        }
        if let late = endLateWork(at: now) { return (hasExpired, late) }
        let (work, stream) = state.withLock { ($0.exchange?.work, $0.exchange?.stream) }
        // Its answer must still come: until then the library does not have the connection back.
        if let work, !work.isCancelled, hasClientLeft { return (hasExpired, Leftover(work: work)) }
        guard let stream, stream.isSuspended, hasExpired || hasClientLeft else { return (hasExpired, nil) }
        return (hasExpired, stream.fail())
    }

    /// Whether the client has closed its side, even behind unread bytes (a pipelined request, TLS's close_notify).
    private var hasClientLeft: Bool {
        #if !canImport(Darwin)
            // `POLLRDHUP`, which the C library defines only for GNU programs.
            var state = pollfd(fd: socket, events: 0x2000, revents: 0)
            return poll(&state, 1, 0) > 0
        #else
            // Darwin adds `POLLHUP` at the end of what the client sends, if one asks for `POLLIN`.
            var state = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            return poll(&state, 1, 0) > 0 && Int32(state.revents) & ~POLLIN != 0
        #endif
    }
}

/// A body's rate, in periods of ``period``.
struct BodyPace {
    /// Nanoseconds.
    static let period: UInt64 = 2_000_000_000
    /// The least bytes per period that are not slow: a bad mobile network's.
    static let least = 16 * 1024

    private var start: UInt64
    private var bytes = 0
    private var wasSlow = false

    init(beganAt now: UInt64) { start = now }

    mutating func note(_ count: Int, at now: UInt64) {
        if now &- start >= Self.period {
            wasSlow = bytes < Self.least
            (start, bytes) = (now, 0)
        }
        bytes += count
    }

    /// Whether the last period was slow, or the current one, if it is over.
    func isSlow(at now: UInt64) -> Bool { wasSlow || (now &- start >= Self.period && bytes < Self.least) }
}

/// A callback's decision about its connection.
enum CallbackResult {
    /// Continue.
    case proceed
    /// Queue this reply and continue.
    case reply(PreparedReply)
    /// Break the connection.
    case close
}

/// A reply ready for the library.
struct PreparedReply {
    var response: HTTPResponse
    var stream: ReplyStream?
    /// The stream's source, started once the reply is queued.
    var chunks: AsyncStream<[UInt8]>?
}

/// The callbacks of one request, in order. Each runs on the connection's library thread.
extension Connection {
    /// - Parameter isPlain: whether the head contains nothing that another party could parse differently.
    func begin(
        method: String, version: String, headers: HTTPHeaders, isPlain: Bool, headSize: Int
    ) -> CallbackResult {
        core.active.begin()
        let head: HTTPRequest.Head
        let framing: RequestFraming
        var failure: HTTPResponse?
        let target = state.withLock { $0.target }
        if let parsed = RequestTarget(target) {
            var headers = headers
            if let authority = parsed.authority { headers["host"] = authority }
            head = HTTPRequest.Head(
                method: method, path: parsed.path, query: parsed.query, headers: headers, peer: peer)
        } else {
            head = HTTPRequest.Head(method: method, path: "", headers: headers, peer: peer)
            failure = .problem(400, code: "target", "The request's path or query is malformed.")
        }
        if headers.all("host").count != 1 { failure = Self.needsOneHost }
        if !isPlain { failure = .problem(400, code: "framing", "The request's head is ambiguous (RFC 9112).") }
        if headSize > core.limits.headerBytes {
            failure = .problem(431, code: "header_too_large", "The head is over \(core.limits.headerBytes) bytes.")
        }
        do throws(RequestFraming.Malformed) {
            framing = try RequestFraming(headers, version: version)
        } catch {
            failure = failure ?? error.response
            framing = .none
        }
        // Outside the lock, because it calls the handler.
        let admission: HTTPAdmission = failure.map { .refuse($0) } ?? core.handler.admit(head)
        let (client, admitted) = admit(head, framing, admission)
        setDeadline(in: core.limits.bodyTime.nanoseconds)
        return state.withLock { state in
            var machine = ExchangeMachine(discardLimit: core.discardBytes)
            if state.stage >= .abandoning { _ = machine.abandon() }
            // A malformed request is answered at once and the connection closed, since the end of its body is unknown.
            let action = failure.map { machine.reject($0) } ?? machine.begin(framing, admitted)
            let now = core.clock.now()
            state.number += 1
            (state.isReadingHead, state.isKnown) = (false, client.key != nil)
            state.exchange = Exchange(
                machine: machine, head: head, began: now, isChunked: framing.body == .chunked, client: client,
                pace: BodyPace(beganAt: now))
            return perform(action, &state)
        }
    }

    /// The client and the handler's decision, unless the body does not fit or the seat is reserved.
    private func admit(
        _ head: HTTPRequest.Head, _ framing: RequestFraming, _ admission: HTTPAdmission
    ) -> (BodyClient, HTTPAdmission) {
        guard case .accept = admission else { return (BodyClient(peer: peer), admission) }
        let client = BodyClient(key: core.handler.sender(of: head), peer: peer)
        if isInReserve.load(ordering: .relaxed), case .bounded = core.handler.work(of: head) {
            return (client, .refuse(Self.overloaded()))
        }
        if case .length(let length) = framing.body, length <= core.limits.bodyBytes,
            !core.hasRoom(for: length, of: client)
        {
            return (client, .refuse(Self.overloaded()))
        }
        return (client, admission)
    }

    /// The delay is spread, so that clients do not return all at once.
    static func overloaded() -> HTTPResponse { ExchangeMachine.overloaded(retryAfter: Int.random(in: 1...5)) }

    func receive(_ bytes: UnsafeRawBufferPointer) -> CallbackResult {
        let client = state.withLock { $0.exchange?.machine.isReceiving == true ? $0.exchange?.client : nil }
        let hasRoom = client.map { core.takeRoom(for: bytes.count, of: $0) }
        return state.withLock { state in
            // Meanwhile this body may have been displaced itself.
            if let client, let hasRoom, state.exchange?.machine.isReceiving == true {
                if hasRoom {
                    state.exchange?.bodyBytes += bytes.count
                    state.exchange?.pace.note(bytes.count, at: core.clock.now())
                } else {
                    state.exchange?.machine.overload(Self.overloaded())
                    core.bodies.giveBack(state.exchange?.bodyBytes ?? 0, of: client)
                    state.exchange?.bodyBytes = 0
                }
            } else if let client, hasRoom == true {
                core.bodies.giveBack(bytes.count, of: client)
            }
            guard let action = state.exchange?.machine.receive(bytes) else { return .close }
            return perform(action, &state)
        }
    }

    /// The body being read, if any bytes are held.
    func unfinishedBody(at now: UInt64) -> UnfinishedBody? {
        state.withLock { state in
            guard let exchange = state.exchange, exchange.machine.isReceiving, exchange.bodyBytes > 0 else {
                return nil
            }
            return UnfinishedBody(
                connection: self, client: exchange.client, began: exchange.began, isSlow: exchange.pace.isSlow(at: now))
        }
    }

    /// Abandons the body being read, for others; `false` if there is none any more. The client gets its answer when
    /// more of the body comes.
    func giveWay() -> Bool {
        state.withLock { state in
            guard let exchange = state.exchange, exchange.machine.isReceiving, exchange.bodyBytes > 0 else {
                return false
            }
            state.exchange?.machine.overload(Self.overloaded())
            core.bodies.giveBack(exchange.bodyBytes, of: exchange.client)
            state.exchange?.bodyBytes = 0
            return true
        }
    }

    /// The body ended, or the connection was resumed.
    func proceed() -> CallbackResult {
        state.withLock { state in
            guard let action = state.exchange?.machine.proceed() else { return .close }
            return perform(action, &state)
        }
    }

    /// The request is over, complete or not.
    func finish(isComplete: Bool) {
        setDeadline(in: core.limits.idleTime.nanoseconds)
        let now = core.clock.now()
        let ended = state.withLock { state in
            state.since = now
            return state.exchange.take()
        }
        guard let exchange = ended else { return }
        exchange.stream?.fail()?.release()
        core.bodies.giveBack(exchange.bodyBytes, of: exchange.client)
        core.replies.giveBack(exchange.replyBytes)
        if let onExchange = core.onExchange {
            let nanoseconds = core.clock.now() &- exchange.began
            onExchange(
                ServedRequest(
                    method: exchange.head.method, path: exchange.head.path, status: exchange.status,
                    duration: .nanoseconds(Int64(clamping: nanoseconds)),
                    isComplete: isComplete || exchange.isReplyAhead))
        }
        core.active.end()
    }

    private func perform(_ action: ExchangeMachine.Action, _ state: inout State) -> CallbackResult {
        switch action {
        case .read:
            return .proceed
        case .wait:
            handle.suspend()
            return .proceed
        case .close:
            return .close
        case .dispatch(let body):
            dispatch(body, &state)
            return .proceed
        case .reply(let response):
            return .reply(prepare(response, &state))
        case .replyAhead(let response):
            return replyAhead(ResponseCheck.checked(response), &state) ? .proceed : .close
        }
    }

    private func prepare(_ response: HTTPResponse, _ state: inout State) -> PreparedReply {
        var response = ResponseCheck.checked(response)
        // A HEAD reply sends no body.
        if case .bytes(let bytes) = response.body, bytes.count > ReplyBudget.small,
            state.exchange?.head.method != "HEAD"
        {
            if core.replies.take(bytes.count) {
                state.exchange?.replyBytes = bytes.count
            } else {
                response = Self.overloaded()
            }
        }
        if state.stage > .serving || isInReserve.load(ordering: .relaxed) { response.headers["connection"] = "close" }
        state.exchange?.status = response.status
        switch response.body {
        case .bytes(let bytes):
            setDeadline(in: core.limits.replyTime(bytes: bytes.count))
            return PreparedReply(response: response)
        case .stream(let chunks):
            setDeadline(in: core.limits.idleTime.nanoseconds)
            let stream = ReplyStream(of: self)
            // Nothing feeds it yet, so there is no leftover.
            if state.stage > .serving { _ = stream.end() }
            state.exchange?.stream = stream
            return PreparedReply(response: response, stream: stream, chunks: chunks)
        }
    }

    /// Writes the reply while the client is still sending. The library sends nothing in this state (a `100 Continue`
    /// went out before the first byte of the body), so the two cannot mix. If the client does not take even these few
    /// hundred bytes, the connection is closed.
    private func replyAhead(_ response: HTTPResponse, _ state: inout State) -> Bool {
        guard sendAhead(ReplyAhead.bytes(response)) else { return false }
        state.exchange?.status = response.status
        state.exchange?.isReplyAhead = true
        endSending()
        return true
    }

    func endSending() { shutdown(socket, Int32(SHUT_WR)) }

    func sendAhead(_ bytes: [UInt8]) -> Bool {
        // Plain bytes within TLS would be garbage; such a client just sees the connection close.
        if core.isSecure { return false }
        #if canImport(Darwin)
            let flags = MSG_DONTWAIT  // The library set SO_NOSIGPIPE.
        #else
            let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
        #endif
        return send(socket, bytes, bytes.count, flags) == bytes.count
    }
}

/// The library's connection.
///
/// Sound to pass between threads: `MHD_resume_connection` is documented as safe from any thread, and it is called only
/// while our state says that the connection is suspended; then the library neither touches nor frees it. Everything
/// else is called only from the library's callbacks for this connection, on its own thread.
struct ConnectionHandle: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Only in the library's callbacks.
    func suspend() { MHD_suspend_connection(pointer) }
    /// Once per `suspend`.
    func resume() { MHD_resume_connection(pointer) }
}

/// A stage of the shutdown.
enum Stage: Int, Comparable {
    case serving
    /// No new connections; streams end; requests in progress are answered, and their connections closed.
    case draining
    /// Handlers are no longer waited for.
    case abandoning
    /// All connections are closed.
    case closing

    static func < (left: Stage, right: Stage) -> Bool { left.rawValue < right.rawValue }
}

/// To release after unlocking: both call foreign code, which must not run under a lock.
struct Leftover {
    var work: HandlerWork?
    var task: Task<Void, Never>?
    var waiter: CheckedContinuation<Void, Never>?

    func release() {
        work?.cancel()
        task?.cancel()
        waiter?.resume()
    }
}
