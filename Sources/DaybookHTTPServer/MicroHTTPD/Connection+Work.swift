import DaybookBase
import DaybookHTTP

/// The outcomes of a handler's work: its answer, or an earlier end.
extension Connection {
    /// Suspends the connection, then starts the handler. In this order and under the lock, so that no answer or
    /// shutdown can resume a connection that is not suspended yet.
    func dispatch(_ body: [UInt8], _ state: inout State) {
        guard let exchange = state.exchange else { return }
        let (head, number) = (exchange.head, state.number)
        setDeadline(in: nil)
        handle.suspend()
        let request = HTTPRequest(head: head, body: body)
        let work = HandlerWork {
            // Its place may have come too late.
            guard self.state.withLock({ $0.number == number && $0.exchange?.machine.isResponding == true }) else {
                return
            }
            let response = await self.core.handler.respond(to: request)
            self.state.withLock { _ = self.answer(response, number: number, &$0) }
        }
        let kind = core.handler.work(of: head)
        if case .bounded(let limit) = kind {
            state.exchange?.answerBy = core.clock.now() &+ limit.nanoseconds
        }
        state.exchange?.work = work
        if !core.workshop.begin(work, kind, of: exchange.client.group) {
            _ = answer(Self.overloaded(), number: number, &state)
        }
    }

    /// Answers in place of a handler that exceeds its time limit. The handler keeps its place until it ends.
    func endLateWork(at now: UInt64) -> Leftover? {
        state.withLock { state in
            guard let exchange = state.exchange, exchange.answerBy <= now, let work = exchange.work else { return nil }
            return answer(Self.late, number: state.number, &state) ? Leftover(work: work) : nil
        }
    }

    /// The request in progress, or whose reply streams.
    var exchangeUnderWay: (connection: Connection, number: Int, head: HTTPRequest.Head)? {
        state.withLock { state in
            guard let exchange = state.exchange, exchange.work != nil || exchange.stream != nil else { return nil }
            return (self, state.number, exchange.head)
        }
    }

    /// Ends the exchange, whose key was revoked, if it is still this request's. Only under the table's lock, which
    /// keeps the connection open.
    func revoke(number: Int) -> [Leftover] {
        state.withLock { state in
            guard state.number == number, let exchange = state.exchange else { return [] }
            var leftovers: [Leftover] = []
            if let leftover = exchange.stream?.end() { leftovers.append(leftover) }
            if let work = exchange.work, answer(Self.revoked, number: number, &state) {
                leftovers.append(Leftover(work: work))
            }
            return leftovers
        }
    }

    /// The connection stays suspended, with this request, until the first answer: the handler's, or one in its place.
    /// The second answer has no effect.
    private func answer(_ response: HTTPResponse, number: Int, _ state: inout State) -> Bool {
        guard state.number == number, state.exchange?.machine.answer(response) == true else { return false }
        state.exchange?.work = nil
        handle.resume()
        return true
    }

    private static var late: HTTPResponse {
        var response = HTTPResponse.problem(
            503, code: "too_long", "The answer took too long. Ask for less, or try again in a moment.")
        response.headers["retry-after"] = String(Int.random(in: 1...5))
        return response
    }

    private static let revoked = HTTPResponse.problem(
        401, code: "unauthorized", "The key was revoked while its request was worked on.")
}
