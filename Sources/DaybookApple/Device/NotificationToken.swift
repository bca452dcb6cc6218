import Foundation

/// Observes a notification for as long as it lives.
final class NotificationToken: Sendable {
    /// Sound: immutable, never inspected, and only passed back to the notification center, which is thread-safe.
    nonisolated(unsafe) private let observer: any NSObjectProtocol

    /// - Parameter queue: Where `body` runs; `nil` for the posting thread.
    init(_ name: Notification.Name, queue: OperationQueue? = nil, _ body: @escaping @Sendable () -> Void) {
        observer = NotificationCenter.default.addObserver(forName: name, object: nil, queue: queue) { _ in body() }
    }

    deinit { NotificationCenter.default.removeObserver(observer) }
}
