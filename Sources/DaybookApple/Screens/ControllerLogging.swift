#if canImport(UIKit) && !os(watchOS)
    import Daybook
    import UIKit

    extension UIViewController {
        /// Records an event each time this controller's view has appeared (`viewDidAppear`). Call it in `viewDidLoad`.
        ///
        /// An invisible child controller observes this, without a superclass or swizzling; it is among the controller's
        /// `children`. UIKit's containers (navigation, tab bar, split view and page controllers) choose their children
        /// themselves: on one, this only records a warning. Log the appearance of the controllers in them.
        /// - Parameters:
        ///   - event: The event, the same each time.
        ///   - log: Default: the installed pipeline's.
        public func logs(onAppear event: some LogEvent, to log: Log = Log("app")) {
            observe(.appear, log) { event }
        }

        /// Records an event each time this controller's view has appeared; see ``logs(onAppear:to:)``.
        /// - Parameters:
        ///   - event: Creates the event each time; `nil` for none. The controller keeps the closure, which must not
        ///     retain the controller: `{ [weak self] in … }`.
        ///   - log: Default: the installed pipeline's.
        public func logs<Event: LogEvent>(onAppear event: @escaping @MainActor () -> Event?, to log: Log = Log("app")) {
            observe(.appear, log, event)
        }

        /// Records an event each time this controller's view has disappeared (`viewDidDisappear`); see
        /// ``logs(onAppear:to:)``.
        public func logs(onDisappear event: some LogEvent, to log: Log = Log("app")) {
            observe(.disappear, log) { event }
        }

        private func observe<Event: LogEvent>(
            _ moment: AppearanceObserver.Moment, _ log: Log, _ event: @escaping @MainActor () -> Event?
        ) {
            guard !choosesItsChildren else {
                return log.warning("\(type(of: self)) chooses its children itself: log the appearance of those")
            }
            let observer = AppearanceObserver(moment) {
                if let event = event() { log.post(event) }
            }
            addChild(observer)
            view.addSubview(observer.view)
            observer.didMove(toParent: self)
        }

        private var choosesItsChildren: Bool {
            self is UINavigationController || self is UITabBarController || self is UISplitViewController
                || self is UIPageViewController
        }
    }

    extension UIControl {
        /// Records an event each time this control is used (`primaryActionTriggered`): a button by a tap, from a
        /// keyboard or by VoiceOver. Its own actions run as before.
        /// - Parameters:
        ///   - event: The event, the same each time.
        ///   - log: Default: the installed pipeline's.
        public func logs(onTap event: some LogEvent, to log: Log = Log("app")) {
            addAction(UIAction { _ in log.post(event) }, for: .primaryActionTriggered)
        }
    }

    /// A child that learns when its parent appears and disappears. Its view is empty and takes no touches.
    private final class AppearanceObserver: UIViewController {
        enum Moment { case appear, disappear }

        private let moment: Moment
        private let act: @MainActor () -> Void

        init(_ moment: Moment, _ act: @escaping @MainActor () -> Void) {
            self.moment = moment
            self.act = act
            super.init(nibName: nil, bundle: nil)
        }

        required init?(coder: NSCoder) { nil }

        override func loadView() {
            view = UIView(frame: .zero)
            view.isHidden = true
        }

        override func viewDidAppear(_ animated: Bool) {
            super.viewDidAppear(animated)
            if moment == .appear { act() }
        }

        override func viewDidDisappear(_ animated: Bool) {
            super.viewDidDisappear(animated)
            if moment == .disappear { act() }
        }
    }
#endif
