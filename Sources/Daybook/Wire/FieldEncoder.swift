/// Writes a record's attributes into the journal, in order, in one pass and without allocation.
///
/// Lent to ``LogEvent/encode(into:)`` and ``LogContext/encode(into:)``; it cannot outlive the call. The methods are
/// deliberately not inlinable: a thousand generated events then compile in seconds.
public struct FieldEncoder: ~Copyable {
    var writer: ProtobufWriter
    /// The tag byte of the repeated `KeyValue` field: 6 in a `LogRecord`, 9 in a `Span`.
    private let field: UInt8
    private let key: HashKey

    init(writer: ProtobufWriter, field: UInt8, key: HashKey) {
        self.writer = writer
        self.field = field
        self.key = key
    }

    /// Begins a `KeyValue` whose value takes `valueSize` bytes as an `AnyValue`; `false` if it does not fit.
    @inline(__always)
    private mutating func begin(_ name: StaticString, valueSize: Int) -> Bool {
        guard name.hasPointerRepresentation else { return false }
        let nameCount = name.utf8CodeUnitCount
        let size = 4 &+ nameCount &+ valueSize
        // Nearly always each of the lengths takes one byte.
        guard valueSize < 0x80, nameCount < 0x80, size < 0x80 else { return beginLong(name, valueSize: valueSize) }
        guard writer.reserve(2 &+ size) else { return false }
        writer.word(
            UInt32(field) | UInt32(truncatingIfNeeded: size) << 8 | UInt32(AnyValue.keyTag) << 16
                | UInt32(truncatingIfNeeded: nameCount) << 24)
        writer.bytes(name.utf8Start, nameCount)
        writer.half(UInt16(AnyValue.valueTag) | UInt16(truncatingIfNeeded: valueSize) << 8)
        return true
    }

    @inline(never)
    private mutating func beginLong(_ name: StaticString, valueSize: Int) -> Bool {
        let nameCount = name.utf8CodeUnitCount
        let size = Protobuf.fieldSize(nameCount) + Protobuf.fieldSize(valueSize)
        guard writer.reserve(Protobuf.fieldSize(size)) else { return false }
        writer.byte(field)
        writer.varint(UInt64(size))
        writer.byte(AnyValue.keyTag)
        writer.varint(UInt64(nameCount))
        writer.bytes(name.utf8Start, nameCount)
        writer.byte(AnyValue.valueTag)
        writer.varint(UInt64(valueSize))
        return true
    }

    // What `add` does, for callers that want no call in between.

    @inline(__always)
    mutating func put(_ name: StaticString, _ value: Int64) {
        let bits = UInt64(bitPattern: value)
        guard begin(name, valueSize: bits < 0x80 ? 2 : 1 &+ Protobuf.varintSize(bits)) else { return }
        writer.tagged(AnyValue.intTag, bits)
    }

    @inline(__always)
    mutating func put(_ name: StaticString, _ value: Bool) {
        guard begin(name, valueSize: 2) else { return }
        writer.half(UInt16(AnyValue.boolTag) | (value ? 0x100 : 0))
    }

    @inline(__always)
    mutating func put(_ name: StaticString, _ value: String) {
        let count = value.utf8.count
        guard begin(name, valueSize: Protobuf.fieldSize(count)) else { return }
        writer.tagged(AnyValue.stringTag, UInt64(truncatingIfNeeded: count))
        writer.text(value)
    }

    /// Adds an integer.
    public mutating func add(_ name: StaticString, _ value: Int64) { put(name, value) }

    /// Adds an integer.
    public mutating func add(_ name: StaticString, _ value: Int32) { add(name, Int64(value)) }

    /// Adds an integer.
    public mutating func add(_ name: StaticString, _ value: Int16) { add(name, Int64(value)) }

    /// Adds an integer.
    public mutating func add(_ name: StaticString, _ value: Int) { add(name, Int64(value)) }

    /// Adds a number; NaN and infinities as strings.
    public mutating func add(_ name: StaticString, _ value: Double) {
        guard value.isFinite else { return add(name, Value(value)) }
        guard begin(name, valueSize: 9) else { return }
        writer.byte(AnyValue.doubleTag)
        writer.fixed64(value.bitPattern)
    }

    /// Adds a number; NaN and infinities as strings.
    public mutating func add(_ name: StaticString, _ value: Float) { add(name, Double(value)) }

    /// Adds a truth value.
    public mutating func add(_ name: StaticString, _ value: Bool) { put(name, value) }

    /// Adds text.
    public mutating func add(_ name: StaticString, _ value: String) { put(name, value) }

    /// Adds static text.
    mutating func add(_ name: StaticString, _ value: StaticString) {
        let count = value.utf8CodeUnitCount
        guard value.hasPointerRepresentation, begin(name, valueSize: Protobuf.fieldSize(count)) else { return }
        writer.tagged(AnyValue.stringTag, UInt64(truncatingIfNeeded: count))
        writer.bytes(value.utf8Start, count)
    }

