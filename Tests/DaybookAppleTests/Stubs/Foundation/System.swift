// Source: https://developer.apple.com/documentation/foundation

// Source: https://developer.apple.com/documentation/foundation/processinfo
open class ProcessInfo: NSObject, @unchecked Sendable {
    open class var processInfo: ProcessInfo { fatalError() }
    open var environment: [String: String] { [:] }
    open var arguments: [String] { [] }
    open var processName: String = ""
    open var processIdentifier: Int32 { 0 }
    open var operatingSystemVersion: OperatingSystemVersion { fatalError() }
    open var isLowPowerModeEnabled: Bool { false }
    // Source: https://developer.apple.com/documentation/foundation/processinfo/activityoptions
    public struct ActivityOptions: OptionSet, Sendable {
        public let rawValue: UInt64
        public init(rawValue: UInt64) { self.rawValue = rawValue }
        public static let userInitiatedAllowingIdleSystemSleep = ActivityOptions(rawValue: 0x00ff_ffff)
    }
    open func beginActivity(options: ActivityOptions = [], reason: String) -> any NSObjectProtocol { fatalError() }
    open func endActivity(_ activity: any NSObjectProtocol) {}
}

// Source: https://developer.apple.com/documentation/foundation/nsnotification/name/nsprocessinfopowerstatedidchange
extension Notification.Name {
    public static let NSProcessInfoPowerStateDidChange = Notification.Name("")
}

// Source: https://developer.apple.com/documentation/foundation/thread
open class Thread: NSObject, @unchecked Sendable {
    @preconcurrency public convenience init(block: @escaping @Sendable () -> Void) { self.init() }
    @preconcurrency open class func detachNewThread(_ block: @escaping @Sendable () -> Void) {}
    open class var current: Thread { fatalError() }
    open class func sleep(forTimeInterval ti: TimeInterval) {}
    open var name: String?
    open var qualityOfService: QualityOfService = .default
    open func start() {}
}

// Source: https://developer.apple.com/documentation/foundation/qualityofservice
public enum QualityOfService: Int, Sendable {
    case userInitiated = 25
    case utility = 17
    case background = 9
    case `default` = -1
}

// Source: https://developer.apple.com/documentation/foundation/nslocking
public protocol NSLocking {
    func lock()
    func unlock()
}
extension NSLocking {
    public func withLock<R>(_ body: () throws -> R) rethrows -> R { try body() }
}

// Source: https://developer.apple.com/documentation/foundation/nslock
open class NSLock: NSObject, NSLocking, @unchecked Sendable {
    open func lock() {}
    open func unlock() {}
}

// Source: https://developer.apple.com/documentation/foundation/nscondition
open class NSCondition: NSObject, NSLocking, @unchecked Sendable {
    open func lock() {}
    open func unlock() {}
    open func wait() {}
    open func wait(until limit: Date) -> Bool { false }
    open func signal() {}
    open func broadcast() {}
}

// Source: https://developer.apple.com/documentation/foundation/bundle
open class Bundle: NSObject, @unchecked Sendable {
    open class var main: Bundle { fatalError() }
    open var bundleIdentifier: String? { nil }
    open var bundlePath: String { "" }
    open var bundleURL: URL { fatalError() }
    open var executableURL: URL? { nil }
    open var infoDictionary: [String: Any]? { nil }
    open func object(forInfoDictionaryKey key: String) -> Any? { nil }
    open func url(forResource name: String?, withExtension ext: String?) -> URL? { nil }
}

// Source: https://developer.apple.com/documentation/foundation/userdefaults
open class UserDefaults: NSObject {
    open class var standard: UserDefaults { fatalError() }
    public init?(suiteName suitename: String?) {}
    open func object(forKey defaultName: String) -> Any? { nil }
    open func string(forKey defaultName: String) -> String? { nil }
    open func bool(forKey defaultName: String) -> Bool { false }
    open func data(forKey defaultName: String) -> Data? { nil }
    open func dictionary(forKey defaultName: String) -> [String: Any]? { nil }
    open func set(_ value: Any?, forKey defaultName: String) {}
}

