// Only on watchOS.
// Source: https://developer.apple.com/documentation/watchkit
@_exported import UIKit

// Source: https://developer.apple.com/documentation/watchkit/wkapplication
@MainActor open class WKApplication: NSObject {
    nonisolated public static let didEnterBackgroundNotification = Notification.Name("background")
    nonisolated public static let willEnterForegroundNotification = Notification.Name("foreground")
}

// Source: https://developer.apple.com/documentation/watchkit/wkinterfacedevice
@MainActor open class WKInterfaceDevice: NSObject {
    open class func current() -> WKInterfaceDevice { fatalError() }
    open var systemName: String { "" }
    open var systemVersion: String { "" }
}
