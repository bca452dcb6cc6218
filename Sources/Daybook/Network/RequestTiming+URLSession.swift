import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension RequestTiming {
    /// The timing of the last transaction, which is the one that brought the answer; `nil` if the session measured none.
    init?(_ metrics: URLSessionTaskMetrics) {
        guard let last = metrics.transactionMetrics.last else { return nil }
        self.init()
        lookup = Self.between(last.domainLookupStartDate, last.domainLookupEndDate)
        connect = Self.between(last.connectStartDate, last.connectEndDate)
        secure = Self.between(last.secureConnectionStartDate, last.secureConnectionEndDate)
        send = Self.between(last.requestStartDate, last.requestEndDate)
        wait = Self.between(last.requestEndDate, last.responseStartDate)
        receive = Self.between(last.responseStartDate, last.responseEndDate)
    }

    static func between(_ start: Date?, _ end: Date?) -> Duration? {
        guard let start, let end, end >= start else { return nil }
        return .seconds(end.timeIntervalSince(start))
    }
}

/// Keeps the timing that a session tells about one task. Safe to share between threads.
final class TimingCollector: NSObject, URLSessionTaskDelegate {
    private let collected = Mutex<RequestTiming?>(nil)

    /// What has been told so far.
    var timing: RequestTiming? { collected.withLock { $0 } }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        let timing = RequestTiming(metrics)
        collected.withLock { $0 = timing }
    }
}
