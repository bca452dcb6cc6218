import DaybookBase
import Foundation

extension Attributes {
    /// Creates attributes from values whose types are known only at run time: another library's payload, or the output
    /// of `JSONSerialization`. Sorted by name.
    ///
    /// Takes any ``LogValue``, Foundation's objects (`NSNumber`, `NSString`, `NSNull` …), optionals, raw values, and
    /// arrays and dictionaries of these. Others are not recorded, and the attribute `daybook.rejected.NAME` gives the
    /// reason: the type, or `too_deep` below 32 levels. In a list they become `null`.
    ///
    /// ```swift
    /// let payload: [String: Any] = ["recipe_id": 42, "tags": ["egg", 7], "screen": NSObject()]
    /// let attributes = Attributes(any: payload)
    /// attributes["daybook.rejected.screen"]    // "unknown_type: NSObject"
    /// ```
    public init(any values: [String: Any]) {
        self.init()
        var rejected: [Element] = []
        let reader = UntypedReader { any, path in
            let reason = any.map { "unknown_type: \(type(of: $0))" } ?? "too_deep"
            rejected.append(Element(WireName.rejectedPrefix.description + path, .string(reason)))
            return nil
        }
        elements = reader.elements(of: values, within: "", depth: 0) + rejected
    }
}

extension Value {
    /// Creates a value from any type, as ``Attributes/init(any:)`` does; others by their description.
    ///
    /// ```swift
    /// Value(describing: ["ids": [1, 2]])
    /// ```
    public init(describing any: Any) {
        let reader = UntypedReader { any, _ in .string(any.map { String(describing: $0) } ?? "…") }
        self = reader.value(of: any, at: "", depth: 0) ?? .null
    }
}

/// Converts values of any type.
private struct UntypedReader {
    /// A Foundation array can contain itself.
    private static let maximumDepth = 32

    /// Decides what replaces a value that cannot be converted, by its path; `nil` for one that lies too deep.
    let otherwise: (_ any: Any?, _ path: String) -> Value?

    func elements(of values: [String: Any], within path: String, depth: Int) -> [Attributes.Element] {
        values.ordered { $0.key < $1.key }.compactMap { key, any in
            value(of: any, at: path + key, depth: depth).map { Attributes.Element(key, $0) }
        }
    }

    func value(of any: Any, at path: String, depth: Int) -> Value? {
        guard depth < Self.maximumDepth else { return otherwise(nil, path) }
        switch any {
        case let value as any LogValue: return value.logValue
        case is NSNull: return .null
        // Before the casts to Swift's types: an NSNumber also casts to `Bool`.
        case let number as NSNumber: return Self.value(of: number)
        case let value as any BinaryInteger: return Value(value)
        case let value as any BinaryFloatingPoint: return Value(Double(value))
        case let value as String: return .string(value)
        case let value as Date: return value.logValue
        case let value as Data: return value.logValue
        case let value as URL: return value.logValue
        case let value as UUID: return value.logValue
        case let items as [Any]:
            return .array(
                items.enumerated().map { value(of: $1, at: "\(path)[\($0)]", depth: depth + 1) ?? .null })
        case let values as [AnyHashable: Any]:
            guard let named = Self.named(values) else { return otherwise(any, path) }
            return .object(
                Attributes(elements(of: named, within: path + ".", depth: depth + 1).map { ($0.key, $0.value) }))
        case let value as any RawRepresentable:
            return self.value(of: value.rawValue, at: path, depth: depth + 1)
        default:
            // An optional in an `Any` matches none of the above.
            let mirror = Mirror(reflecting: any)
            guard mirror.displayStyle == .optional else { return otherwise(any, path) }
            guard let wrapped = mirror.children.first?.value else { return .null }
            return value(of: wrapped, at: path, depth: depth + 1)
        }
    }

    /// `nil` if a key is no text.
    private static func named(_ values: [AnyHashable: Any]) -> [String: Any]? {
        var named: [String: Any] = [:]
        for (key, value) in values {
            guard let name = key as? String else { return nil }
            named[name] = value
        }
        return named
    }

    private static func value(of number: NSNumber) -> Value {
        if let decimal = number as? NSDecimalNumber { return decimal.decimalValue.logValue }
        // The two booleans are shared objects with the type code of 8-bit numbers.
        if number === NSNumber(value: true) || number === NSNumber(value: false) { return .bool(number.boolValue) }
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "d"), UInt8(ascii: "f"): return Value(number.doubleValue)
        case UInt8(ascii: "Q"), UInt8(ascii: "L"): return Value(number.uint64Value)
        default: return .int(number.int64Value)
        }
    }
}
