import DaybookStore
import Dispatch
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Speaks HTTP: one request after the other, each waited for by the thread that made it, which must not be one of Swift's
/// cooperative ones. Belongs to one thread at a time.
final class ClickHouseRequest {
    /// What came back.
    struct Answer: Sendable {
        var status = 0
        var isTabSeparated = false
        var bytes: [UInt8] = []
        /// Whether bytes beyond the limit were left out.
        var isCut = false
    }

    private let receiver = Receiver()
    private let session: URLSession

    init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = 1
        configuration.timeoutIntervalForRequest = 600
        session = URLSession(configuration: configuration, delegate: receiver, delegateQueue: nil)
    }

    deinit { session.invalidateAndCancel() }

    /// Sends a request and waits for the answer.
    /// - Parameters:
    ///   - limit: bytes of the answer at most; the rest is not read.
    ///   - stopper: stops waiting from another thread.
    /// - Throws: ``ClickHouseError`` where there is no answer.
    func send(
        _ request: URLRequest, timeout: Duration, limit: Int, stopper: ClickHouseStopper?
    ) throws(ClickHouseError) -> Answer {
        let task = session.dataTask(with: request)
        let ended = receiver.begin(task, limit: limit)
        stopper?.begin(task)
        defer { stopper?.end() }
        task.resume()
        let isInTime = ended.wait(timeout: .now() + timeout / .seconds(1)) == .success
        if !isInTime { task.cancel() }
        let (answer, failure) = receiver.end()
        guard isInTime, stopper?.isCancelled != true else {
            throw ClickHouseError(reason: .stopped, message: "No answer came in time.")
        }
        guard let failure, !answer.isCut else { return answer }
        throw ClickHouseError(
            reason: Self.isUnsent((failure as? URLError)?.code) ? .unreached : .lost,
            message: (failure as NSError).localizedDescription)
    }

    private static func isUnsent(_ code: URLError.Code?) -> Bool {
        [.cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .secureConnectionFailed].contains(code)
    }
}

/// Takes what comes back for the request under way. A session's delegate: Foundation on Linux asks none of a task's own.
private final class Receiver: NSObject, URLSessionDataDelegate, Sendable {
    private struct State {
        var task: Int?
        var limit = 0
        var answer = ClickHouseRequest.Answer()
        var failure: (any Error)?
        var ended = DispatchSemaphore(value: 0)
    }

    private let state = Mutex(State())

    /// What a request before has left behind is forgotten, and what still comes for it is not taken.
    func begin(_ task: URLSessionTask, limit: Int) -> DispatchSemaphore {
        state.withLock { state in
            state = State(task: task.taskIdentifier, limit: limit)
            return state.ended
        }
    }

    func end() -> (ClickHouseRequest.Answer, (any Error)?) {
        state.withLock { state in
            state.task = nil
            defer { state.answer = ClickHouseRequest.Answer() }
            return (state.answer, state.failure)
        }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        state.withLock { state in
            guard state.task == dataTask.taskIdentifier, let response = response as? HTTPURLResponse else { return }
            state.answer.status = response.statusCode
            let type = response.value(forHTTPHeaderField: "Content-Type") ?? ""
            state.answer.isTabSeparated = type.hasPrefix("text/tab-separated-values")
        }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isFull = state.withLock { state in
            guard state.task == dataTask.taskIdentifier else { return false }
            state.answer.bytes += data.prefix(max(state.limit - state.answer.bytes.count, 0))
            state.answer.isCut = state.answer.isCut || state.answer.bytes.count >= state.limit
            return state.answer.isCut
        }
        if isFull { dataTask.cancel() }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        state.withLock { state in
            guard state.task == task.taskIdentifier else { return }
            state.failure = error
            state.ended.signal()
        }
    }
}

/// Stops a request that nobody waits for any more. Safe to share between threads.
final class ClickHouseStopper: Sendable {
    private struct State {
        var task: URLSessionTask?
        var isCancelled = false
    }

    private let state = Mutex(State())

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func begin(_ task: URLSessionTask) {
        let isLate = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isLate { task.cancel() }
    }

    func end() { state.withLock { $0.task = nil } }

    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }
}
