import Foundation

#if canImport(WebKit)
    import DaybookHTTP
    import WebKit

    #if canImport(UIKit)
        import UIKit
    #else
        import AppKit
    #endif

    #if canImport(UIKit)
        /// `UIViewController`; on a Mac `NSViewController`.
        public typealias InspectorParentController = UIViewController
    #else
        /// `UIViewController`; on a Mac `NSViewController`.
        public typealias InspectorParentController = NSViewController
    #endif

    /// The inspector in an app: its page in a web view, with a handler in the same process.
    ///
    /// On a Mac it is the content of a window: `NSWindow(contentViewController: …)`.
    public final class InspectorViewController: InspectorParentController {
        private let scheme: InspectorSchemeHandler
        private let route: String?
        private lazy var page = makePage()

        /// Creates a view controller.
        ///
        /// ```swift
        /// func inspector(_ handler: any HTTPHandler, token: String) -> InspectorViewController {
        ///     InspectorViewController(handler: handler, token: token)
        /// }
        /// ```
        /// - Parameters:
        ///   - handler: An `InspectorHandler` of the module `DaybookInspector`.
        ///   - token: The text of the `AccessToken` that the handler was made with.
        ///   - screen: A screen of the page, as in its address after `#`: `/net`. Default: the history.
        public init(handler: any HTTPHandler, token: String, screen: String? = nil) {
            scheme = InspectorSchemeHandler(handler, address: InspectorAddress(token: token))
            route = screen
            super.init(nibName: nil, bundle: nil)
        }

        /// Not available: a nib has no handler.
        public required init?(coder: NSCoder) { nil }

        public override func loadView() { view = page }

        public override func viewDidLoad() {
            super.viewDidLoad()
            if let url = InspectorAddress.page(at: route) { page.load(URLRequest(url: url)) }
        }

        private func makePage() -> WKWebView {
            let configuration = WKWebViewConfiguration()
            configuration.setURLSchemeHandler(scheme, forURLScheme: InspectorAddress.scheme)
            // The page leaves no data behind.
            configuration.websiteDataStore = .nonPersistent()
            configuration.userContentController.addUserScript(
                WKUserScript(
                    source: "window.daybookHost = {isSimulator: \(DeviceFacts.current.isSimulator)};",
                    injectionTime: .atDocumentStart, forMainFrameOnly: true))
            configuration.userContentController.add(PageMessages(owner: self), name: "daybook")
            let page = WKWebView(frame: .zero, configuration: configuration)
            page.navigationDelegate = self
            return page
        }

        fileprivate func take(_ message: PageMessage) {
            switch message {
            case .copy(let text): copy(text)
            case .open(let url): open(url)
            case .share(let name, let text): share(text, as: name)
            }
        }

        #if canImport(UIKit)
            private func copy(_ text: String) { UIPasteboard.general.string = text }

            private func open(_ url: URL) { UIApplication.shared.open(url) }

            private func share(_ text: String, as name: String) {
                let file = FileManager.default.temporaryDirectory.appending(path: name)
                guard (try? Data(text.utf8).write(to: file, options: .atomic)) != nil else { return }
                let sheet = UIActivityViewController(activityItems: [file], applicationActivities: nil)
                sheet.completionWithItemsHandler = { _, _, _, _ in try? FileManager.default.removeItem(at: file) }
                // On an iPad, a sheet needs an anchor.
                sheet.popoverPresentationController?.sourceView = view
                present(sheet, animated: true)
            }
        #else
            private func copy(_ text: String) {
                NSPasteboard.general.clearContents()
                NSPasteboard.general.setString(text, forType: .string)
            }

            private func open(_ url: URL) { NSWorkspace.shared.open(url) }

            private func share(_ text: String, as name: String) {
                let panel = NSSavePanel()
                panel.nameFieldStringValue = name
                panel.begin { answer in
                    MainActor.assumeIsolated {
                        guard answer == .OK, let file = panel.url else { return }
                        do {
                            try Data(text.utf8).write(to: file, options: .atomic)
                        } catch {
                            NSAlert(error: error).runModal()
                        }
                    }
                }
            }
        #endif
    }

    extension InspectorViewController: WKNavigationDelegate {
        /// Links that lead elsewhere open in the browser.
        public func webView(
            _ webView: WKWebView, decidePolicyFor action: WKNavigationAction
        ) async -> WKNavigationActionPolicy {
            guard let url = action.request.url else { return .cancel }
            if InspectorAddress.owns(url) { return .allow }
            if case .open(let url)? = PageMessage(["action": "open", "url": url.absoluteString]) { take(.open(url)) }
            return .cancel
        }
    }

    /// Receives the page's messages. The configuration retains it, so its reference to the owner is weak.
    @MainActor private final class PageMessages: NSObject, WKScriptMessageHandler {
        private weak var owner: InspectorViewController?

        init(owner: InspectorViewController) { self.owner = owner }

        func userContentController(_ controller: WKUserContentController, didReceive message: WKScriptMessage) {
            guard message.frameInfo.isMainFrame, let wish = PageMessage(message.body) else { return }
            owner?.take(wish)
        }
    }
#endif

/// What the inspector's page asks of the app.
///
/// The page shows logged content, so its requests are validated like any input: texts are bounded, URLs http or https,
/// and file names no paths.
package enum PageMessage: Sendable, Hashable {
    case copy(String)
    case open(URL)
    case share(name: String, text: String)

    /// The page exports less than 64 MiB.
    private static let textLimit = 64 << 20
    private static let nameLimit = 120

    /// Parses a script message, such as `{action: "copy", text: "…"}`; `nil` if invalid.
    package init?(_ body: Any) {
        guard let body = body as? [String: Any] else { return nil }
        let text = (body["text"] as? String).flatMap { $0.utf8.count <= Self.textLimit ? $0 : nil }
        switch (body["action"] as? String, text) {
        case ("copy", let text?):
            self = .copy(text)
        case ("open", _):
            guard let address = body["url"] as? String, let url = URL(string: address),
                ["http", "https"].contains(url.scheme?.lowercased()), url.host() != nil
            else { return nil }
            self = .open(url)
        case ("share", let text?):
            self = .share(name: Self.fileName(body["name"] as? String ?? ""), text: text)
        default:
            return nil
        }
    }

    /// Without folder, not hidden, and not too long.
    private static func fileName(_ name: String) -> String {
        let plain = name.map { $0.isLetter || $0.isNumber || "-_. ".contains($0) ? $0 : "-" }
        let visible = String(plain.drop { $0 == "." || $0 == " " }.prefix(nameLimit))
        return visible.isEmpty ? "daybook.txt" : visible
    }
}
