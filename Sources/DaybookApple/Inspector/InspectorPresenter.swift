#if canImport(UIKit) && canImport(WebKit)
    import DaybookHTTP
    import Foundation
    import UIKit

    /// Opens the inspector over the app: by a shake (in a simulator ⌃⌘Z), from code, or at launch.
    ///
    /// ```swift
    /// let presenter = InspectorPresenter { (inspector, token.text) }      // keep it
    /// ```
    ///
    /// In SwiftUI, `inspectorOnShake` does the same. A release build has it only if asked; see
    /// ``init(inRelease:arguments:_:)``.
    @MainActor public final class InspectorPresenter {
        /// The open inspector of any presenter: a shake must not open a second one.
        private static weak var presented: UIViewController?

        private let isOn: Bool
        private let source: () -> (handler: any HTTPHandler, token: String)?
        private var trigger = InspectorTrigger()
        private var observers: [NotificationToken] = []

        /// Starts listening for shakes.
        ///
        /// ```swift
        /// func presenter(_ handler: any HTTPHandler, token: String) -> InspectorPresenter {
        ///     InspectorPresenter { (handler, token) }
        /// }
        /// ```
        /// - Parameters:
        ///   - inRelease: Whether a release build also has the inspector, for testers. Default: no.
        ///   - arguments: The arguments of this launch.
        ///   - source: Returns the `InspectorHandler` and its token's text, each time the inspector opens; `nil` if
        ///     this build has none.
        public init(
            inRelease: Bool = false, arguments: LaunchArguments = .init(ProcessInfo.processInfo.arguments),
            _ source: @escaping () -> (handler: any HTTPHandler, token: String)?
        ) {
            self.source = source
            isOn =
                InspectorSwitch(
                    isDebugBuild: InspectorSwitch.isDebugBuild, inRelease: inRelease, arguments: arguments
                ).isOn
            guard isOn else { return }
            observe(.daybookShake, .asked(screen: nil))
            observe(UIScene.didActivateNotification, .windowAppeared)
            if let screen = arguments.openedScreen { open(screen: screen) }
        }

        private func observe(_ name: Notification.Name, _ happening: InspectorTrigger.Happening) {
            observers.append(
                NotificationToken(name, queue: .main) { [weak self] in
                    MainActor.assumeIsolated { self?.take(happening) }
                })
        }

        /// Opens the inspector if it is not open. Without a window yet, it opens over the first one.
        /// - Parameter screen: A screen of the page: `/net`. Default: the history.
        public func open(screen: String? = nil) { take(.asked(screen: screen)) }

        private func take(_ happening: InspectorTrigger.Happening) {
            let top = UIViewController.topmost
            let action = trigger.take(happening, hasWindow: top != nil, isOpen: Self.presented != nil)
            guard isOn, case .open(let screen) = action, let (handler, token) = source() else { return }
            let controller = InspectorViewController(handler: handler, token: token, screen: screen)
            controller.navigationItem.rightBarButtonItem = UIBarButtonItem(
                systemItem: .close,
                primaryAction: UIAction { [weak controller] _ in controller?.dismiss(animated: true) })
            let frame = UINavigationController(rootViewController: controller)
            Self.presented = frame
            top?.present(frame, animated: true)
        }
    }

    extension Notification.Name {
        /// A window was shaken.
        static let daybookShake = Notification.Name("daybook.shake")
    }

    #if canImport(ObjectiveC)
        extension UIWindow {
            /// In the window, where unhandled shakes arrive even while a text field has the keyboard.
            open override func motionEnded(_ motion: UIEvent.EventSubtype, with event: UIEvent?) {
                if motion == .motionShake { NotificationCenter.default.post(name: .daybookShake, object: self) }
                super.motionEnded(motion, with: event)
            }
        }
    #endif
#endif

/// When the inspector opens. Pure: it takes events and the state of the screen.
package struct InspectorTrigger: Sendable {
    package enum Happening: Sendable, Hashable {
        /// By shake, code or launch argument: a screen of the page, or `nil` for the history.
        case asked(screen: String?)
        /// A scene became active, so there may be a window.
        case windowAppeared
    }

    package enum Action: Sendable, Hashable {
        case none
        case open(screen: String?)
    }

    /// A request made before there was a window.
    private var waiting: Happening?

    package init() {}

    /// - Parameters:
    ///   - hasWindow: Whether there is a window to present in.
    ///   - isOpen: Whether it is already open and stays as it is.
    package mutating func take(_ happening: Happening, hasWindow: Bool, isOpen: Bool) -> Action {
        let wish = happening == .windowAppeared ? waiting : happening
        guard case .asked(let screen)? = wish else { return .none }
        waiting = hasWindow ? nil : wish
        return hasWindow && !isOpen ? .open(screen: screen) : .none
    }
}

/// Whether the inspector is available: in a debug build; in a release build only if the app asks (`inRelease: true`,
/// for testers).
///
/// The launch argument `-DaybookInspector NO` turns it off. `YES` changes nothing: an argument alone must not open it
/// in an app from the App Store.
public struct InspectorSwitch: Sendable, Hashable {
    package var isOn: Bool

    package init(isDebugBuild: Bool, inRelease: Bool, arguments: LaunchArguments) {
        isOn = (isDebugBuild || inRelease) && arguments.inspector != false
    }

    /// Whether this package was built for debugging, as the app that contains it is.
    public static var isDebugBuild: Bool {
        #if DEBUG
            true
        #else
            false
        #endif
    }
}

#if canImport(UIKit)
    import UIKit

    extension UIViewController {
        /// The topmost controller in the key window.
        static var topmost: UIViewController? {
            let scenes = UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }
            var top = scenes.flatMap(\.windows).first { $0.isKeyWindow }?.rootViewController
            while let next = top?.presentedViewController { top = next }
            return top
        }
    }
#endif
