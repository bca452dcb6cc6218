// Source: https://developer.apple.com/documentation/foundation
@_exported import CoreFoundation
@_exported import Darwin
@_exported import Dispatch
@_exported import ObjectiveC

public typealias TimeInterval = Double

// Source: https://developer.apple.com/documentation/foundation/data
public struct Data: RandomAccessCollection, MutableCollection, RangeReplaceableCollection, Hashable, Sendable, Codable {
    public struct ReadingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
    }
    public struct WritingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let atomic = WritingOptions(rawValue: 1)
    }
    public struct Base64EncodingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
    }
    public struct Base64DecodingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
    }
    public typealias Index = Int
    public typealias SubSequence = Data
    public init() {}
    public init<S: Sequence>(_ elements: S) where S.Element == UInt8 {}
    public init(repeating repeatedValue: UInt8, count: Int) {}
    public init(bytes: UnsafeRawPointer, count: Int) {}
    public init(contentsOf url: URL, options: ReadingOptions = []) throws {}
    public init?(base64Encoded base64String: String, options: Base64DecodingOptions = []) {}
    public init(from decoder: any Decoder) throws {}
    public func encode(to encoder: any Encoder) throws {}
    public var startIndex: Int { 0 }
    public var endIndex: Int { 0 }
    public subscript(index: Int) -> UInt8 {
        get { 0 }
        set {}
    }
    public subscript(bounds: Range<Int>) -> Data {
        get { self }
        set {}
    }
    public mutating func replaceSubrange<C: Collection>(_ subrange: Range<Int>, with newElements: C)
    where C.Element == UInt8 {}
    public mutating func append(_ other: Data) {}
    public mutating func append<S: Sequence>(contentsOf elements: S) where S.Element == UInt8 {}
    public func write(to url: URL, options: WritingOptions = []) throws {}
    public func withUnsafeBytes<ResultType>(
        _ body: (UnsafeRawBufferPointer) throws -> ResultType
    ) rethrows -> ResultType { fatalError() }
    public func range(of data: Data, options: SearchOptions = [], in range: Range<Int>? = nil) -> Range<Int>? { nil }
    public struct SearchOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
    }
}

// Source: https://developer.apple.com/documentation/foundation/date
public struct Date: Comparable, Hashable, Sendable, Codable, CustomStringConvertible {
    public init() {}
    public init(timeIntervalSinceNow: TimeInterval) {}
    public init(timeIntervalSince1970: TimeInterval) {}
    public init(timeIntervalSinceReferenceDate: TimeInterval) {}
    public init(timeInterval: TimeInterval, since date: Date) {}
    public static var now: Date { Date() }
    public var timeIntervalSince1970: TimeInterval { 0 }
    public var timeIntervalSinceNow: TimeInterval { 0 }
    public func timeIntervalSince(_ other: Date) -> TimeInterval { 0 }
    public static func + (date: Date, interval: TimeInterval) -> Date { date }
    public static func - (date: Date, interval: TimeInterval) -> Date { date }
    public static func < (a: Date, b: Date) -> Bool { false }
    public var description: String { "" }
}

// Source: https://developer.apple.com/documentation/foundation/decimal
public struct Decimal: Hashable, Sendable, CustomStringConvertible {
    public init?(string: String) {}
    public var description: String { "" }
}

// Source: https://developer.apple.com/documentation/foundation/uuid
public struct UUID: Hashable, Sendable, Codable, CustomStringConvertible {
    public init() {}
    public init?(uuidString string: String) {}
    public var uuidString: String { "" }
    public var description: String { "" }
}

// Source: https://developer.apple.com/documentation/foundation/url
public struct URL: Hashable, Sendable, Codable, CustomStringConvertible {
    public init?(string: String) {}
    public init?(string: String, relativeTo url: URL?) {}
    public init(fileURLWithPath path: String) {}
    public init(fileURLWithPath path: String, isDirectory: Bool) {}
    public init(filePath path: String, directoryHint: DirectoryHint = .inferFromPath, relativeTo base: URL? = nil) {}
    public enum DirectoryHint: Sendable { case isDirectory, notDirectory, checkFileSystem, inferFromPath }
    public var absoluteString: String { "" }
    public var scheme: String? { nil }
    public var host: String? { nil }
    public func host(percentEncoded: Bool = true) -> String? { nil }
    public var port: Int? { nil }
    public var path: String { "" }
    public func path(percentEncoded: Bool = true) -> String { "" }
    public var query: String? { nil }
    public func query(percentEncoded: Bool = true) -> String? { nil }
    public var fragment: String? { nil }
    public var user: String? { nil }
    public var password: String? { nil }
    public var lastPathComponent: String { "" }
    public var pathExtension: String { "" }
    public var standardizedFileURL: URL { self }
    public func appending<S: StringProtocol>(
        path: S, directoryHint: DirectoryHint = .inferFromPath
    ) -> URL { self }
    public func appending<S: StringProtocol>(
        component: S, directoryHint: DirectoryHint = .inferFromPath
    ) -> URL { self }
    public func appendingPathComponent(_ pathComponent: String) -> URL { self }
    public func appendingPathExtension(_ pathExtension: String) -> URL { self }
    public func deletingLastPathComponent() -> URL { self }
    public func resolvingSymlinksInPath() -> URL { self }
    public mutating func setResourceValues(_ values: URLResourceValues) throws {}
    public static var temporaryDirectory: URL { fatalError() }
    public var description: String { "" }
}

// Source: https://developer.apple.com/documentation/foundation/urlresourcevalues
public struct URLResourceValues: Sendable {
    public init() {}
    public var isExcludedFromBackup: Bool?
    public var isDirectory: Bool? { nil }
}

// Source: https://developer.apple.com/documentation/foundation/urlcomponents
public struct URLComponents: Hashable, Sendable {
    public init() {}
    public init?(string: String) {}
    public init?(url: URL, resolvingAgainstBaseURL resolve: Bool) {}
    public var url: URL? { nil }
    public var string: String? { nil }
    public var scheme: String?
    public var host: String?
    public var port: Int?
    public var user: String?
    public var password: String?
    public var path: String = ""
    public var percentEncodedPath: String = ""
    public var percentEncodedQuery: String?
    public var query: String?
    public var fragment: String?
    public var queryItems: [URLQueryItem]?
    public var percentEncodedQueryItems: [URLQueryItem]?
}

// Source: https://developer.apple.com/documentation/foundation/urlqueryitem
public struct URLQueryItem: Hashable, Sendable {
    public init(name: String, value: String?) {
        self.name = name
        self.value = value
    }
    public var name: String
    public var value: String?
}

// Source: https://developer.apple.com/documentation/foundation/timezone
public struct TimeZone: Hashable, Sendable {
    public init?(identifier: String) {}
    public init?(secondsFromGMT seconds: Int) {}
    public static var current: TimeZone { fatalError() }
    public var identifier: String { "" }
}

// Source: https://developer.apple.com/documentation/foundation/locale
public struct Locale: Hashable, Sendable {
    public init(identifier: String) {}
    public static var current: Locale { Locale(identifier: "") }
    public var identifier: String { "" }
}

// Source: https://developer.apple.com/documentation/foundation/operatingsystemversion
public struct OperatingSystemVersion: Sendable {
    public var majorVersion: Int
    public var minorVersion: Int
    public var patchVersion: Int
}
