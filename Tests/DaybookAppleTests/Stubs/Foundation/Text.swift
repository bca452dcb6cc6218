// Source: https://developer.apple.com/documentation/foundation

// Source: https://developer.apple.com/documentation/foundation/characterset
public struct CharacterSet: SetAlgebra, Hashable, Sendable {
    public typealias Element = Unicode.Scalar
    public init() {}
    public init(charactersIn string: String) {}
    public static var whitespaces: CharacterSet { CharacterSet() }
    public static var whitespacesAndNewlines: CharacterSet { CharacterSet() }
    public static var newlines: CharacterSet { CharacterSet() }
    public func contains(_ member: Unicode.Scalar) -> Bool { false }
    public func union(_ other: CharacterSet) -> CharacterSet { self }
    public func intersection(_ other: CharacterSet) -> CharacterSet { self }
    public func symmetricDifference(_ other: CharacterSet) -> CharacterSet { self }
    public mutating func formUnion(_ other: CharacterSet) {}
    public mutating func formIntersection(_ other: CharacterSet) {}
    public mutating func formSymmetricDifference(_ other: CharacterSet) {}
    @discardableResult
    public mutating func insert(_ character: Unicode.Scalar) -> (inserted: Bool, memberAfterInsert: Unicode.Scalar) {
        (true, character)
    }
    @discardableResult public mutating func remove(_ character: Unicode.Scalar) -> Unicode.Scalar? { nil }
    @discardableResult public mutating func update(with character: Unicode.Scalar) -> Unicode.Scalar? { nil }
}

// Source: https://developer.apple.com/documentation/swift/string
extension String {
    public struct Encoding: Hashable, RawRepresentable, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let utf8 = Encoding(rawValue: 4)
        public static let ascii = Encoding(rawValue: 1)
    }
    public init?(data: Data, encoding: Encoding) { nil }
    public init(contentsOfFile path: String, encoding enc: Encoding) throws { self = "" }
    public init(contentsOf url: URL, encoding enc: Encoding) throws { self = "" }
    public init(format: String, _ arguments: any CVarArg...) { self = "" }
}

// Source: https://developer.apple.com/documentation/swift/stringprotocol
extension StringProtocol {
    public func replacingOccurrences<Target: StringProtocol, Replacement: StringProtocol>(
        of target: Target, with replacement: Replacement, options: NSString.CompareOptions = [],
        range searchRange: Range<Index>? = nil
    ) -> String { "" }
    public func trimmingCharacters(in set: CharacterSet) -> String { "" }
    public func components<T: StringProtocol>(separatedBy separator: T) -> [String] { [] }
    public func components(separatedBy separator: CharacterSet) -> [String] { [] }
    public func range<T: StringProtocol>(
        of aString: T, options mask: NSString.CompareOptions = [], range searchRange: Range<Index>? = nil,
        locale: Locale? = nil
    ) -> Range<Index>? { nil }
    public func localizedCaseInsensitiveContains<T: StringProtocol>(_ other: T) -> Bool { false }
    public var removingPercentEncoding: String? { nil }
    public func data(using encoding: String.Encoding, allowLossyConversion: Bool = false) -> Data? { nil }
    public func write<T: StringProtocol>(
        toFile path: T, atomically useAuxiliaryFile: Bool, encoding enc: String.Encoding
    ) throws {}
    public func write(to url: URL, atomically useAuxiliaryFile: Bool, encoding enc: String.Encoding) throws {}
    public var capitalized: String { "" }
    public var precomposedStringWithCompatibilityMapping: String { "" }
    public var precomposedStringWithCanonicalMapping: String { "" }
}

// Source: https://developer.apple.com/documentation/foundation/nsstring
open class NSString: NSObject {
    public struct CompareOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let literal = CompareOptions(rawValue: 2)
        public static let regularExpression = CompareOptions(rawValue: 1024)
    }
    public convenience init(string aString: String) { self.init() }
    public var lastPathComponent: String { "" }
    public var deletingLastPathComponent: String { "" }
    public var pathExtension: String { "" }
    public func appendingPathComponent(_ str: String) -> String { "" }
}

// Source: https://developer.apple.com/documentation/foundation/dateformatter
open class DateFormatter: NSObject, @unchecked Sendable {
    open func string(from date: Date) -> String { "" }
    open func date(from string: String) -> Date? { nil }
    // As the framework declares them.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    open var dateFormat: String! = ""
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    open var locale: Locale! = Locale(identifier: "")
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    open var timeZone: TimeZone! = .current
}

// Source: https://developer.apple.com/documentation/foundation/jsonserialization
open class JSONSerialization: NSObject {
    public struct ReadingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
    }
    public struct WritingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let sortedKeys = WritingOptions(rawValue: 2)
    }
    open class func jsonObject(with data: Data, options opt: ReadingOptions = []) throws -> Any { fatalError() }
    open class func data(withJSONObject obj: Any, options opt: WritingOptions = []) throws -> Data { Data() }
}

// Source: https://developer.apple.com/documentation/foundation/nsnumber
open class NSNumber: NSObject, @unchecked Sendable {
    public convenience init(value: Bool) { self.init() }
    open var boolValue: Bool { false }
    open var doubleValue: Double { 0 }
    open var intValue: Int { 0 }
    open var int64Value: Int64 { 0 }
    open var uint64Value: UInt64 { 0 }
    open var decimalValue: Decimal { fatalError() }
    open var objCType: UnsafePointer<CChar> { fatalError() }
}

// Source: https://developer.apple.com/documentation/foundation/nsdecimalnumber
open class NSDecimalNumber: NSNumber, @unchecked Sendable {}

// Source: https://developer.apple.com/documentation/foundation/jsonencoder
open class JSONEncoder: @unchecked Sendable {
    public struct OutputFormatting: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let sortedKeys = OutputFormatting(rawValue: 1 << 1)
        public static let withoutEscapingSlashes = OutputFormatting(rawValue: 1 << 3)
    }
    public init() {}
    open var outputFormatting: OutputFormatting = []
    open func encode<T: Encodable>(_ value: T) throws -> Data { fatalError() }
}

// Source: https://developer.apple.com/documentation/foundation/jsondecoder
open class JSONDecoder: @unchecked Sendable {
    public init() {}
    open func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T { fatalError() }
}
