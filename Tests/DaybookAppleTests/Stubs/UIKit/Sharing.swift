// Only on iOS and visionOS.
// What televisions lack. Source: https://developer.apple.com/documentation/uikit
import Foundation

// Source: https://developer.apple.com/documentation/uikit/uipasteboard
@MainActor public final class UIPasteboard: NSObject {
    public static var general: UIPasteboard { fatalError() }
    public var string: String? {
        get { nil }
        set {}
    }
}

// Source: https://developer.apple.com/documentation/uikit/uipopoverpresentationcontroller
@MainActor open class UIPopoverPresentationController: NSObject {
    public var sourceView: UIView?
}

// Source: https://developer.apple.com/documentation/uikit/uiactivity
@MainActor open class UIActivity: NSObject {
    public struct ActivityType: Hashable, RawRepresentable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
    }
}

// Source: https://developer.apple.com/documentation/uikit/uiactivityviewcontroller
@MainActor open class UIActivityViewController: UIViewController {
    public init(activityItems: [Any], applicationActivities: [UIActivity]?) { super.init(nibName: nil, bundle: nil) }
    public required init?(coder: NSCoder) { nil }
    public var completionWithItemsHandler: ((UIActivity.ActivityType?, Bool, [Any]?, (any Error)?) -> Void)?
}

extension UIViewController {
    public var popoverPresentationController: UIPopoverPresentationController? { nil }
}
