#if canImport(UIKit) && canImport(WebKit)
    import DaybookHTTP
    import Foundation
    import UIKit

    /// Opens the inspector over whatever the app shows: by a shake (in a simulator ⌃⌘Z), by code, or at launch.
    ///
    /// ```swift
    /// let presenter = InspectorPresenter { (inspector, token.text) }      // keep it
    /// ```
    ///
    /// In a release build it does nothing unless it is asked to; see ``init(inRelease:arguments:_:)``.
    @MainActor public final class InspectorPresenter {
        private let isOn: Bool
        private let source: () -> (handler: any HTTPHandler, token: String)
        private weak var presented: UIViewController?
        /// Sound: written by `init` alone, and read by `deinit`, when nobody else has it.
        nonisolated(unsafe) private var observer: (any NSObjectProtocol)?

        /// Begins to listen for shakes.
        /// - Parameters:
        ///   - inRelease: Whether a release build has the inspector too, for testers. Default: no.
        ///   - arguments: Those of this launch.
        ///   - source: Gives the handler, an `InspectorHandler`, and its token's text, each time it is opened.
        public init(
            inRelease: Bool = false, arguments: LaunchArguments = .init(ProcessInfo.processInfo.arguments),
            _ source: @escaping () -> (handler: any HTTPHandler, token: String)
        ) {
            self.source = source
            isOn =
                InspectorSwitch(
                    isDebugBuild: InspectorSwitch.isDebugBuild, inRelease: inRelease, arguments: arguments
                ).isOn
            guard isOn else { return }
            observer = NotificationCenter.default.addObserver(
                forName: .daybookShake, object: nil, queue: .main
            ) { [weak self] _ in
                MainActor.assumeIsolated { self?.open() }
            }
            if let screen = arguments.openedScreen {
                // At launch there is no window yet.
                Task { [weak self] in self?.open(screen: screen) }
            }
        }

        deinit {
            if let observer { NotificationCenter.default.removeObserver(observer) }
        }

        /// Opens the inspector, or leaves it open where it is.
        /// - Parameter screen: A screen of the page: `/net`. Default: the history.
        public func open(screen: String? = nil) {
            guard isOn, presented == nil, let top = UIViewController.topmost else { return }
            let (handler, token) = source()
            let controller = InspectorViewController(handler: handler, token: token, screen: screen)
            controller.navigationItem.rightBarButtonItem = UIBarButtonItem(
                systemItem: .close,
                primaryAction: UIAction { [weak controller] _ in controller?.dismiss(animated: true) })
            let frame = UINavigationController(rootViewController: controller)
            presented = frame
            top.present(frame, animated: true)
        }
    }

    extension Notification.Name {
        /// A window was shaken.
        static let daybookShake = Notification.Name("daybook.shake")
    }

    #if canImport(ObjectiveC)
        extension UIWindow {
            /// The window is where a shake ends that nothing else wants, also while a text field has the keyboard.
            open override func motionEnded(_ motion: UIEvent.EventSubtype, with event: UIEvent?) {
                if motion == .motionShake { NotificationCenter.default.post(name: .daybookShake, object: self) }
                super.motionEnded(motion, with: event)
            }
        }
    #endif
#endif

/// Whether the inspector is there.
///
/// In a debug build it is, in a release build only if the app asks for it (`inRelease: true`, for its testers). A launch
/// argument, `-DaybookInspector NO` or `YES`, wins where it turns it off, or on in a debug build: an argument alone
/// must not open it in an app from the store.
public struct InspectorSwitch: Sendable, Hashable {
    package var isOn: Bool

    package init(isDebugBuild: Bool, inRelease: Bool, arguments: LaunchArguments) {
        isOn = (isDebugBuild || inRelease) && arguments.inspector != false
    }

    /// Whether this package was built for debugging, as the app that it is built into is.
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
        /// What the user sees in the window with the keyboard.
        static var topmost: UIViewController? {
            let scenes = UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }
            var top = scenes.flatMap(\.windows).first { $0.isKeyWindow }?.rootViewController
            while let next = top?.presentedViewController { top = next }
            return top
        }
    }
#endif
