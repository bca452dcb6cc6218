// Only on iOS, macOS and visionOS.
// Source: https://developer.apple.com/documentation/webkit
@_exported import Foundation

#if canImport(UIKit)
    public import UIKit
    public typealias WebViewBase = UIView
#else
    public import AppKit
    public typealias WebViewBase = NSView
#endif

// Source: https://developer.apple.com/documentation/webkit/wkurlschemetask
@MainActor @objc public protocol WKURLSchemeTask: NSObjectProtocol {
    var request: URLRequest { get }
    @objc(didReceiveResponse:) func didReceive(_ response: URLResponse)
    @objc(didReceiveData:) func didReceive(_ data: Data)
    func didFinish()
    func didFailWithError(_ error: any Error)
}

// Source: https://developer.apple.com/documentation/webkit/wkurlschemehandler
@MainActor @objc public protocol WKURLSchemeHandler: NSObjectProtocol {
    func webView(_ webView: WKWebView, start urlSchemeTask: any WKURLSchemeTask)
    func webView(_ webView: WKWebView, stop urlSchemeTask: any WKURLSchemeTask)
}

// Source: https://developer.apple.com/documentation/webkit/wkwebsitedatastore
@MainActor public final class WKWebsiteDataStore: NSObject {
    public class func nonPersistent() -> WKWebsiteDataStore { fatalError() }
}

// Source: https://developer.apple.com/documentation/webkit/wkuserscriptinjectiontime
public enum WKUserScriptInjectionTime: Int, Sendable { case atDocumentStart, atDocumentEnd }

// Source: https://developer.apple.com/documentation/webkit/wkuserscript
@MainActor public final class WKUserScript: NSObject {
    public init(source: String, injectionTime: WKUserScriptInjectionTime, forMainFrameOnly: Bool) {}
}

// Source: https://developer.apple.com/documentation/webkit/wkframeinfo
@MainActor public final class WKFrameInfo: NSObject {
    public var isMainFrame: Bool { true }
}

// Source: https://developer.apple.com/documentation/webkit/wkscriptmessage
@MainActor public final class WKScriptMessage: NSObject {
    public var body: Any { 0 }
    public var frameInfo: WKFrameInfo { fatalError() }
}

// Source: https://developer.apple.com/documentation/webkit/wkscriptmessagehandler
@MainActor @objc public protocol WKScriptMessageHandler: NSObjectProtocol {
    func userContentController(_ controller: WKUserContentController, didReceive message: WKScriptMessage)
}

// Source: https://developer.apple.com/documentation/webkit/wkusercontentcontroller
@MainActor public final class WKUserContentController: NSObject {
    public func addUserScript(_ script: WKUserScript) {}
    public func add(_ handler: any WKScriptMessageHandler, name: String) {}
}

// Source: https://developer.apple.com/documentation/webkit/wkwebviewconfiguration
@MainActor public final class WKWebViewConfiguration: NSObject {
    public var websiteDataStore: WKWebsiteDataStore {
        get { fatalError() }
        set {}
    }
    public var userContentController: WKUserContentController { fatalError() }
    public func setURLSchemeHandler(_ handler: (any WKURLSchemeHandler)?, forURLScheme scheme: String) {}
}

// Source: https://developer.apple.com/documentation/webkit/wknavigationactionpolicy
@objc public enum WKNavigationActionPolicy: Int, Sendable { case cancel, allow }

// Source: https://developer.apple.com/documentation/webkit/wknavigationaction
@MainActor public final class WKNavigationAction: NSObject {
    public var request: URLRequest { fatalError() }
}

// Source: https://developer.apple.com/documentation/webkit/wknavigation
@MainActor public final class WKNavigation: NSObject {}

// Source: https://developer.apple.com/documentation/webkit/wknavigationdelegate
@MainActor @objc public protocol WKNavigationDelegate: NSObjectProtocol {
    @objc optional func webView(
        _ webView: WKWebView, decidePolicyFor action: WKNavigationAction
    ) async -> WKNavigationActionPolicy
}

// Source: https://developer.apple.com/documentation/webkit/wkwebview
@MainActor public final class WKWebView: WebViewBase {
    public init(frame: CGRect, configuration: WKWebViewConfiguration) { super.init(frame: frame) }
    public required init?(coder: NSCoder) { nil }
    public weak var navigationDelegate: (any WKNavigationDelegate)?
    @discardableResult public func load(_ request: URLRequest) -> WKNavigation? { nil }
}
