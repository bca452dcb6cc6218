import Foundation

/// An observer of the notification center that stops with this object.
final class NotificationToken: Sendable {
    /// Sound: never looked into, and handed back to the notification center alone, which any thread may call.
    nonisolated(unsafe) private let observer: any NSObjectProtocol

    /// Begins to observe.
    /// - Parameters:
    ///   - queue: Where `body` is called; `nil` for the thread that posts.
    init(_ name: Notification.Name, queue: OperationQueue? = nil, _ body: @escaping @Sendable () -> Void) {
        observer = NotificationCenter.default.addObserver(forName: name, object: nil, queue: queue) { _ in body() }
    }

    deinit { NotificationCenter.default.removeObserver(observer) }
}
