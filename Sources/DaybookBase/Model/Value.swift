/// An attribute's value: anything that OpenTelemetry's `AnyValue` can hold.
///
/// Unsigned integers above `Int64.max` and non-finite doubles are sent as strings; dates as RFC 3339 strings.
public enum Value: Sendable, Hashable {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case string(String)
    case bytes([UInt8])
    case array([Value])
    case object(Attributes)
}

extension Value: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    public init(stringLiteral value: String) { self = .string(value) }
}

extension Value: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int64) { self = .int(value) }
}

extension Value: ExpressibleByFloatLiteral {
    public init(floatLiteral value: Double) { self = .double(value) }
}

extension Value: ExpressibleByBooleanLiteral {
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension Value: ExpressibleByNilLiteral {
    public init(nilLiteral: ()) { self = .null }
}

extension Value: ExpressibleByArrayLiteral {
    public init(arrayLiteral elements: Value...) { self = .array(elements) }
}

extension Value: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, Value)...) {
        self = .object(Attributes(elements))
    }
}

extension Value {
    /// Creates an integer; above `Int64.max` a string, because OpenTelemetry has only signed 64-bit integers.
    ///
    /// ```swift
    /// Value(UInt8(7))              // .int(7)
    /// ```
    public init(_ integer: some BinaryInteger) {
        if let exact = Int64(exactly: integer) {
            self = .int(exact)
        } else {
            self = .string(integer.description)
        }
    }

    /// Creates a finite double; otherwise the string `NaN`, `Infinity` or `-Infinity`, which every JSON reader accepts.
    ///
    /// ```swift
    /// Value(0.5)                   // .double(0.5)
    /// ```
    public init(_ double: Double) {
        if double.isFinite {
            self = .double(double)
        } else {
            self = .string(double.isNaN ? "NaN" : double > 0 ? "Infinity" : "-Infinity")
        }
    }

    /// A text, or `null` where there is none.
    package init(_ text: String?) { self = text.map(Value.string) ?? .null }
}
