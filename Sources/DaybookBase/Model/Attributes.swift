/// The named values of a record, in the order they were given.
///
/// A key given twice keeps both entries while building; readers (`subscript`, stores, exports) see the last one.
/// Value semantics; safe to share between threads.
public struct Attributes: Sendable {
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

    /// A literal stays the array that the compiler made for it: making entries of its pairs would cost a log call as much
    /// as storing the whole record. Whoever changes it makes entries of it first.
    @usableFromInline
    enum Storage: Sendable {
        case entries([Element])
        case literal([(String, Value)])
    }

    @usableFromInline var storage: Storage

    /// No attributes.
    @inlinable
    public init() { storage = .entries([]) }

    /// Attributes from pairs, in their order.
    public init(_ pairs: some Sequence<(String, Value)>) {
        storage = .entries(pairs.map { Element($0.0, $0.1) })
    }

    /// The entries in the order they were given.
    public var elements: [Element] {
        get {
            switch storage {
            case .entries(let entries): entries
            case .literal(let pairs): pairs.map { Element($0.0, $0.1) }
            }
        }
        _modify {
            // Taken out and put back, so that the array has one owner meanwhile and is changed in place.
            var entries = elements
            storage = .entries([])
            defer { storage = .entries(entries) }
            yield &entries
        }
    }

    /// Whether there is no entry.
    @inlinable public var isEmpty: Bool {
        switch storage {
        case .entries(let entries): entries.isEmpty
        case .literal(let pairs): pairs.isEmpty
        }
    }

    /// Calls `body` with each entry, in order, without making an array of them.
    @inlinable @inline(__always)
    package func forEach(_ body: (_ key: String, _ value: Value) -> Void) {
        switch storage {
        case .entries(let entries):
            entries.withUnsafeBufferPointer { entries in
                for index in entries.indices { body(entries[index].key, entries[index].value) }
            }
        case .literal(let pairs):
            pairs.withUnsafeBufferPointer { pairs in
                for index in pairs.indices { body(pairs[index].0, pairs[index].1) }
            }
        }
    }

    /// The value of `key` (the last one given), or `nil`. Setting `nil` removes the key.
    public subscript(key: String) -> Value? {
        get {
            var found: Value?
            forEach { if $0 == key { found = $1 } }
            return found
        }
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
    public init(dictionaryLiteral pairs: (String, Value)...) { storage = .literal(pairs) }
}

// However they are stored, attributes are their entries.

extension Attributes: Hashable {
    public static func == (left: Attributes, right: Attributes) -> Bool { left.elements == right.elements }

    public func hash(into hasher: inout Hasher) { hasher.combine(elements) }
}

extension Attributes: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: ["elements": elements], displayStyle: .struct) }
}
