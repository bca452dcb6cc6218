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

    // The synthesised ones are inlined into each comparison and hash of a list of values: 15 KB of code.
    @inline(never)
    public static func == (left: Value, right: Value) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.int(let left), .int(let right)): left == right
        case (.double(let left), .double(let right)): left == right
        case (.string(let left), .string(let right)): left == right
        case (.bytes(let left), .bytes(let right)): left == right
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        case (.null, _), (.bool, _), (.int, _), (.double, _), (.string, _), (.bytes, _), (.array, _), (.object, _):
            false
        }
    }

    @inline(never)
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .int(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value)
        case .string(let value): hasher.combine(value)
        case .bytes(let value): hasher.combine(value)
        case .array(let value): hasher.combine(value)
        case .object(let value): hasher.combine(value)
        }
    }
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
    /// An integer; above `Int64.max` a string, since OpenTelemetry has only signed 64-bit integers.
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

    /// A finite double; else the string `NaN`, `Infinity` or `-Infinity`, which every JSON reader accepts.
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

    package init(_ text: String?) { self = text.map(Value.string) ?? .null }
}
