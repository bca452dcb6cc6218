import Daybook

/// A value as it is in a request's bytes.
package enum WireValue: BitwiseCopyable {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case string(WireText)
    case bytes(UnsafeRawBufferPointer)
    /// An array or object, decoded: its place in ``WireAttributes/nested``.
    case nested(Int)
}

/// A named value as it is in a request's bytes.
package struct WireAttribute: BitwiseCopyable {
    package var key = WireText()
    package var value = WireValue.null

    init() {}
}

/// The attributes of one record, and the other values that it has. Its memory serves one record after another.
package struct WireAttributes {
    package private(set) var elements: [WireAttribute] = []
    /// Arrays and objects, which are rare, as they are elsewhere.
    package private(set) var nested: [Value] = []

    init() {}

    /// The value, copied.
    package func value(_ value: WireValue) -> Value {
        switch value {
        case .null: .null
        case .bool(let bool): .bool(bool)
        case .int(let int): .int(int)
        case .double(let double): .double(double)
        case .string(let text): .string(text.string)
        case .bytes(let bytes): .bytes(Array(bytes))
        case .nested(let place): nested[place]
        }
    }

    /// All attributes, copied.
    package var copy: Attributes {
        var attributes = Attributes()
        attributes.elements = elements.map { Attributes.Element($0.key.string, value($0.value)) }
        return attributes
    }

    mutating func clear() {
        elements.removeAll(keepingCapacity: true)
        if !nested.isEmpty { nested.removeAll() }
    }

    mutating func append(_ element: WireAttribute) { elements.append(element) }

    mutating func nest(_ value: Value) -> WireValue {
        nested.append(value)
        return .nested(nested.count - 1)
    }
}
