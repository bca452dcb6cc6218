// Only on iOS, tvOS and visionOS.
// Source: https://developer.apple.com/documentation/uikit
// Everything except values is isolated to the main actor.
@_exported import Foundation

// Source: https://developer.apple.com/documentation/uikit/uibackgroundtaskidentifier
public struct UIBackgroundTaskIdentifier: Hashable, Sendable {
    public static let invalid = UIBackgroundTaskIdentifier()
}

// Source: https://developer.apple.com/documentation/uikit/uiresponder
@MainActor open class UIResponder: NSObject {
    @objc open dynamic func motionEnded(_ motion: UIEvent.EventSubtype, with event: UIEvent?) {}
}

// Source: https://developer.apple.com/documentation/uikit/uievent
@MainActor open class UIEvent: NSObject {
    @objc public enum EventSubtype: Int, Sendable {
        case none = 0
        case motionShake = 1
    }
}

// Source: https://developer.apple.com/documentation/uikit/uiapplication
@MainActor open class UIApplication: UIResponder {
    public static var shared: UIApplication { fatalError() }
    nonisolated public static let didEnterBackgroundNotification = Notification.Name("background")
    nonisolated public static let willEnterForegroundNotification = Notification.Name("foreground")
    nonisolated public static let didBecomeActiveNotification = Notification.Name("active")
    public func beginBackgroundTask(
        withName name: String?, expirationHandler: (@MainActor @Sendable () -> Void)? = nil
    ) -> UIBackgroundTaskIdentifier { .invalid }
    public func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {}
    public var connectedScenes: Set<UIScene> { [] }
    public struct OpenExternalURLOptionsKey: Hashable, Sendable {}
    public func open(
        _ url: URL, options: [OpenExternalURLOptionsKey: Any] = [:],
        completionHandler: (@MainActor @Sendable (Bool) -> Void)? = nil
    ) {}
}

// Source: https://developer.apple.com/documentation/uikit/uiscene
@MainActor open class UIScene: UIResponder {
    nonisolated public static let didActivateNotification = Notification.Name("active")
}
// Source: https://developer.apple.com/documentation/uikit/uiwindowscene
@MainActor open class UIWindowScene: UIScene {
    public var windows: [UIWindow] { [] }
}

// Source: https://developer.apple.com/documentation/uikit/uidevice
@MainActor public final class UIDevice: NSObject {
    public static var current: UIDevice { fatalError() }
    public var systemName: String { "" }
    public var systemVersion: String { "" }
}

// Source: https://developer.apple.com/documentation/uikit/uicolor
@MainActor open class UIColor: NSObject {
    public static var white: UIColor { fatalError() }
    public static var systemRed: UIColor { fatalError() }
}

// Source: https://developer.apple.com/documentation/uikit/uifont
@MainActor open class UIFont: NSObject {
    public struct TextStyle: Sendable {
        public static let footnote = TextStyle()
    }
    public class func preferredFont(forTextStyle style: TextStyle) -> UIFont { fatalError() }
}

// Source: https://developer.apple.com/documentation/uikit/nslayoutxaxisanchor
@MainActor open class NSLayoutXAxisAnchor: NSObject {
    public func constraint(equalTo anchor: NSLayoutXAxisAnchor, constant: CGFloat) -> NSLayoutConstraint { .init() }
}
// Source: https://developer.apple.com/documentation/uikit/nslayoutyaxisanchor
@MainActor open class NSLayoutYAxisAnchor: NSObject {
    public func constraint(equalTo anchor: NSLayoutYAxisAnchor, constant: CGFloat) -> NSLayoutConstraint { .init() }
}
// Source: https://developer.apple.com/documentation/uikit/nslayoutconstraint
@MainActor open class NSLayoutConstraint: NSObject {
    public class func activate(_ constraints: [NSLayoutConstraint]) {}
}
// Source: https://developer.apple.com/documentation/uikit/uilayoutguide
@MainActor open class UILayoutGuide: NSObject {
    public var leadingAnchor: NSLayoutXAxisAnchor { fatalError() }
    public var trailingAnchor: NSLayoutXAxisAnchor { fatalError() }
    public var topAnchor: NSLayoutYAxisAnchor { fatalError() }
}