    /// Adds text of at most `limit` UTF-8 bytes; longer text is cut before the character that does not fit.
    public mutating func add(_ name: StaticString, _ value: String, limit: Int) {
        add(name, value.utf8.count <= limit ? value : value.cut(toUTF8Bytes: limit))
    }

    /// Adds any value.
    public mutating func add(_ name: StaticString, _ value: Value) {
        guard begin(name, valueSize: AnyValue.size(value)) else { return }
        AnyValue.writeContents(value, to: &writer)
    }

    /// Adds a team's own type. What it logs meanwhile is dropped: the journal waits for this record.
    public mutating func add(_ name: StaticString, _ value: some LogValue) {
        add(name, CallScope.encoding.run { value.logValue })
    }

    /// Adds what must not be stored in the clear: the text's keyed hash (SipHash-2-4, 128 bits, in hexadecimal), with a
    /// key that never leaves the installation. Equal texts of one installation have equal hashes.
    public mutating func addSensitive(_ name: StaticString, _ value: String) { add(name, key.hash(value)) }

    /// Adds named values, in their order.
    mutating func add(_ attributes: Attributes) {
        attributes.elements.withUnsafeBufferPointer { elements in
            guard let first = UnsafeRawPointer(elements.baseAddress) else { return }
            withUnsafeTemporaryAllocation(of: Attributes.Element.self, capacity: 1) { place in
                // A temporary allocation of more than no bytes has an address.
                guard let place = place.baseAddress else { return }
                for index in elements.indices {
                    // Borrowed without counting references, which costs as much as writing the bytes: the entry's bits
                    // are lent to `place`, and given up there without being destroyed. Sound: the array holds the entry
                    // meanwhile, and nothing in an entry refers to its own place.
                    UnsafeMutableRawPointer(place).copyMemory(
                        from: first + index &* MemoryLayout<Attributes.Element>.stride,
                        byteCount: MemoryLayout<Attributes.Element>.size)
                    let entry = place.move()
                    add(entry)
                    place.initialize(to: entry)
                }
            }
        }
    }

    /// Adds what another encoder has written for the same kind of record.
    @inline(__always)
    mutating func add(encoded: UnsafeRawBufferPointer) {
        guard writer.reserve(encoded.count), let base = encoded.baseAddress else { return }
        writer.bytes(base, encoded.count)
    }

    @inline(__always)
    private mutating func add(_ entry: borrowing Attributes.Element) {
        switch entry.value {
        case .bool(let value):
            guard begin(entry.key, valueSize: 2) else { return }
            writer.half(UInt16(AnyValue.boolTag) | (value ? 0x100 : 0))
        case .int(let value):
            let bits = UInt64(bitPattern: value)
            guard begin(entry.key, valueSize: bits < 0x80 ? 2 : 1 &+ Protobuf.varintSize(bits)) else { return }
            writer.tagged(AnyValue.intTag, bits)
        case .string(let value):
            let count = value.utf8.count
            guard begin(entry.key, valueSize: Protobuf.fieldSize(count)) else { return }
            writer.tagged(AnyValue.stringTag, UInt64(truncatingIfNeeded: count))
            writer.text(value)
        case .null, .double, .bytes, .array, .object:
            AnyValue.write(entry.key, entry.value, field: field, to: &writer)
        }
    }

    /// The same as for a static name.
    @inline(__always)
    private mutating func begin(_ name: String, valueSize: Int) -> Bool {
        let nameCount = name.utf8.count
        let size = 4 &+ nameCount &+ valueSize
        guard valueSize < 0x80, nameCount < 0x80, size < 0x80 else { return beginLong(name, valueSize: valueSize) }
        guard writer.reserve(2 &+ size) else { return false }
        writer.word(
            UInt32(field) | UInt32(truncatingIfNeeded: size) << 8 | UInt32(AnyValue.keyTag) << 16
                | UInt32(truncatingIfNeeded: nameCount) << 24)
        writer.text(name)
        writer.half(UInt16(AnyValue.valueTag) | UInt16(truncatingIfNeeded: valueSize) << 8)
        return true
    }

    @inline(never)
    private mutating func beginLong(_ name: String, valueSize: Int) -> Bool {
        let nameCount = name.utf8.count
        let size = Protobuf.fieldSize(nameCount) + Protobuf.fieldSize(valueSize)
        guard writer.reserve(Protobuf.fieldSize(size)) else { return false }
        writer.byte(field)
        writer.varint(UInt64(size))
        writer.byte(AnyValue.keyTag)
        writer.varint(UInt64(nameCount))
        writer.text(name)
        writer.byte(AnyValue.valueTag)
        writer.varint(UInt64(valueSize))
        return true
    }
}
