// Source: https://developer.apple.com/documentation/foundation

// Bridges between Swift values and their Objective-C classes.
// Source: https://developer.apple.com/documentation/swift/working-with-foundation-types
extension _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> _ObjectiveCType { fatalError() }
    public static func _forceBridgeFromObjectiveC(_ source: _ObjectiveCType, result: inout Self?) {}
    public static func _conditionallyBridgeFromObjectiveC(_ source: _ObjectiveCType, result: inout Self?) -> Bool {
        false
    }
    public static func _unconditionallyBridgeFromObjectiveC(_ source: _ObjectiveCType?) -> Self { fatalError() }
}

open class NSArray: NSObject {}
open class NSData: NSObject {}
open class NSDate: NSObject {}
open class NSDictionary: NSObject {}
open class NSNotification: NSObject {
    public typealias Name = Notification.Name
}
open class NSSet: NSObject {}
open class NSURL: NSObject {}
open class NSURLRequest: NSObject {}

extension Array: _ObjectiveCBridgeable { public typealias _ObjectiveCType = NSArray }
extension Data: _ObjectiveCBridgeable { public typealias _ObjectiveCType = NSData }
extension Date: _ObjectiveCBridgeable { public typealias _ObjectiveCType = NSDate }
extension Dictionary: _ObjectiveCBridgeable { public typealias _ObjectiveCType = NSDictionary }
extension Notification: _ObjectiveCBridgeable { public typealias _ObjectiveCType = NSNotification }
extension Set: _ObjectiveCBridgeable { public typealias _ObjectiveCType = NSSet }
extension String: _ObjectiveCBridgeable { public typealias _ObjectiveCType = NSString }
extension URL: _ObjectiveCBridgeable { public typealias _ObjectiveCType = NSURL }
extension URLRequest: _ObjectiveCBridgeable { public typealias _ObjectiveCType = NSURLRequest }

// Source: https://developer.apple.com/documentation/foundation/nscoder
open class NSCoder: NSObject {}

// Source: https://developer.apple.com/documentation/foundation/nsnull
open class NSNull: NSObject {}

// Source: https://developer.apple.com/documentation/foundation/nspredicate
open class NSPredicate: NSObject {
    public convenience init(format predicateFormat: String, _ args: any CVarArg...) { self.init() }
}

// Source: https://developer.apple.com/documentation/foundation/nslog(_:_:)
public func NSLog(_ format: String, _ args: any CVarArg...) {}

// Source: https://developer.apple.com/documentation/foundation/nserror
open class NSError: NSObject, Error, @unchecked Sendable {
    public init(domain: String, code: Int, userInfo dict: [String: Any]? = nil) {}
    open var domain: String { "" }
    open var code: Int { 0 }
    open var userInfo: [String: Any] { [:] }
    open var localizedDescription: String { "" }
}

// The compiler calls these to convert between `Error` and `NSError`.
public func _convertErrorToNSError(_ error: any Error) -> NSError { fatalError() }
public func _convertNSErrorToError(_ error: NSError?) -> any Error { fatalError() }

// Source: https://developer.apple.com/documentation/foundation/error-handling
public let NSLocalizedDescriptionKey = ""
public let NSUnderlyingErrorKey = ""
public let NSPOSIXErrorDomain = ""

// Source: https://developer.apple.com/documentation/swift/error/localizeddescription
extension Error {
    public var localizedDescription: String { "" }
}

// Source: https://developer.apple.com/documentation/foundation/localizederror
public protocol LocalizedError: Error {
    var errorDescription: String? { get }
    var failureReason: String? { get }
    var recoverySuggestion: String? { get }
}
extension LocalizedError {
    public var errorDescription: String? { nil }
    public var failureReason: String? { nil }
    public var recoverySuggestion: String? { nil }
}

// Source: https://developer.apple.com/documentation/foundation/customnserror
public protocol CustomNSError: Error {
    static var errorDomain: String { get }
    var errorCode: Int { get }
    var errorUserInfo: [String: Any] { get }
}
extension CustomNSError {
    public static var errorDomain: String { "" }
    public var errorCode: Int { 0 }
    public var errorUserInfo: [String: Any] { [:] }
}

// Source: https://developer.apple.com/documentation/foundation/urlerror
public struct URLError: Error, CustomNSError, Hashable {
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        public static let badURL = Code(rawValue: -1000)
        public static let badServerResponse = Code(rawValue: -1011)
        public static let dataLengthExceedsMaximum = Code(rawValue: -1103)
        public static let cancelled = Code(rawValue: -999)
        public static let timedOut = Code(rawValue: -1001)
        public static let notConnectedToInternet = Code(rawValue: -1009)
        public static let cannotFindHost = Code(rawValue: -1003)
        public static let dnsLookupFailed = Code(rawValue: -1006)
        public static let cannotConnectToHost = Code(rawValue: -1004)
        public static let networkConnectionLost = Code(rawValue: -1005)
        public static let resourceUnavailable = Code(rawValue: -1008)
        public static let unknown = Code(rawValue: -1)
    }
    public init(_ code: Code, userInfo: [String: Any] = [:]) {}
    public var code: Code { .unknown }
}

// Source: https://developer.apple.com/documentation/foundation/cocoaerror
public struct CocoaError: Error, CustomNSError, Hashable {
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        public static let fileNoSuchFile = Code(rawValue: 4)
    }
    public init(_ code: Code, userInfo: [String: Any] = [:]) {}
    public var code: Code { .fileNoSuchFile }
}

// Source: https://developer.apple.com/documentation/foundation/notification
public struct Notification {
    public struct Name: Hashable, RawRepresentable, Sendable {
        public let rawValue: String
        public init(_ rawValue: String) { self.rawValue = rawValue }
        public init(rawValue: String) { self.rawValue = rawValue }
    }
    public var name: Name
    public var object: Any?
    public var userInfo: [AnyHashable: Any]?
}

// Source: https://developer.apple.com/documentation/foundation/notificationcenter
open class NotificationCenter: NSObject, @unchecked Sendable {
    open class var `default`: NotificationCenter { fatalError() }
    @preconcurrency open func addObserver(
        forName name: Notification.Name?, object obj: Any?, queue: OperationQueue?,
        using block: @escaping @Sendable (Notification) -> Void
    ) -> any NSObjectProtocol { fatalError() }
    open func removeObserver(_ observer: Any) {}
    open func post(name aName: Notification.Name, object anObject: Any?) {}
    open func post(name aName: Notification.Name, object anObject: Any?, userInfo: [AnyHashable: Any]?) {}
}

// Source: https://developer.apple.com/documentation/foundation/operationqueue
open class OperationQueue: NSObject, @unchecked Sendable {
    open class var main: OperationQueue { fatalError() }
}
