// Source: https://developer.apple.com/documentation/xcuiautomation
@_exported import Foundation

// Source: https://developer.apple.com/documentation/xcuiautomation/xcuielementattributes
@MainActor public protocol XCUIElementAttributes {
    var value: Any? { get }
}

// Source: https://developer.apple.com/documentation/xcuiautomation/xcuielementtypequeryprovider
@MainActor public protocol XCUIElementTypeQueryProvider {
    var buttons: XCUIElementQuery { get }
    var otherElements: XCUIElementQuery { get }
    var searchFields: XCUIElementQuery { get }
    var firstMatch: XCUIElement { get }
}

// Source: https://developer.apple.com/documentation/xcuiautomation/xcuielement
@MainActor open class XCUIElement: NSObject, XCUIElementAttributes, XCUIElementTypeQueryProvider {
    open var value: Any? { nil }
    open var firstMatch: XCUIElement { self }
    open var buttons: XCUIElementQuery { fatalError() }
    open var otherElements: XCUIElementQuery { fatalError() }
    open var searchFields: XCUIElementQuery { fatalError() }
    open func waitForExistence(timeout: TimeInterval) -> Bool { false }
    open func tap() {}
    open func typeText(_ text: String) {}
}

// Source: https://developer.apple.com/documentation/xcuiautomation/xcuiapplication
@MainActor open class XCUIApplication: XCUIElement {
    public override init() {}
    open var launchArguments: [String] = []
    open var launchEnvironment: [String: String] = [:]
    open func launch() {}
}

// Source: https://developer.apple.com/documentation/xcuiautomation/xcuielementquery
@MainActor open class XCUIElementQuery: NSObject {
    open var firstMatch: XCUIElement { fatalError() }
    open subscript(key: String) -> XCUIElement { fatalError() }
}

// Source: https://developer.apple.com/documentation/xcuiautomation/xcuikeyboardkey
public struct XCUIKeyboardKey: Hashable, RawRepresentable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let delete = XCUIKeyboardKey(rawValue: "")
}
