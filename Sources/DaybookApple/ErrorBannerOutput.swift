#if canImport(UIKit) && !os(watchOS)
    import Daybook
    import UIKit

    /// Shows errors over the app: `Route("**", to: ErrorBannerOutput(), level: .error)`. Does nothing in a release
    /// build. Safe to share between threads.
    public final class ErrorBannerOutput: Output {
        public let id: String
        private let inRelease: Bool

        /// Creates an output that shows banners.
        ///
        /// ```swift
        /// Route("**", to: ErrorBannerOutput(), level: .error)
        /// ```
        /// - Parameters:
        ///   - id: Its name in ledgers; unique in a pipeline.
        ///   - inRelease: Whether a release build also shows errors. Default: no.
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
                        // The next banner cancels the wait.
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

    /// White on red, three lines; touches pass through to the app.
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

/// Which error a debug build shows, and for how long. Pure: its owner has the clock and the screen.
///
/// Equal errors share a banner with a count. A flood must not hide the app: at most ``waitingLimit`` wait; further ones
/// are only counted.
package struct BannerQueue: Sendable {
    package enum Action: Sendable, Hashable {
        /// Shows a text in place of the current one; call ``BannerQueue/timeIsUp()`` later.
        case show(String)
        case update(String)
        case hide
    }

    package static let waitingLimit = 3
    package static let time = Duration.seconds(4)

    private var shown: (text: String, count: Int)?
    private var waiting: [(text: String, count: Int)] = []
    private var uncounted = 0

    package init() {}

    package mutating func add(_ text: String) -> [Action] {
        guard let current = shown else {
            shown = (text, 1)
            return [.show(text)]
        }
        if current.text == text {
            shown = (text, current.count + 1)
            return [.update(Self.line(text, current.count + 1))]
        }
        if let index = waiting.firstIndex(where: { $0.text == text }) {
            waiting[index].count += 1
        } else if waiting.count < Self.waitingLimit {
            waiting.append((text, 1))
        } else {
            uncounted += 1
        }
        return []
    }

    /// The banner was shown for ``time``, or the user dismissed it.
    package mutating func timeIsUp() -> [Action] {
        guard shown != nil else { return [] }
        if !waiting.isEmpty {
            let next = waiting.removeFirst()
            shown = next
            return [.show(Self.line(next.text, next.count))]
        }
        if uncounted > 0 {
            let text = "and \(uncounted) more"
            uncounted = 0
            shown = (text, 1)
            return [.show(text)]
        }
        shown = nil
        return [.hide]
    }

    private static func line(_ text: String, _ count: Int) -> String { count > 1 ? "\(text) (\(count)×)" : text }
}
