import Foundation

/// Observes a notification for as long as it lives.
final class NotificationToken: Sendable {
    /// Sound: immutable, never inspected, and only passed back to the notification center, which is thread-safe.
    nonisolated(unsafe) private let observer: any NSObjectProtocol
    private let center: NotificationCenter

    /// - Parameters:
    ///   - center: Where it is posted. Default: the process's.
    ///   - queue: Where `body` runs; `nil` for the posting thread.
    init(
        _ name: Notification.Name, center: NotificationCenter = .default, queue: OperationQueue? = nil,
        _ body: @escaping @Sendable () -> Void
    ) {
        self.center = center
        observer = center.addObserver(forName: name, object: nil, queue: queue) { _ in body() }
    }

    deinit { center.removeObserver(observer) }
}
