#if canImport(WebKit)
    import DaybookHTTP
    import Foundation

    #if canImport(UIKit)
        import UIKit
    #else
        import AppKit
    #endif

    /// Opens the inspector over the app: by a shake (in a simulator ⌃⌘Z), from code, or at launch. On a Mac it has a
    /// window of its own, and opens by ⌃⌘Z too.
    ///
    /// ```swift
    /// let presenter = InspectorPresenter { (inspector, token.text) }      // keep it
    /// ```
    ///
    /// In SwiftUI, `inspectorOnShake` does the same. A release build has it only if asked; see
    /// ``init(inRelease:arguments:_:)``.
    @MainActor public final class InspectorPresenter {
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
            #if canImport(UIKit)
                observe(UIScene.didActivateNotification, .windowAppeared)
            #else
                ShakeKeys.watch()
            #endif
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
            let action = trigger.take(
                happening, hasWindow: InspectorPlace.isReady, isOpen: InspectorPlace.isTaken)
            guard isOn, case .open(let screen) = action, let (handler, token) = source() else { return }
            InspectorPlace.show(InspectorViewController(handler: handler, token: token, screen: screen))
        }
    }

    extension Notification.Name {
        /// A window was shaken.
        static let daybookShake = Notification.Name("daybook.shake")
    }

    #if canImport(UIKit)
        /// Over the topmost controller.
        @MainActor private enum InspectorPlace {
            /// The open inspector of any presenter: a shake must not open a second one.
            private static weak var presented: UIViewController?

            static var isTaken: Bool { presented != nil }
            static var isReady: Bool { UIViewController.topmost != nil }

            static func show(_ controller: InspectorViewController) {
                controller.navigationItem.rightBarButtonItem = UIBarButtonItem(
                    systemItem: .close,
                    primaryAction: UIAction { [weak controller] _ in controller?.dismiss(animated: true) })
                let frame = UINavigationController(rootViewController: controller)
                presented = frame
                UIViewController.topmost?.present(frame, animated: true)
            }
        }

        extension UIWindow {
            /// In the window, where unhandled shakes arrive even while a text field has the keyboard.
            open override func motionEnded(_ motion: UIEvent.EventSubtype, with event: UIEvent?) {
                if motion == .motionShake { NotificationCenter.default.post(name: .daybookShake, object: self) }
                super.motionEnded(motion, with: event)
            }
        }
    #else
        /// A window of its own.
        @MainActor private enum InspectorPlace {
            private static var window: NSWindow?

            static var isTaken: Bool { window?.isVisible == true }
            static var isReady: Bool { true }

            static func show(_ controller: InspectorViewController) {
                let window = NSWindow(contentViewController: controller)
                window.title = "Daybook"
                window.isReleasedWhenClosed = false
                window.setContentSize(CGSize(width: 1_100, height: 760))
                window.center()
                window.makeKeyAndOrderFront(nil)
                self.window = window
            }
        }

        /// ⌃⌘Z, the simulator's keys for a shake, in any window of the app.
        @MainActor private enum ShakeKeys {
            private static var monitor: Any?

            static func watch() {
                guard monitor == nil else { return }
                monitor = NSEvent.addLocalMonitorForEvents(matching: .keyDown) { event in
                    let keys = event.modifierFlags.intersection(.deviceIndependentFlagsMask)
                    guard keys == [.control, .command], event.charactersIgnoringModifiers == "z" else { return event }
                    NotificationCenter.default.post(name: .daybookShake, object: nil)
                    return nil
                }
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
