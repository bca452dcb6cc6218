import DaybookHTTP

/// A request and its reply as a pure state machine: the transport reports events and performs the returned actions.
///
///     begin → receiving  → endOfBody → responding → answer → answered → proceed → replied
///           ↘ discarding → endOfBody ───────────────────────────────────────────↗
///                       ↘ (too much) lingering → closed
struct ExchangeMachine {
    enum Action {
        /// Continue reading.
        case read
        /// Suspend the connection and pass this body to the handler.
        case dispatch([UInt8])
        /// Send the reply; the connection continues if the body was read whole.
        case reply(HTTPResponse)
        /// Write the reply past the library, in the middle of the body, close our side, and continue reading.
        case replyAhead(HTTPResponse)
        /// Stay suspended.
        case wait
        /// Close without a reply.
        case close
    }

    private enum State {
        case receiving(limit: Int)
        case discarding(HTTPResponse, left: Int)
        case lingering(left: Int)
        case responding
        case answered(HTTPResponse)
        case replied
    }

    private var state: State
    private var body: [UInt8] = []
    private let discardLimit: Int
    /// Set at the end of a shutdown: nothing is dispatched any more.
    private var isAbandoned = false

    /// Bytes of the body held now.
    var bufferedBytes: Int { body.count }
    /// Whether the next part of the body is kept.
    var isReceiving: Bool {
        if case .receiving = state { return true }
        return false
    }
    /// Whether the body is being read, kept or not.
    var isReading: Bool {
        switch state {
        case .receiving, .discarding, .lingering: true
        case .responding, .answered, .replied: false
        }
    }
    /// Whether the handler runs; the connection is then suspended.
    var isResponding: Bool {
        if case .responding = state { return true }
        return false
    }

    /// - Parameter discardLimit: bytes of an unwanted body that are discarded before the reply, and again after a reply
    ///   sent ahead.
    init(discardLimit: Int) {
        self.discardLimit = discardLimit
        state = .replied
    }

    /// The head is complete.
    mutating func begin(_ framing: RequestFraming, _ admission: HTTPAdmission) -> Action {
        switch admission {
        case .refuse(let response):
            return refuse(with: response, framing)
        case .accept(let limit):
            if case .length(let length) = framing.body {
                if length > limit { return refuse(with: Self.tooLarge(limit), framing) }
                // Allocate little for an announced length: a client that sends nothing takes no memory.
                body.reserveCapacity(min(length, 256 * 1024))
            }
            state = .receiving(limit: limit)
            return .read
        }
    }

    /// The head is malformed. The end of its body is unknown, so the connection cannot continue.
    mutating func reject(_ response: HTTPResponse) -> Action {
        reply(response)
    }

    private mutating func refuse(with response: HTTPResponse, _ framing: RequestFraming) -> Action {
        if framing.expectsContinue {
            // The body was not sent yet: refusing instead of `100 Continue` saves it.
            state = .replied
            return .reply(response)
        }
        state = .discarding(response, left: discardLimit)
        return .read
    }

    /// Out of memory for bodies: drops what came, and discards the rest.
    mutating func overload(_ response: HTTPResponse) {
        guard case .receiving = state else { return }
        body = []
        state = .discarding(response, left: discardLimit)
    }

    /// A part of the body came.
    mutating func receive(_ bytes: UnsafeRawBufferPointer) -> Action {
        switch state {
        case .receiving(let limit):
            if bytes.count <= limit - body.count {
                body.append(contentsOf: bytes)
                return .read
            }
            body = []
            state = .discarding(Self.tooLarge(limit), left: discardLimit)
            return receive(bytes)
        case .discarding(let response, let left):
            if bytes.count <= left {
                state = .discarding(response, left: left - bytes.count)
                return .read
            }
            state = .lingering(left: discardLimit)
            return .replyAhead(response)
        case .lingering(let left):
            guard bytes.count <= left else { return .close }
            state = .lingering(left: left - bytes.count)
            return .read
        case .responding, .answered, .replied:
            return .close
        }
    }

    /// The library calls without body bytes: the body ended, or the connection was resumed.
    mutating func proceed() -> Action {
        switch state {
        case .receiving:
            if isAbandoned { return reply(Self.stopping) }
            state = .responding
            defer { body = [] }
            return .dispatch(body)
        case .discarding(let response, _), .answered(let response):
            return reply(response)
        case .responding:
            return .wait
        case .lingering, .replied:
            return .close
        }
    }

    private mutating func reply(_ response: HTTPResponse) -> Action {
        state = .replied
        return .reply(response)
    }

    /// The handler answered. Returns whether to resume the connection; not for a late answer.
    mutating func answer(_ response: HTTPResponse) -> Bool {
        guard isResponding else { return false }
        state = .answered(response)
        return true
    }

    /// The shutdown deadline passed: stops waiting for the handler. Returns whether to resume.
    mutating func abandon() -> Bool {
        isAbandoned = true
        return answer(Self.stopping)
    }

    static let stopping = HTTPResponse.problem(503, code: "stopping", "The server is stopping; try again shortly.")

    /// - Parameter retryAfter: seconds.
    static func overloaded(retryAfter: Int) -> HTTPResponse {
        var response = HTTPResponse.problem(503, code: "overload", "The server is overloaded; try again later.")
        response.headers["retry-after"] = String(retryAfter)
        return response
    }

    static func tooLarge(_ limit: Int) -> HTTPResponse {
        .problem(413, code: "too_large", "The body is larger than \(limit) bytes; send it in smaller parts.")
    }
}
