// Source: https://developer.apple.com/documentation/xctest
@_exported import Foundation
@_exported import XCUIAutomation

// Source: https://developer.apple.com/documentation/xctest/xctest
open class XCTest: NSObject {}

// Source: https://developer.apple.com/documentation/xctest/xctestcase
open class XCTestCase: XCTest {}

// Source: https://developer.apple.com/documentation/xctest/xctactivity/add(_:)
extension XCTestCase {
    nonisolated public func add(_ attachment: XCTAttachment) {}
}

// Source: https://developer.apple.com/documentation/xctest/xctattachment
open class XCTAttachment: NSObject {
    public convenience init(data payload: Data, uniformTypeIdentifier identifier: String) { fatalError() }
    open var name: String?
    open var lifetime: Lifetime {
        get { fatalError() }
        set {}
    }

    public enum Lifetime: Int { case deleteOnSuccess, keepAlways }
}

// Source: https://developer.apple.com/documentation/xctest/xctasserttrue(_:_:file:line:)
public func XCTAssertTrue(
    _ expression: @autoclosure () throws -> Bool, _ message: @autoclosure () -> String = "",
    file: StaticString = #filePath, line: UInt = #line
) {}

// Source: https://developer.apple.com/documentation/xctest/xctunwrap(_:_:file:line:)
public func XCTUnwrap<T>(
    _ expression: @autoclosure () throws -> T?, _ message: @autoclosure () -> String = "",
    file: StaticString = #filePath, line: UInt = #line
) throws -> T { fatalError() }
