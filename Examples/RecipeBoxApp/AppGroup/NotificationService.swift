import Daybook
import UserNotifications

/// The notification service extension, which logs like anything else. Add the file to the extension's target.
final class NotificationService: UNNotificationServiceExtension {
    /// One per process, which may serve several notifications.
    private static let pipeline = try? GroupLog.pipeline(for: .notifications)

    override func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        Self.pipeline?.resume()
        Self.pipeline?.log("push").post("push.received") { $0["category"] = request.content.categoryIdentifier }
        // Sound: called once, and by nobody else.
        nonisolated(unsafe) let show = { contentHandler(request.content) }
        Task {
            try? await Self.pipeline?.flush(deadline: .seconds(5))
            // Before the answer, after which the system may suspend the process at any time.
            await Self.pipeline?.suspend()
            show()
        }
    }

    /// Time is up. What is undelivered waits for the next notification or the app.
    override func serviceExtensionTimeWillExpire() {
        Self.pipeline?.log("push").warning("The notification was not ready in time")
    }
}