// Source: https://developer.apple.com/documentation/foundation/filemanager
open class FileManager: NSObject {
    open class var `default`: FileManager { fatalError() }
    public enum SearchPathDirectory: UInt, Sendable { case applicationSupportDirectory = 14 }
    public struct SearchPathDomainMask: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let userDomainMask = SearchPathDomainMask(rawValue: 1)
    }
    open func urls(for directory: SearchPathDirectory, in domainMask: SearchPathDomainMask) -> [URL] { [] }
    open var temporaryDirectory: URL { fatalError() }
    open func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? { nil }
    open var currentDirectoryPath: String { "" }
    open func fileExists(atPath path: String) -> Bool { false }
    open func fileExists(atPath path: String, isDirectory: UnsafeMutablePointer<ObjCBool>?) -> Bool { false }
    open func isWritableFile(atPath path: String) -> Bool { false }
    open func contents(atPath path: String) -> Data? { nil }
    open func contentsOfDirectory(atPath path: String) throws -> [String] { [] }
    open func attributesOfItem(atPath path: String) throws -> [FileAttributeKey: Any] { [:] }
    open func attributesOfFileSystem(forPath path: String) throws -> [FileAttributeKey: Any] { [:] }
    open func setAttributes(_ attributes: [FileAttributeKey: Any], ofItemAtPath path: String) throws {}
    @discardableResult open func createFile(
        atPath path: String, contents data: Data?, attributes attr: [FileAttributeKey: Any]? = nil
    ) -> Bool { false }
    open func createDirectory(
        atPath path: String, withIntermediateDirectories createIntermediates: Bool,
        attributes: [FileAttributeKey: Any]? = nil
    ) throws {}
    open func createDirectory(
        at url: URL, withIntermediateDirectories createIntermediates: Bool,
        attributes: [FileAttributeKey: Any]? = nil
    ) throws {}
    open func moveItem(at srcURL: URL, to dstURL: URL) throws {}
    open func moveItem(atPath srcPath: String, toPath dstPath: String) throws {}
    open func removeItem(at URL: URL) throws {}
    open func removeItem(atPath path: String) throws {}
}

// Source: https://developer.apple.com/documentation/foundation/fileattributekey
public struct FileAttributeKey: Hashable, RawRepresentable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let size = FileAttributeKey(rawValue: "")
    public static let type = FileAttributeKey(rawValue: "")
    public static let modificationDate = FileAttributeKey(rawValue: "")
    public static let posixPermissions = FileAttributeKey(rawValue: "")
    public static let protectionKey = FileAttributeKey(rawValue: "")
    public static let systemFreeSize = FileAttributeKey(rawValue: "")
}

// Source: https://developer.apple.com/documentation/foundation/fileattributetype
public struct FileAttributeType: Hashable, RawRepresentable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let typeDirectory = FileAttributeType(rawValue: "")
    public static let typeRegular = FileAttributeType(rawValue: "")
    public static let typeSymbolicLink = FileAttributeType(rawValue: "")
}

// Source: https://developer.apple.com/documentation/foundation/fileprotectiontype
public struct FileProtectionType: Hashable, RawRepresentable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let none = FileProtectionType(rawValue: "")
    public static let complete = FileProtectionType(rawValue: "")
    public static let completeUnlessOpen = FileProtectionType(rawValue: "")
    public static let completeUntilFirstUserAuthentication = FileProtectionType(rawValue: "")
}

// Source: https://developer.apple.com/documentation/foundation/filehandle
open class FileHandle: NSObject, @unchecked Sendable {
    open class var standardOutput: FileHandle { fatalError() }
    open class var standardError: FileHandle { fatalError() }
    open class var standardInput: FileHandle { fatalError() }
    public convenience init?(forReadingAtPath path: String) { nil }
    public convenience init?(forWritingAtPath path: String) { nil }
    public convenience init(forReadingFrom url: URL) throws { self.init() }
    public convenience init(forWritingTo url: URL) throws { self.init() }
    open func read(upToCount count: Int) throws -> Data? { nil }
    open func write<T: DataProtocol>(contentsOf data: T) throws {}
    open func close() throws {}
    open var availableData: Data { Data() }
}

// Source: https://developer.apple.com/documentation/foundation/dataprotocol
public protocol DataProtocol: RandomAccessCollection where Element == UInt8 {}
extension Data: DataProtocol {}
extension Array: DataProtocol where Element == UInt8 {}
