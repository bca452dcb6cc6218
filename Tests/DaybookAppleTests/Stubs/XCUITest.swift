// What UI tests of the sample use of Xcode's framework, which XCTest brings with it there.
// Source: https://developer.apple.com/documentation/xcuiautomation/xcuiapplication
// Source: https://developer.apple.com/documentation/xcuiautomation/xcuielement
// Source: https://developer.apple.com/documentation/xcuiautomation/xcuielementquery
// Source: https://developer.apple.com/documentation/xcuiautomation/xcuikeyboardkey
import Foundation

@MainActor class XCUIElement: NSObject {
    var value: Any? { nil }
    var firstMatch: XCUIElement { self }
    var buttons: XCUIElementQuery { XCUIElementQuery() }
    var otherElements: XCUIElementQuery { XCUIElementQuery() }
    var searchFields: XCUIElementQuery { XCUIElementQuery() }
    func waitForExistence(timeout: TimeInterval) -> Bool { false }
    func tap() {}
    func typeText(_ text: String) {}
}

@MainActor final class XCUIApplication: XCUIElement {
    var launchArguments: [String] = []
    var launchEnvironment: [String: String] = [:]
    func launch() {}
}

@MainActor final class XCUIElementQuery: NSObject {
    var firstMatch: XCUIElement { XCUIElement() }
    subscript(key: String) -> XCUIElement { XCUIElement() }
}

struct XCUIKeyboardKey: RawRepresentable, Sendable {
    let rawValue: String
    static let delete = XCUIKeyboardKey(rawValue: "\u{8}")
}
