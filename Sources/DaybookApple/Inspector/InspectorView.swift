import Foundation

#if canImport(SwiftUI) && canImport(UIKit) && canImport(WebKit)
    import DaybookHTTP
    import SwiftUI

    /// The inspector as a SwiftUI view; see ``InspectorViewController``.
    public struct InspectorView: UIViewControllerRepresentable {
        private let handler: any HTTPHandler
        private let token: String
        private let screen: String?

        /// Creates a view.
        ///
        /// ```swift
        /// func networkScreen(_ handler: any HTTPHandler, token: String) -> InspectorView {
        ///     InspectorView(handler: handler, token: token, screen: "/net")
        /// }
        /// ```
        /// - Parameters:
        ///   - handler: An `InspectorHandler` of the module `DaybookInspector`.
        ///   - token: The text of the `AccessToken` that the handler was made with.
        ///   - screen: A screen of the page: `/net`. Default: the history.
        public init(handler: any HTTPHandler, token: String, screen: String? = nil) {
            self.handler = handler
            self.token = token
            self.screen = screen
        }

        public func makeUIViewController(context: Context) -> InspectorViewController {
            InspectorViewController(handler: handler, token: token, screen: screen)
        }

        public func updateUIViewController(_ controller: InspectorViewController, context: Context) {}
    }

    extension View {
        /// Opens the inspector over the app by a shake (in a simulator ⌃⌘Z), or at launch with `-DaybookOpen`: one line
        /// in the app's first view.
        ///
        /// ```swift
        /// WindowGroup { ContentView().inspectorOnShake { (inspector, token.text) } }
        /// ```
        /// - Parameters:
        ///   - inRelease: Whether a release build also has the inspector, for testers. Default: no.
        ///   - source: Returns the `InspectorHandler` and its token's text, each time the inspector opens; `nil` if
        ///     this build has none.
        public func inspectorOnShake(
            inRelease: Bool = false, _ source: @escaping () -> (handler: any HTTPHandler, token: String)?
        ) -> some View {
            modifier(InspectorOnShake(inRelease: inRelease, source: source))
        }
    }

    /// Keeps an ``InspectorPresenter`` while the view exists.
    private struct InspectorOnShake: ViewModifier {
        let inRelease: Bool
        let source: () -> (handler: any HTTPHandler, token: String)?
        @State private var presenter: InspectorPresenter?

        init(inRelease: Bool, source: @escaping () -> (handler: any HTTPHandler, token: String)?) {
            self.inRelease = inRelease
            self.source = source
        }

        func body(content: Content) -> some View {
            content.onAppear {
                if presenter == nil { presenter = InspectorPresenter(inRelease: inRelease, source) }
            }
        }
    }
#endif

#if canImport(UIKit) && canImport(WebKit)
    import DaybookHTTP
    import Foundation
    import UIKit
    import WebKit

    /// The inspector in an app: its page in a web view, with a handler in the same process.
    public final class InspectorViewController: UIViewController {
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
            case .copy(let text):
                UIPasteboard.general.string = text
            case .open(let url):
                UIApplication.shared.open(url)
            case .share(let name, let text):
                let file = FileManager.default.temporaryDirectory.appending(path: name)
                guard (try? Data(text.utf8).write(to: file, options: .atomic)) != nil else { return }
                let sheet = UIActivityViewController(activityItems: [file], applicationActivities: nil)
                sheet.completionWithItemsHandler = { _, _, _, _ in try? FileManager.default.removeItem(at: file) }
                // On an iPad, a sheet needs an anchor.
                sheet.popoverPresentationController?.sourceView = view
                present(sheet, animated: true)
            }
        }
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
