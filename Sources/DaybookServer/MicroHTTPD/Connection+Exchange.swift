import DaybookHTTP

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

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
    func begin(method: String, headers: HTTPHeaders, headSize: Int) -> CallbackResult {
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
        if headSize > core.limits.headerBytes {
            failure = .problem(431, code: "header_too_large", "The head is over \(core.limits.headerBytes) bytes.")
        }
        do throws(RequestFraming.Malformed) {
            framing = try RequestFraming(headers)
        } catch {
            failure = failure ?? error.response
            framing = .none
        }
        // Outside the lock: it is the handler's code.
        let admission: HTTPAdmission = failure.map { .refuse($0) } ?? admission(of: head, framing)
        setDeadline(in: core.limits.bodyTime.nanoseconds)
        return state.withLock { state in
            var machine = ExchangeMachine(discardLimit: core.discardBytes)
            if state.stage == .abandoning { _ = machine.abandon() }
            // A malformed request is answered at once and its connection closed: where its body ends is unknown.
            let action = failure.map { machine.reject($0) } ?? machine.begin(framing, admission)
            state.exchange = Exchange(machine: machine, head: head, began: core.clock.now())
            return perform(action, &state)
        }
    }

    private func admission(of head: HTTPRequest.Head, _ framing: RequestFraming) -> HTTPAdmission {
        if case .length(let length) = framing.body, length <= core.limits.bodyBytes,
            !core.bodies.hasRoom(for: length)
        {
            return .refuse(Self.overloaded())
        }
        return core.handler.admit(head)
    }

    /// The delay is spread, so that clients do not come back all at once.
    private static func overloaded() -> HTTPResponse { ExchangeMachine.overloaded(retryAfter: Int.random(in: 1...5)) }

    /// A part of the body came.
    func receive(_ bytes: UnsafeRawBufferPointer) -> CallbackResult {
        state.withLock { state in
            if state.exchange?.machine.isReceiving == true {
                if core.bodies.take(bytes.count) {
                    state.exchange?.bodyBytes += bytes.count
                } else {
                    state.exchange?.machine.overload(Self.overloaded())
                }
            }
            guard let action = state.exchange?.machine.receive(bytes) else { return .close }
            return perform(action, &state)
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
        guard let exchange = state.withLock({ $0.exchange.take() }) else { return }
        exchange.stream?.fail()?.release()
        core.bodies.giveBack(exchange.bodyBytes)
        if let onExchange = core.onExchange {
            let nanoseconds = core.clock.now() &- exchange.began
            onExchange(
                HTTPExchange(
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

    /// Suspends, then has the handler work: in this order, and under the lock, so that no answer and no shutdown can
    /// resume what is not suspended yet.
    private func dispatch(_ body: [UInt8], _ state: inout State) {
        guard let head = state.exchange?.head else { return }
        setDeadline(in: nil)
        handle.suspend()
        let request = HTTPRequest(head: head, body: body)
        state.exchange?.work = Task {
            let response = await self.core.handler.respond(to: request)
            self.state.withLock { state in
                // The connection stays suspended, with this same exchange, until this answer or an abandonment.
                guard state.exchange?.machine.answer(response) == true else { return }
                state.exchange?.work = nil
                self.handle.resume()
            }
        }
    }

    private func prepare(_ response: HTTPResponse, _ state: inout State) -> PreparedReply {
        var response = ResponseCheck.checked(response)
        if state.stage > .serving { response.headers["connection"] = "close" }
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

    /// Writes the reply while the client still sends. The library has nothing to send in this state (a `100 Continue`
    /// went out before the first byte of the body), so the two cannot mix. A client that does not even take these few
    /// hundred bytes gets a closed connection.
    private func replyAhead(_ response: HTTPResponse, _ state: inout State) -> Bool {
        let bytes = ReplyAhead.bytes(response)
        // Plain bytes inside of TLS would be noise: there the client sees that the connection closes.
        if core.isSecure { return false }
        #if canImport(Glibc)
            let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
        #else
            let flags = MSG_DONTWAIT  // The library set SO_NOSIGPIPE.
        #endif
        guard send(socket, bytes, bytes.count, flags) == bytes.count else { return false }
        state.exchange?.status = response.status
        state.exchange?.isReplyAhead = true
        shutdown(socket, Int32(SHUT_WR))
        return true
    }
}
