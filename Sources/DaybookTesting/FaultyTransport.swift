import Daybook
import DaybookBase

/// A transport that fails on demand: a dead network, failing responses, a server that hangs.
///
/// Each fault applies to one request, in order; later requests are accepted with 200, or go to `base`. All requests are
/// kept. Safe to share between threads.
public final class FaultyTransport: HTTPTransport {
    public enum Fault: Sendable {
        /// No response comes; the request did not arrive.
        case offline
        /// 429 with `Retry-After` in whole seconds.
        case tooManyRequests(retryAfter: Int)
        /// A response with this status, such as 500.
        case status(Int)
        /// No response comes, until the task is cancelled or ``FaultyTransport/release()`` is called.
        case hang
        /// The request is accepted, but the response is lost.
        case answerLost
    }

    public struct NoAnswer: Error, Sendable, CustomStringConvertible {
        public let description: String
    }

    private struct State {
        var faults: [Fault]
        var attempts: [TransportRequest] = []
        var arrived: [TransportRequest] = []
        var isReleased = false
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var nextWait = 0
    }

    private let state: Mutex<State>
    private let base: (any HTTPTransport)?

    /// Creates a transport with faults.
    ///
    /// ```swift
    /// let transport = FaultyTransport([.offline, .status(500)])
    /// let output = OTLPOutput(endpoint: collector, transport: transport)
    /// ```
    /// - Parameters:
    ///   - faults: For the first requests, in order.
    ///   - base: Where later requests go; by default they are accepted with 200 and go nowhere.
    public init(_ faults: [Fault] = [], base: (any HTTPTransport)? = nil) {
        state = Mutex(State(faults: faults))
        self.base = base
    }

    public func fail(_ faults: Fault...) { state.withLock { $0.faults += faults } }

    /// Ends every `hang`, including later ones.
    public func release() {
        let waiting = state.withLock { state in
            state.isReleased = true
            defer { state.waiting = [:] }
            return state.waiting
        }
        for continuation in waiting.values { continuation.resume() }
    }

    /// All requests that were sent, in order.
    public var attempts: [TransportRequest] { state.withLock { $0.attempts } }

    /// The requests that a server would have accepted, in order; a repeated one is listed twice.
    public var arrived: [TransportRequest] { state.withLock { $0.arrived } }

    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        let fault: Fault? = state.withLock { state in
            state.attempts.append(request)
            return state.faults.isEmpty ? nil : state.faults.removeFirst()
        }
        switch fault {
        case .offline: throw NoAnswer(description: "the network is down (a fault of the test)")
        case .tooManyRequests(let seconds):
            return TransportResponse(status: 429, headers: ["retry-after": String(seconds)], body: [])
        case .status(let status): return TransportResponse(status: status, headers: [:], body: [])
        case .hang:
            await hang()
            throw NoAnswer(description: "the server hung (a fault of the test)")
        case .answerLost:
            state.withLock { $0.arrived.append(request) }
            throw NoAnswer(description: "the answer was lost (a fault of the test)")
        case nil:
            state.withLock { $0.arrived.append(request) }
            return try await base?.send(request) ?? TransportResponse(status: 200, headers: [:], body: [])
        }
    }

    private func hang() async {
        let number = state.withLock { state in
            state.nextWait += 1
            return state.nextWait
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let goesOn = state.withLock { state in
                    if state.isReleased || Task.isCancelled { return true }
                    state.waiting[number] = continuation
                    return false
                }
                if goesOn { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
        }
    }
}
