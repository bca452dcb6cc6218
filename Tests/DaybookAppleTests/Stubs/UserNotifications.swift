// Source: https://developer.apple.com/documentation/usernotifications
@_exported import Foundation

// Source: https://developer.apple.com/documentation/usernotifications/unnotificationcontent
open class UNNotificationContent: NSObject {
    open var categoryIdentifier: String { "" }
}

// Source: https://developer.apple.com/documentation/usernotifications/unnotificationrequest
open class UNNotificationRequest: NSObject {
    open var content: UNNotificationContent { fatalError() }
}

// Source: https://developer.apple.com/documentation/usernotifications/unnotificationserviceextension
open class UNNotificationServiceExtension: NSObject {
    @objc open dynamic func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {}
    @objc open dynamic func serviceExtensionTimeWillExpire() {}
}
