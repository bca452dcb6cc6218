import CMicroHTTPD
import DaybookBase
import DaybookHTTP

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
        var isChunked = false
        /// How often it was asked whether the connection's memory is used up, which takes some of it.
        var fullnessChecks = 0
        /// Bytes taken from the budget of all bodies, and for whom.
        var bodyBytes = 0
        /// Bytes of the reply taken from the budget of all replies.
        var replyBytes = 0
        var client: BodyClient
        var pace: BodyPace
        /// The handler at work.
        var work: HandlerWork?
        /// When it is to be done, on the core's clock.
        var answerBy = Connection.noDeadline
        var stream: ReplyStream?
    }

    struct State {
        var stage = Stage.serving
        /// The target of the coming request, raw.
        var target: [UInt8] = []
        var exchange: Exchange?
        /// Of the exchanges of this connection.
        var number = 0
        /// A request line came, and its head is not complete.
        var isReadingHead = false
        /// Whether the last request had a sender's key.
        var isKnown = false
        /// When the connection was opened, its last request line came, or its last request was over.
        var since: UInt64
    }

    let core: ServerCore
    let handle: ConnectionHandle
    let socket: Int32
    let peer: String
    /// The library's thread that alone touches this connection.
    let thread: UInt
    let state: Mutex<State>
    /// The other end's address, or its network.
    let address: String
    /// Whether its seat is one for ingest and health alone.
    let isInReserve = Atomic(false)
    /// When the sweep closes the connection, on the core's clock; `noDeadline` while the handler works or a stream
    /// waits for its producer. An atomic, because each phase sets it from its own thread and the sweep only compares.
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

    /// A streamed reply went on, or waits.
    func noteStream(_ result: StreamMachine.Pull) {
        setDeadline(in: result == .suspend ? nil : core.limits.idleTime.nanoseconds)
    }

    /// A request line came.
    func beginHead(target: [UInt8]) {
        setDeadline(in: core.limits.headerTime.nanoseconds)
        let now = core.clock.now()
        state.withLock { state in
            (state.target, state.isReadingHead, state.since) = (target, true, now)
        }
    }

    /// One step of a shutdown. Only under the table's lock, which keeps the socket open.
    func advance(to stage: Stage) -> [Leftover] {
        state.withLock { state in
            state.stage = max(state.stage, stage)
            // The library finds the socket at its end and closes the connection by its usual path.
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

    /// Closes an overdue connection, ends a suspended stream whose client left, and cancels a handler that works for a
    /// client who left. Only under the table's lock, which keeps the socket open.
    func sweep(at now: UInt64) -> (hasExpired: Bool, leftover: Leftover?) {
        var hasExpired = false
        let due = deadline.load(ordering: .relaxed)
        if due != Self.noDeadline && now >= due {
            deadline.store(Self.noDeadline, ordering: .relaxed)
            // The library finds the socket at its end and closes the connection by its usual path.
            shutdown(socket, Int32(SHUT_RDWR))
            hasExpired = true
        }
        if let late = endLateWork(at: now) { return (hasExpired, late) }
        let (work, stream) = state.withLock { ($0.exchange?.work, $0.exchange?.stream) }
        // Its answer is waited for all the same: the connection is the library's again only then.
        if let work, !work.isCancelled, hasClientLeft { return (hasExpired, Leftover(work: work)) }
        guard let stream, stream.isSuspended, hasExpired || hasClientLeft else { return (hasExpired, nil) }
        return (hasExpired, stream.fail())
    }

    /// Whether the client ended its direction. Where the system does not tell that apart, bytes that wait (a pipelined
    /// request, the farewell of TLS) hide it until they are read.
    private var hasClientLeft: Bool {
        #if os(Linux)
            // `POLLRDHUP`, which the C library shows to GNU programs alone.
            var state = pollfd(fd: socket, events: 0x2000, revents: 0)
            if poll(&state, 1, 0) > 0 { return true }
        #endif
        var byte: UInt8 = 0
        let count = recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        if count < 0 { return errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR }
        return count == 0
    }
}

/// How fast a body comes, by periods of ``period``.
struct BodyPace {
    /// Nanoseconds.
    static let period: UInt64 = 2_000_000_000
    /// Bytes of a period that is not slow: those of a bad mobile network.
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

    /// Whether too little came in the last period, or in the present one, if that is over.
    func isSlow(at now: UInt64) -> Bool { wasSlow || (now &- start >= Self.period && bytes < Self.least) }
}

/// What a callback does with its connection.
enum CallbackResult {
    /// Go on.
    case proceed
    /// Queue this reply and go on.
    case reply(PreparedReply)
    /// Break the connection.
    case close
}

/// A reply that the library can take.
struct PreparedReply {
    var response: HTTPResponse
    var stream: ReplyStream?
    /// The chunks that the stream is to be fed from, once the reply was queued.
    var chunks: AsyncStream<[UInt8]>?
}

/// The callbacks of one request, in their order. Each runs on the connection's thread of the library.
extension Connection {
    /// The head is complete.
    /// - Parameter isPlain: Whether nothing stands in it that another party could read differently.
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
        if headers.all("host").count != 1 {
            failure = .problem(400, code: "host", "The request needs exactly one Host header.")
        }
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
        // Outside the lock: it is the handler's code.
        let admission: HTTPAdmission = failure.map { .refuse($0) } ?? core.handler.admit(head)
        let (client, admitted) = admit(head, framing, admission)
        setDeadline(in: core.limits.bodyTime.nanoseconds)
        return state.withLock { state in
            var machine = ExchangeMachine(discardLimit: core.discardBytes)
            if state.stage >= .abandoning { _ = machine.abandon() }
            // A malformed request is answered at once and its connection closed: where its body ends is unknown.
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

    /// Who asks, and the handler's word, unless there is no room for the body, or the seat is for others.
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

    /// The delay is spread, so that clients do not come back all at once.
    static func overloaded() -> HTTPResponse { ExchangeMachine.overloaded(retryAfter: Int.random(in: 1...5)) }

    /// A part of the body came.
    func receive(_ bytes: UnsafeRawBufferPointer) -> CallbackResult {
        let client = state.withLock { $0.exchange?.machine.isReceiving == true ? $0.exchange?.client : nil }
        let hasRoom = client.map { core.takeRoom(for: bytes.count, of: $0) }
        return state.withLock { state in
            // Meanwhile this body may have had to give way itself.
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

    /// The body that is being read, if bytes of it are held.
    func unfinishedBody(at now: UInt64) -> UnfinishedBody? {
        state.withLock { state in
            guard let exchange = state.exchange, exchange.machine.isReceiving, exchange.bodyBytes > 0 else {
                return nil
            }
            return UnfinishedBody(
                connection: self, client: exchange.client, began: exchange.began, isSlow: exchange.pace.isSlow(at: now))
        }
    }

    /// Lets go of the body that is being read, for others; `false` where there is none any more. The client is told as soon
    /// as more of the body comes.
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

    /// The request is over, one way or another.
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
        // What HEAD asks about is not sent.
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
            // Nothing is fed yet, so nothing is left over.
            if state.stage > .serving { _ = stream.end() }
            state.exchange?.stream = stream
            return PreparedReply(response: response, stream: stream, chunks: chunks)
        }
    }

    /// Answers in the library's place, if this is the request that it is about to answer by itself. Only where the library
    /// says that it does so, on this connection's thread.
    ///
    /// Its own answer to a length that is no number has its head twice, and one to a line of a chunk that is longer than its
    /// memory is 500. Both can be told: by the field, and by the memory, of which nothing is left in no other state.
    func answerForLibrary() {
        state.withLock { state in
            guard let exchange = state.exchange else {
                guard !state.target.isEmpty, daybook_mhd_has_head(handle.pointer) != 0, statesNoLength else { return }
                state.target = []
                _ = answerAhead(.problem(400, code: "framing", "Send one Content-Length in decimal digits."))
                return
            }
            guard exchange.isChunked, exchange.machine.isReading, exchange.fullnessChecks < 8 else { return }
            state.exchange?.fullnessChecks += 1
            guard daybook_mhd_is_full(handle.pointer) != 0 else { return }
            let response = HTTPResponse.problem(413, code: "too_large", "A line between two chunks is too long.")
            if answerAhead(response) {
                state.exchange?.status = response.status
                state.exchange?.isReplyAhead = true
            }
        }
    }

    /// Whether the length of a head is one that the library refuses.
    private var statesNoLength: Bool {
        guard daybook_mhd_field(handle.pointer, "Transfer-Encoding") == nil,
            let length = daybook_mhd_field(handle.pointer, "Content-Length").map({ String(cString: $0) })
        else { return false }
        return !length.utf8.allSatisfy { (0x30...0x39).contains($0) } || UInt64(length) == nil
    }

    /// Sends an answer past the library and ends our direction, so that nothing of its own follows.
    private func answerAhead(_ response: HTTPResponse) -> Bool {
        let isSent = sendAhead(ReplyAhead.bytes(response))
        endSending()
        return isSent
    }

    /// Writes the reply while the client still sends. The library has nothing to send in this state (a `100 Continue`
    /// went out before the first byte of the body), so the two cannot mix. A client that does not even take these few
    /// hundred bytes gets a closed connection.
    private func replyAhead(_ response: HTTPResponse, _ state: inout State) -> Bool {
        guard sendAhead(ReplyAhead.bytes(response)) else { return false }
        state.exchange?.status = response.status
        state.exchange?.isReplyAhead = true
        endSending()
        return true
    }

    /// Ends our direction.
    func endSending() { shutdown(socket, Int32(SHUT_WR)) }

    /// Whether the whole reply was taken by the socket.
    func sendAhead(_ bytes: [UInt8]) -> Bool {
        // Plain bytes inside of TLS would be noise: there the client sees that the connection closes.
        if core.isSecure { return false }
        #if canImport(Glibc)
            let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
        #else
            let flags = MSG_DONTWAIT  // The library set SO_NOSIGPIPE.
        #endif
        return send(socket, bytes, bytes.count, flags) == bytes.count
    }
}

/// The library's connection.
///
/// Sound to pass between threads: `MHD_resume_connection` is documented as safe from any thread, and it is called only
/// while our state says that the connection is suspended, during which the library neither touches nor frees it.
/// Everything else is called only from the library's callbacks for this connection, on the thread that owns it.
struct ConnectionHandle: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Only in the library's callbacks.
    func suspend() { MHD_suspend_connection(pointer) }
    /// Once for each `suspend`.
    func resume() { MHD_resume_connection(pointer) }
}

/// How far a shutdown has come.
enum Stage: Int, Comparable {
    case serving
    /// No new connections; streams end; what was asked is answered, and the connection closed.
    case draining
    /// Working handlers are no longer waited for.
    case abandoning
    /// What is open is closed.
    case closing

    static func < (left: Stage, right: Stage) -> Bool { left.rawValue < right.rawValue }
}

/// What must be let go of after a lock was released: both call code that is not ours, which must not find it held.
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