// Source: https://developer.apple.com/documentation/uikit/uiview
@MainActor open class UIView: UIResponder {
    public init(frame: CGRect) {}
    public required init?(coder: NSCoder) { nil }
    open var isAccessibilityElement = false
    open var accessibilityIdentifier: String?
    open var accessibilityValue: String? {
        get { nil }
        set {}
    }
    open var isUserInteractionEnabled = true
    open var isHidden = false
    open var translatesAutoresizingMaskIntoConstraints = true
    open var backgroundColor: UIColor?
    public var superview: UIView? { nil }
    public var window: UIWindow? { nil }
    public var leadingAnchor: NSLayoutXAxisAnchor { fatalError() }
    public var trailingAnchor: NSLayoutXAxisAnchor { fatalError() }
    public var topAnchor: NSLayoutYAxisAnchor { fatalError() }
    public var safeAreaLayoutGuide: UILayoutGuide { fatalError() }
    public func addSubview(_ view: UIView) {}
    public func removeFromSuperview() {}
}

// Source: https://developer.apple.com/documentation/uikit/uiwindow
@MainActor open class UIWindow: UIView {
    public var isKeyWindow: Bool { false }
    public var rootViewController: UIViewController?
}

// Source: https://developer.apple.com/documentation/uikit/uilabel
@MainActor open class UILabel: UIView {
    public var text: String?
    public var numberOfLines = 1
    public var textColor: UIColor?
    public var font: UIFont?
}

// Source: https://developer.apple.com/documentation/uikit/uiaccessibility
public enum UIAccessibility {
    public struct Notification: Sendable {
        public static let announcement = Notification()
    }
    @MainActor public static func post(notification: Notification, argument: Any?) {}
}

// Source: https://developer.apple.com/documentation/uikit/uiaction
@MainActor open class UIAction: NSObject {
    public init(handler: @escaping (UIAction) -> Void) {}
}

// Source: https://developer.apple.com/documentation/uikit/uicontrol
@MainActor open class UIControl: UIView {
    // Source: https://developer.apple.com/documentation/uikit/uicontrol/event
    public struct Event: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let primaryActionTriggered = Event(rawValue: 1 << 13)
    }
    open func addAction(_ action: UIAction, for controlEvents: Event) {}
}

// Source: https://developer.apple.com/documentation/uikit/uibutton
@MainActor open class UIButton: UIControl {
    // Source: https://developer.apple.com/documentation/uikit/uibutton/buttontype
    public enum ButtonType: Int, Sendable { case custom, system }
    public convenience init(type buttonType: ButtonType) { self.init(frame: .zero) }
}

// Source: https://developer.apple.com/documentation/uikit/uibarbuttonitem
@MainActor open class UIBarButtonItem: NSObject {
    public enum SystemItem: Int { case close }
    public init(systemItem: SystemItem, primaryAction: UIAction? = nil) {}
}

// Source: https://developer.apple.com/documentation/uikit/uinavigationitem
@MainActor open class UINavigationItem: NSObject {
    public var rightBarButtonItem: UIBarButtonItem?
}

// Source: https://developer.apple.com/documentation/uikit/uiviewcontroller
@MainActor open class UIViewController: UIResponder {
    public init(nibName: String?, bundle: Bundle?) {}
    public required init?(coder: NSCoder) { nil }
    // As the framework declares it.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    open var view: UIView! {
        get { fatalError() }
        set {}
    }
    @objc open dynamic func loadView() {}
    @objc open dynamic func viewDidLoad() {}
    @objc open dynamic func viewDidAppear(_ animated: Bool) {}
    @objc open dynamic func viewDidDisappear(_ animated: Bool) {}
    open var navigationItem: UINavigationItem { fatalError() }
    open var presentedViewController: UIViewController? { nil }
    open func present(_ controller: UIViewController, animated: Bool, completion: (() -> Void)? = nil) {}
    open func dismiss(animated: Bool, completion: (() -> Void)? = nil) {}
    open func addChild(_ childController: UIViewController) {}
    open func didMove(toParent parent: UIViewController?) {}
}

// Source: https://developer.apple.com/documentation/uikit/uitabbarcontroller
@MainActor open class UITabBarController: UIViewController {}
// Source: https://developer.apple.com/documentation/uikit/uisplitviewcontroller
@MainActor open class UISplitViewController: UIViewController {}
// Source: https://developer.apple.com/documentation/uikit/uipageviewcontroller
@MainActor open class UIPageViewController: UIViewController {}

// Source: https://developer.apple.com/documentation/uikit/uinavigationcontroller
@MainActor open class UINavigationController: UIViewController {
    public init(rootViewController: UIViewController) { super.init(nibName: nil, bundle: nil) }
    public required init?(coder: NSCoder) { nil }
}
