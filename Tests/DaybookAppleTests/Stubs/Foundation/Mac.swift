// Only on macOS.
// What tools and the server of a Mac use besides. Source: https://developer.apple.com/documentation/foundation

// Source: https://developer.apple.com/documentation/foundation/process
open class Process: NSObject, @unchecked Sendable {
    public override init() {}
    open var executableURL: URL?
    open var arguments: [String]?
    open var environment: [String: String]?
    open var currentDirectoryURL: URL?
    open var standardInput: Any?
    open var standardOutput: Any?
    open var standardError: Any?
    open func run() throws {}
    open func terminate() {}
    open var processIdentifier: Int32 { 0 }
    open var terminationStatus: Int32 { 0 }
    open func waitUntilExit() {}
}

// Source: https://developer.apple.com/documentation/foundation/pipe
open class Pipe: NSObject, @unchecked Sendable {
    public override init() {}
    open var fileHandleForReading: FileHandle { fatalError() }
    open var fileHandleForWriting: FileHandle { fatalError() }
}

extension FileHandle {
    public class var nullDevice: FileHandle { fatalError() }
    public convenience init(fileDescriptor fd: Int32) { self.init() }
    public convenience init(fileDescriptor fd: Int32, closeOnDealloc closeopt: Bool) { self.init() }
    public var fileDescriptor: Int32 { 0 }
    public func readToEnd() throws -> Data? { nil }
    public func readDataToEndOfFile() -> Data { Data() }
    public func write(_ data: Data) {}
}

extension FileManager {
    public func subpathsOfDirectory(atPath path: String) throws -> [String] { [] }
    public func copyItem(at srcURL: URL, to dstURL: URL) throws {}
    public func copyItem(atPath srcPath: String, toPath dstPath: String) throws {}
    public func contentsEqual(atPath path1: String, andPath path2: String) -> Bool { false }
    public func isExecutableFile(atPath path: String) -> Bool { false }
}

extension Bundle {
    public class var allBundles: [Bundle] { [] }
    public var executablePath: String? { nil }
}

extension ProcessInfo {
    public var activeProcessorCount: Int { 1 }
}

// Source: https://developer.apple.com/documentation/foundation/urlresourcekey
public struct URLResourceKey: Hashable, Sendable {
    public static let isRegularFileKey = URLResourceKey()
}
extension URL {
    public func resourceValues(forKeys keys: Set<URLResourceKey>) throws -> URLResourceValues { fatalError() }
}
extension URL {
    public mutating func deleteLastPathComponent() {}
}
extension URLResourceValues {
    public var isRegularFile: Bool? { nil }
}

// Source: https://developer.apple.com/documentation/foundation/nstemporarydirectory()
public func NSTemporaryDirectory() -> String { "" }

// Source: https://developer.apple.com/documentation/foundation/posixerror
public struct POSIXError: Error {
    public init(_ code: POSIXErrorCode) {}
}
public enum POSIXErrorCode: Int32, Sendable {
    case ENOENT = 2
    case EIO = 5
    case EMFILE = 24
    case ENOTSOCK = 38
    case EADDRNOTAVAIL = 49
}

extension Data {
    public init(count: Int) {}
}

extension CharacterSet {
    public init(charactersIn range: ClosedRange<Unicode.Scalar>) {}
    public static var alphanumerics: CharacterSet { CharacterSet() }
    public mutating func insert(charactersIn string: String) {}
}

extension StringProtocol {
    public func addingPercentEncoding(withAllowedCharacters allowedCharacters: CharacterSet) -> String? { nil }
}

extension TimeZone {
    public func secondsFromGMT(for date: Date = Date()) -> Int { 0 }
}

extension CocoaError {
    public static var fileNoSuchFile: CocoaError.Code { .fileNoSuchFile }
    public static var fileReadNoSuchFile: CocoaError.Code { CocoaError.Code(rawValue: 260) }
}
extension CocoaError.Code {
    public static func ~= (match: CocoaError.Code, error: any Error) -> Bool { false }
}

extension FileAttributeKey {
    public static let systemFileNumber = FileAttributeKey(rawValue: "")
}

extension URLError.Code {
    public static let secureConnectionFailed = URLError.Code(rawValue: -1200)
    public static let serverCertificateHasBadDate = URLError.Code(rawValue: -1201)
    public static let serverCertificateUntrusted = URLError.Code(rawValue: -1202)
    public static let serverCertificateHasUnknownRoot = URLError.Code(rawValue: -1203)
    public static let serverCertificateNotYetValid = URLError.Code(rawValue: -1204)
}

extension String {
    public init?<S: Sequence>(bytes: S, encoding: Encoding) where S.Element == UInt8 { nil }
}
