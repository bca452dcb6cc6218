/// The named values of a record, in the order they were given.
///
/// A key given twice keeps both entries while building; readers (`subscript`, stores, exports) see the last one.
/// Value semantics; safe to share between threads.
public struct Attributes: Sendable, Hashable {
    /// One named value.
    public struct Element: Sendable, Hashable {
        /// The attribute's name.
        public var key: String
        /// The attribute's value.
        public var value: Value

        /// Names a value.
        @inlinable
        public init(_ key: String, _ value: Value) {
            self.key = key
            self.value = value
        }
    }

    /// The entries in the order they were given.
    public var elements: [Element]

    /// No attributes.
    @inlinable
    public init() { elements = [] }

    /// Attributes from pairs, in their order.
    public init(_ pairs: some Sequence<(String, Value)>) {
        elements = pairs.map { Element($0.0, $0.1) }
    }

    /// Whether there is no entry.
    @inlinable public var isEmpty: Bool { elements.isEmpty }

    /// The value of `key` (the last one given), or `nil`. Setting `nil` removes the key.
    public subscript(key: String) -> Value? {
        get { elements.last { $0.key == key }?.value }
        set {
            guard let newValue else {
                elements.removeAll { $0.key == key }
                return
            }
            if let index = elements.lastIndex(where: { $0.key == key }) {
                elements[index].value = newValue
            } else {
                elements.append(Element(key, newValue))
            }
        }
    }
}

extension Attributes: ExpressibleByDictionaryLiteral {
    /// Attributes from a literal: `["recipe_id": 42]`.
    @inlinable
    public init(dictionaryLiteral pairs: (String, Value)...) {
        // Sound: a struct and a tuple with the same fields in the same order have the same layout, so the array that the
        // compiler made for the literal can serve as it is. Copying it costs as much as storing the whole record.
        elements = unsafeBitCast(pairs, to: [Element].self)
    }
}
