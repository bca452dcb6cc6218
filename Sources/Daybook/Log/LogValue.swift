import DaybookBase
import Foundation

/// A type whose values can be recorded: numbers, texts, and a team's own types.
///
/// A log call takes such values by name: `log.post("recipe.show", ["id": id, "url": url])`. The columns
/// of a generated event are such values. An enum with a raw value needs no code: `enum Screen: String, LogValue`.
public protocol LogValue: Sendable {
    /// The value to record.
    var logValue: Value { get }
}

extension LogValue where Self: RawRepresentable, RawValue == String {
    /// The raw value.
    public var logValue: Value { .string(rawValue) }
}

extension LogValue where Self: RawRepresentable, RawValue: BinaryInteger {
    /// The raw value; above `Int64.max` as a string.
    public var logValue: Value { Value(rawValue) }
}

extension Value: LogValue {
    /// Itself.
    public var logValue: Value { self }
}

extension Attributes: LogValue {
    /// An object of them, in their order.
    public var logValue: Value { .object(self) }

    /// Creates attributes from variables. A log call takes the same literal directly.
    ///
    /// A nested dictionary is recorded in the order of its keys, `nil` as `null`. Each value is converted to a `Value`.
    ///
    /// ```swift
    /// let (id, link) = (42, URL(fileURLWithPath: "menu"))
    /// Attributes(["id": id, "link": link])
    /// ```
    public init(_ values: KeyValuePairs<String, (any LogValue)?>) {
        self.init(values.lazy.map { ($0.key, $0.value?.logValue ?? .null) })
    }
}

extension Bool: LogValue {
    /// The boolean.
    public var logValue: Value { .bool(self) }
}

extension Int: LogValue {}
extension Int8: LogValue {}
extension Int16: LogValue {}
extension Int32: LogValue {}
extension Int64: LogValue {}
extension UInt: LogValue {}
extension UInt8: LogValue {}
extension UInt16: LogValue {}
extension UInt32: LogValue {}
extension UInt64: LogValue {}

extension LogValue where Self: BinaryInteger {
    /// The number; above `Int64.max` as a string, because OpenTelemetry has only signed 64-bit integers.
    public var logValue: Value { Value(self) }
}

extension Double: LogValue {
    /// The number; a non-finite one as `NaN`, `Infinity` or `-Infinity`.
    public var logValue: Value { Value(self) }
}

extension Float: LogValue {
    /// The number; a non-finite one as `NaN`, `Infinity` or `-Infinity`.
    public var logValue: Value { Value(Double(self)) }
}

extension CGFloat: LogValue {
    /// The number; a non-finite one as `NaN`, `Infinity` or `-Infinity`.
    public var logValue: Value { Value(Double(self)) }
}

extension Decimal: LogValue {
    /// All its digits, as a string.
    public var logValue: Value { .string(description) }
}

extension String: LogValue {
    /// The text.
    public var logValue: Value { .string(self) }
}

extension Substring: LogValue {
    /// The text.
    public var logValue: Value { .string(String(self)) }
}

extension Character: LogValue {
    /// The character as a text.
    public var logValue: Value { .string(String(self)) }
}

extension UUID: LogValue {
    /// The identifier as a text, in upper case, as Foundation writes it.
    public var logValue: Value { .string(uuidString) }
}

extension URL: LogValue {
    /// The absolute address as a text.
    public var logValue: Value { .string(absoluteString) }
}

extension Date: LogValue {
    /// The time in RFC 3339, in UTC with milliseconds.
    public var logValue: Value { .string(Timestamp(self).rfc3339(fractionDigits: 3)) }
}

extension Data: LogValue {
    /// The bytes.
    public var logValue: Value { .bytes(Array(self)) }
}

extension Optional: LogValue where Wrapped: LogValue {
    /// The value, or `null`.
    public var logValue: Value { self?.logValue ?? .null }
}

extension Array: LogValue where Element: LogValue {
    /// The list of the values.
    public var logValue: Value { .array(map(\.logValue)) }
}

extension Dictionary: LogValue where Key == String, Value: LogValue {
    /// An object of the values, in the order of the keys.
    public var logValue: DaybookBase.Value {
        .object(Attributes(ordered { $0.key < $1.key }.lazy.map { ($0.key, $0.value.logValue) }))
    }
}

/// The cases of `Value`, for literals with variables: `["id": id, "name": .string(name)]`.
extension LogValue where Self == Value {
    /// A boolean.
    @_disfavoredOverload
    public static func bool(_ value: Bool) -> Value { Value.bool(value) }

    /// An integer.
    @_disfavoredOverload
    public static func int(_ value: Int64) -> Value { Value.int(value) }

    /// A number.
    @_disfavoredOverload
    public static func double(_ value: Double) -> Value { Value.double(value) }

    /// A text.
    @_disfavoredOverload
    public static func string(_ value: String) -> Value { Value.string(value) }

    /// Bytes.
    @_disfavoredOverload
    public static func bytes(_ value: [UInt8]) -> Value { Value.bytes(value) }

    /// A list, of several types if need be.
    @_disfavoredOverload
    public static func array(_ values: [Value]) -> Value { Value.array(values) }

    /// An object, in the order of its entries.
    @_disfavoredOverload
    public static func object(_ attributes: Attributes) -> Value { Value.object(attributes) }
}
