// Source: Apple's documentation of the framework `UIKit`. All of it belongs to the main actor, but for what is a value.
@_exported import Foundation

public struct UIBackgroundTaskIdentifier: Hashable, Sendable {
    public static let invalid = UIBackgroundTaskIdentifier()
}

@MainActor open class UIResponder: NSObject {}

@MainActor open class UIApplication: UIResponder {
    public static var shared: UIApplication { fatalError() }
    nonisolated public static let didEnterBackgroundNotification = Notification.Name("background")
    nonisolated public static let willEnterForegroundNotification = Notification.Name("foreground")
    nonisolated public static let didBecomeActiveNotification = Notification.Name("became active")
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
@MainActor open class UIWindowScene: UIScene {
    public var windows: [UIWindow] { [] }
}

@MainActor public final class UIDevice: NSObject {
    public static var current: UIDevice { fatalError() }
    public var systemName: String { "" }
    public var systemVersion: String { "" }
}

@MainActor public final class UIPasteboard: NSObject {
    public static var general: UIPasteboard { fatalError() }
    public var string: String? {
        get { nil }
        set {}
    }
}

@MainActor open class UIColor: NSObject {
    public static var white: UIColor { fatalError() }
    public static var systemRed: UIColor { fatalError() }
}

@MainActor open class UIFont: NSObject {
    public struct TextStyle: Sendable {
        public static let footnote = TextStyle()
    }
    public class func preferredFont(forTextStyle style: TextStyle) -> UIFont { fatalError() }
}

@MainActor open class NSLayoutXAxisAnchor: NSObject {
    public func constraint(equalTo anchor: NSLayoutXAxisAnchor, constant: CGFloat) -> NSLayoutConstraint { .init() }
}
@MainActor open class NSLayoutYAxisAnchor: NSObject {
    public func constraint(equalTo anchor: NSLayoutYAxisAnchor, constant: CGFloat) -> NSLayoutConstraint { .init() }
}
@MainActor open class NSLayoutConstraint: NSObject {
    public class func activate(_ constraints: [NSLayoutConstraint]) {}
}
@MainActor open class UILayoutGuide: NSObject {
    public var leadingAnchor: NSLayoutXAxisAnchor { fatalError() }
    public var trailingAnchor: NSLayoutXAxisAnchor { fatalError() }
    public var topAnchor: NSLayoutYAxisAnchor { fatalError() }
}

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

@MainActor open class UIWindow: UIView {
    public var isKeyWindow: Bool { false }
    public var rootViewController: UIViewController?
}

@MainActor open class UILabel: UIView {
    public var text: String?
    public var numberOfLines = 1
    public var textColor: UIColor?
    public var font: UIFont?
}

public enum UIAccessibility {
    public struct Notification: Sendable {
        public static let announcement = Notification()
    }
    @MainActor public static func post(notification: Notification, argument: Any?) {}
}

@MainActor open class UIAction: NSObject {
    public init(handler: @escaping @MainActor (UIAction) -> Void) {}
}

@MainActor open class UIBarButtonItem: NSObject {
    public enum SystemItem: Int { case close }
    public init(systemItem: SystemItem, primaryAction: UIAction? = nil) {}
}

@MainActor open class UINavigationItem: NSObject {
    public var rightBarButtonItem: UIBarButtonItem?
}

@MainActor open class UIPopoverPresentationController: NSObject {
    public var sourceView: UIView?
}

@MainActor open class UIViewController: UIResponder {
    public init(nibName: String?, bundle: Bundle?) {}
    public required init?(coder: NSCoder) { nil }
    // As the framework declares it.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    open var view: UIView! {
        get { fatalError() }
        set {}
    }
    open func loadView() {}
    open func viewDidLoad() {}
    open var navigationItem: UINavigationItem { fatalError() }
    open var presentedViewController: UIViewController? { nil }
    open var popoverPresentationController: UIPopoverPresentationController? { nil }
    open func present(_ controller: UIViewController, animated: Bool, completion: (() -> Void)? = nil) {}
    open func dismiss(animated: Bool, completion: (() -> Void)? = nil) {}
    // Source: https://developer.apple.com/documentation/uikit/uiviewcontroller
    open func viewDidAppear(_ animated: Bool) {}
    open func viewDidDisappear(_ animated: Bool) {}
    open func addChild(_ childController: UIViewController) {}
    open func didMove(toParent parent: UIViewController?) {}
}

// Source: https://developer.apple.com/documentation/uikit/view-controllers
@MainActor open class UITabBarController: UIViewController {}
@MainActor open class UISplitViewController: UIViewController {}
@MainActor open class UIPageViewController: UIViewController {}

// Source: https://developer.apple.com/documentation/uikit/uicontrol
@MainActor open class UIControl: UIView {
    public struct Event: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let primaryActionTriggered = Event(rawValue: 1 << 13)
    }
    open func addAction(_ action: UIAction, for controlEvents: Event) {}
}

// Source: https://developer.apple.com/documentation/uikit/uibutton
@MainActor open class UIButton: UIControl {
    public enum ButtonType: Int { case custom, system }
    public convenience init(type: ButtonType) { self.init(frame: .zero) }
    public override init(frame: CGRect) { super.init(frame: frame) }
    public required init?(coder: NSCoder) { nil }
}

@MainActor open class UINavigationController: UIViewController {
    public init(rootViewController: UIViewController) { super.init(nibName: nil, bundle: nil) }
    public required init?(coder: NSCoder) { nil }
}

@MainActor open class UIActivityViewController: UIViewController {
    public struct ActivityType: Sendable {}
    open class UIActivity: NSObject {}
    public init(activityItems: [Any], applicationActivities: [UIActivity]?) { super.init(nibName: nil, bundle: nil) }
    public required init?(coder: NSCoder) { nil }
    public var completionWithItemsHandler: ((ActivityType?, Bool, [Any]?, (any Error)?) -> Void)?
}
