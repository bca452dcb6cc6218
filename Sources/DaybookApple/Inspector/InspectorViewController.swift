#if canImport(UIKit) && canImport(WebKit)
    import DaybookHTTP
    import Foundation
    import UIKit
    import WebKit

    /// The inspector in an app: its page in a web view, over a handler in the same process.
    public final class InspectorViewController: UIViewController {
        private let scheme: InspectorSchemeHandler
        private let route: String?
        private lazy var page = makePage()

        /// A view controller.
        /// - Parameters:
        ///   - handler: An `InspectorHandler` of the module `DaybookInspector`.
        ///   - token: The text of the `AccessToken` that the handler was made with.
        ///   - screen: A screen of the page, as it stands behind `#` in its address: `/net`. Default: the history.
        public init(handler: any HTTPHandler, token: String, screen: String? = nil) {
            scheme = InspectorSchemeHandler(handler, address: InspectorAddress(token: token))
            route = screen
            super.init(nibName: nil, bundle: nil)
        }

        /// Not from a nib: it needs its handler.
        public required init?(coder: NSCoder) { nil }

        public override func loadView() { view = page }

        public override func viewDidLoad() {
            super.viewDidLoad()
            if let url = InspectorAddress.page(at: route) { page.load(URLRequest(url: url)) }
        }

        private func makePage() -> WKWebView {
            let configuration = WKWebViewConfiguration()
            configuration.setURLSchemeHandler(scheme, forURLScheme: InspectorAddress.scheme)
            // Nothing that the page shows outlives it.
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
                // On an iPad a sheet needs a place to point at.
                sheet.popoverPresentationController?.sourceView = view
                present(sheet, animated: true)
            }
        }
    }

    extension InspectorViewController: WKNavigationDelegate {
        /// The page itself stays here; a link that leads elsewhere opens in the browser.
        public func webView(
            _ webView: WKWebView, decidePolicyFor action: WKNavigationAction
        ) async -> WKNavigationActionPolicy {
            guard let url = action.request.url else { return .cancel }
            if InspectorAddress.owns(url) { return .allow }
            if case .open(let url)? = PageMessage(["action": "open", "url": url.absoluteString]) { take(.open(url)) }
            return .cancel
        }
    }

    /// Takes the page's messages. The web view's configuration holds it, so that it must not hold the view.
    @MainActor private final class PageMessages: NSObject, WKScriptMessageHandler {
        private weak var owner: InspectorViewController?

        init(owner: InspectorViewController) { self.owner = owner }

        func userContentController(_ controller: WKUserContentController, didReceive message: WKScriptMessage) {
            guard message.frameInfo.isMainFrame, let wish = PageMessage(message.body) else { return }
            owner?.take(wish)
        }
    }
#endif
