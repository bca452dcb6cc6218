import DaybookBase
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

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
