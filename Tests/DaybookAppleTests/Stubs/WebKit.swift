// Source: Apple's documentation of the framework `WebKit`.
@_exported import Foundation
@_exported import FoundationNetworking
public import UIKit

@MainActor public protocol WKURLSchemeTask: AnyObject {
    var request: URLRequest { get }
    func didReceive(_ response: URLResponse)
    func didReceive(_ data: Data)
    func didFinish()
    func didFailWithError(_ error: any Error)
}

@MainActor public protocol WKURLSchemeHandler: AnyObject {
    func webView(_ webView: WKWebView, start urlSchemeTask: any WKURLSchemeTask)
    func webView(_ webView: WKWebView, stop urlSchemeTask: any WKURLSchemeTask)
}

@MainActor public final class WKWebsiteDataStore: NSObject {
    public class func nonPersistent() -> WKWebsiteDataStore { fatalError() }
}

public enum WKUserScriptInjectionTime: Int, Sendable { case atDocumentStart, atDocumentEnd }

@MainActor public final class WKUserScript: NSObject {
    public init(source: String, injectionTime: WKUserScriptInjectionTime, forMainFrameOnly: Bool) {}
}

@MainActor public final class WKFrameInfo: NSObject {
    public var isMainFrame: Bool { true }
}

@MainActor public final class WKScriptMessage: NSObject {
    public var body: Any { 0 }
    public var frameInfo: WKFrameInfo { fatalError() }
}

@MainActor public protocol WKScriptMessageHandler: AnyObject {
    func userContentController(_ controller: WKUserContentController, didReceive message: WKScriptMessage)
}

@MainActor public final class WKUserContentController: NSObject {
    public func addUserScript(_ script: WKUserScript) {}
    public func add(_ handler: any WKScriptMessageHandler, name: String) {}
}

@MainActor public final class WKWebViewConfiguration: NSObject {
    public var websiteDataStore: WKWebsiteDataStore {
        get { fatalError() }
        set {}
    }
    public var userContentController: WKUserContentController { fatalError() }
    public func setURLSchemeHandler(_ handler: (any WKURLSchemeHandler)?, forURLScheme scheme: String) {}
}

public enum WKNavigationActionPolicy: Int, Sendable { case cancel, allow }

@MainActor public final class WKNavigationAction: NSObject {
    public var request: URLRequest { fatalError() }
}

@MainActor public final class WKNavigation: NSObject {}

@MainActor public protocol WKNavigationDelegate: AnyObject {
    func webView(
        _ webView: WKWebView, decidePolicyFor action: WKNavigationAction
    ) async -> WKNavigationActionPolicy
}

@MainActor public final class WKWebView: UIView {
    public init(frame: CGRect, configuration: WKWebViewConfiguration) { super.init(frame: frame) }
    public required init?(coder: NSCoder) { nil }
    public weak var navigationDelegate: (any WKNavigationDelegate)?
    @discardableResult public func load(_ request: URLRequest) -> WKNavigation? { nil }
}
