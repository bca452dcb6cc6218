#if canImport(UIKit)
    import Daybook
    import UIKit

    /// Shows errors over the app, in debug builds: `Route("**", to: ErrorBannerOutput(), level: .error)`. In a release
    /// build it does nothing. Safe to share between threads.
    public final class ErrorBannerOutput: Output {
        public let id: String
        private let inRelease: Bool

        /// - Parameters:
        ///   - id: Its name in ledgers; unique in a pipeline.
        ///   - inRelease: Whether a release build shows errors too. Default: no.
        public init(id: String = "banner", inRelease: Bool = false) {
            self.id = id
            self.inRelease = inRelease
        }

        public func write(_ record: Record) {
            guard InspectorSwitch.isDebugBuild || inRelease else { return }
            let masked = record.masked
            let text = "\(masked.tag): \(masked.message ?? masked.failure ?? "")"
            Task { @MainActor in BannerScreen.shared.add(text) }
        }
    }

    /// The one banner of the app.
    @MainActor private final class BannerScreen {
        static let shared = BannerScreen()
        private var queue = BannerQueue()
        private let label = BannerLabel()
        private var timer: Task<Void, Never>?

        func add(_ text: String) { perform(queue.add(text)) }

        private func perform(_ actions: [BannerQueue.Action]) {
            for action in actions {
                switch action {
                case .show(let text):
                    show(text)
                    timer?.cancel()
                    timer = Task { [weak self] in
                        // How long a banner is shown; the next one cancels it.
                        guard (try? await Task.sleep(for: BannerQueue.time)) != nil else { return }
                        self?.timeIsUp()
                    }
                case .update(let text):
                    label.text = text
                case .hide:
                    label.removeFromSuperview()
                }
            }
        }

        private func timeIsUp() { perform(queue.timeIsUp()) }

        private func show(_ text: String) {
            label.text = text
            UIAccessibility.post(notification: .announcement, argument: text)
            guard label.superview == nil, let view = UIViewController.topmost?.view.window else { return }
            view.addSubview(label)
            NSLayoutConstraint.activate([
                label.leadingAnchor.constraint(equalTo: view.safeAreaLayoutGuide.leadingAnchor, constant: 8),
                label.trailingAnchor.constraint(equalTo: view.safeAreaLayoutGuide.trailingAnchor, constant: -8),
                label.topAnchor.constraint(equalTo: view.safeAreaLayoutGuide.topAnchor, constant: 4),
            ])
        }
    }

    /// White on red, three lines; touches go through it to the app.
    private final class BannerLabel: UILabel {
        init() {
            super.init(frame: .zero)
            translatesAutoresizingMaskIntoConstraints = false
            numberOfLines = 3
            textColor = .white
            backgroundColor = .systemRed
            font = .preferredFont(forTextStyle: .footnote)
            isUserInteractionEnabled = false
        }

        required init?(coder: NSCoder) { nil }
    }
#endif
