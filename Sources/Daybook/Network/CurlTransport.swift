#if os(Linux)
    import DaybookBase
    import DaybookCurl
    import Foundation

    /// What sends where nothing else is chosen: libcurl on Linux, the system's `URLSession` elsewhere.
    public typealias DefaultTransport = CurlTransport

    /// Sends through libcurl, bounded in bytes and in time, and keeps connections for the next request. It follows no
    /// redirects, decompresses nothing and sends no cookies. An answer that is cut short, or a success of more than 64 KiB, is
    /// an error. A request is cancelled with its task. Safe to share between threads.
    ///
    /// Not `URLSession`: Foundation on Linux (6.3) ends the process when an answer breaks off in its head.
    public final class CurlTransport: HTTPTransport {
        /// Sessions that are kept with their connections while nothing is sent.
        private static let mostIdle = 4

        private let answerLimit: Int
        private let idle = Mutex<[CurlSession]>([])

        /// Creates a transport with connections of its own.
        ///
        /// ```swift
        /// let output = OTLPOutput(endpoint: collector, transport: DefaultTransport())
        /// ```
        public convenience init() { self.init(answerLimit: 64 << 10) }

        /// A transport that reads more of an answer.
        /// - Parameter answerLimit: bytes of a body at most.
        package init(answerLimit: Int) { self.answerLimit = answerLimit }

        /// - Throws: `CurlFailure`, whose `localizedDescription` says what happened.
        public func send(_ request: TransportRequest) async throws -> TransportResponse {
            var exchange = CurlRequest(
                url: request.url.absoluteString, headers: request.headers.map { ($0.key, $0.value) },
                body: request.body, deadline: request.timeout, answerLimit: answerLimit)
            exchange.method = request.method
            let stopper = CurlStopper()
            let answer = try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    // A thread of its own: a name that nobody resolves holds up no other request.
                    Thread.detachNewThread { [self, exchange] in
                        continuation.resume(with: Result { try send(exchange, stopper) })
                    }
                }
            } onCancel: {
                stopper.cancel()
            }
            return TransportResponse(status: answer.status, headers: answer.headers, body: answer.body)
        }

        private func send(_ request: CurlRequest, _ stopper: CurlStopper) throws -> CurlAnswer {
            let session = idle.withLock { $0.popLast() } ?? CurlSession()
            defer { idle.withLock { if $0.count < Self.mostIdle { $0.append(session) } } }
            let answer = try session.send(request, stopper: stopper)
            // Of a failure the status says enough.
            guard !answer.isCut || !(200...299).contains(answer.status) else {
                throw CurlFailure(reach: .perhaps, message: "the answer is longer than \(answerLimit) bytes")
            }
            return answer
        }
    }

    extension CurlFailure: LocalizedError {
        public var errorDescription: String? { message }
    }
#else
    /// What sends where nothing else is chosen: libcurl on Linux, the system's `URLSession` elsewhere.
    public typealias DefaultTransport = URLSessionTransport
#endif
