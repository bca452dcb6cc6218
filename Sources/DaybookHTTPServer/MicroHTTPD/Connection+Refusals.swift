import CMicroHTTPD
import DaybookHTTP

/// Requests that the library refuses before they reach its callbacks.
extension Connection {
    /// Answers before the library does, if it is about to answer this request itself. Call only when the library
    /// announces that, on this connection's thread.
    ///
    /// Its own answers are HTML, and not those of another version; before 1.0 they have two heads, and a chunk line
    /// longer than its memory is answered with 500. A refused head can be recognized, because it is complete and no
    /// exchange began; such a chunk line by the exhausted memory, which occurs in no other state.
    func answerForLibrary() {
        state.withLock { state in
            guard let exchange = state.exchange else {
                guard !state.target.isEmpty, daybook_mhd_has_head(handle.pointer) != 0,
                    let response = Self.refusal(of: Callbacks.headers(of: handle.pointer))
                else { return }
                state.target = []
                _ = answerAhead(response)
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

    /// What the server has against these fields; `nil` if the library refuses them for another reason.
    private static func refusal(of headers: HTTPHeaders) -> HTTPResponse? {
        if headers.all("host").count != 1 { return needsOneHost }
        do throws(RequestFraming.Malformed) {
            // Older versions have further rules, which the library does not check.
            _ = try RequestFraming(headers, version: "HTTP/1.1")
            return nil
        } catch {
            return error.response
        }
    }

    static let needsOneHost = HTTPResponse.problem(400, code: "host", "The request needs exactly one Host header.")

    /// Sends an answer past the library and closes our side, so that the library's cannot follow.
    private func answerAhead(_ response: HTTPResponse) -> Bool {
        let isSent = sendAhead(ReplyAhead.bytes(response))
        endSending()
        return isSent
    }
}
