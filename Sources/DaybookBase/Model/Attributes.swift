/// The named values of a record, in the order they were given.
///
/// Duplicate keys keep both entries; readers (`subscript`, stores, exports) see the last one. Value semantics; safe to
/// share between threads.
public struct Attributes: Sendable {
    public struct Element: Sendable, Hashable {
        public var key: String
        public var value: Value

        /// Creates a named value.
        ///
        /// ```swift
        /// Attributes.Element("recipe_id", 42)
        /// ```
        @inlinable
        public init(_ key: String, _ value: Value) {
            self.key = key
            self.value = value
        }
    }

    /// A literal keeps the array that the compiler made: converting it to entries would cost a log call as much as
    /// storing the record. Mutation converts it first.
    @usableFromInline
    enum Storage: Sendable {
        case entries([Element])
        case literal([(String, Value)])
    }

    @usableFromInline var storage: Storage

    /// Creates empty attributes.
    ///
    /// ```swift
    /// var attributes = Attributes()
    /// attributes["recipe_id"] = 42
    /// ```
    @inlinable
    public init() { storage = .entries([]) }

    /// Creates attributes from pairs, in their order.
    ///
    /// ```swift
    /// Attributes([("recipe_id", 42), ("cold", true)])
    /// ```
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
            // Taken out while it is changed, so that the array has one owner and is not copied.
            var entries = elements
            storage = .entries([])
            defer { storage = .entries(entries) }
            yield &entries
        }
    }

    @inlinable public var isEmpty: Bool {
        switch storage {
        case .entries(let entries): entries.isEmpty
        case .literal(let pairs): pairs.isEmpty
        }
    }

    /// Calls `body` with each entry in order, without an array and without reference counting.
    @inlinable @inline(__always)
    package func forEach(_ body: (borrowing Element) -> Void) {
        // One call of `lend` for both cases: it is inlined, and long. Sound: both arrays store their elements natively,
        // and live as long as `self`, which outlives the call.
        let bytes =
            switch storage {
            case .entries(let entries): entries.withUnsafeBytes { $0 }
            case .literal(let pairs): pairs.withUnsafeBytes { $0 }
            }
        withExtendedLifetime(self) { Self.lend(bytes, body) }
    }

    /// Lends each entry of an array: reference counting would cost a log call as much as writing the bytes.
    ///
    /// Sound: a struct and a tuple with the same fields in the same order have the same layout. The bits of an entry
    /// are lent to `place` and given up there without being destroyed, while the array owns the entry. Strings and
    /// values hold no pointers into themselves.
    @inlinable @inline(__always)
    static func lend(_ entries: UnsafeRawBufferPointer, _ body: (borrowing Element) -> Void) {
        guard let first = entries.baseAddress else { return }
        withUnsafeTemporaryAllocation(of: Element.self, capacity: 1) { place in
            // A temporary allocation of more than zero bytes has an address.
            guard let place = place.baseAddress else { return }
            for offset in stride(from: 0, to: entries.count, by: MemoryLayout<Element>.stride) {
                UnsafeMutableRawPointer(place).copyMemory(from: first + offset, byteCount: MemoryLayout<Element>.size)
                let entry = place.move()
                body(entry)
                place.initialize(to: entry)
            }
        }
    }

    /// The value of `key` (the last one given), or `nil`. Setting `nil` removes the key.
    public subscript(key: String) -> Value? {
        get {
            var found: Value?
            forEach { if $0.key == key { found = $0.value } }
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
    /// Creates attributes from a literal: `["recipe_id": 42]`.
    @inlinable
    public init(dictionaryLiteral pairs: (String, Value)...) { storage = .literal(pairs) }
}

// Compared as entries, whatever the storage.

extension Attributes: Hashable {
    public static func == (left: Attributes, right: Attributes) -> Bool { left.elements == right.elements }

    public func hash(into hasher: inout Hasher) { hasher.combine(elements) }
}

extension Attributes: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: ["elements": elements], displayStyle: .struct) }
}
