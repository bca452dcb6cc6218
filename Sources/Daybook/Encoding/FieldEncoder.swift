import Foundation

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
    @_optimize(speed)
    public mutating func add(_ name: StaticString, _ value: Int64) { put(name, value) }

    /// Adds an integer.
    public mutating func add(_ name: StaticString, _ value: Int32) { add(name, Int64(value)) }

    /// Adds an integer.
    public mutating func add(_ name: StaticString, _ value: Int16) { add(name, Int64(value)) }

    /// Adds an integer.
    public mutating func add(_ name: StaticString, _ value: Int) { add(name, Int64(value)) }

    /// Adds a number; NaN and infinities as strings.
    @_optimize(speed)
    public mutating func add(_ name: StaticString, _ value: Double) {
        guard value.isFinite else { return add(name, Value(value)) }
        guard begin(name, valueSize: 9) else { return }
        writer.byte(AnyValue.doubleTag)
        writer.fixed64(value.bitPattern)
    }

    /// Adds a number; NaN and infinities as strings.
    public mutating func add(_ name: StaticString, _ value: Float) { add(name, Double(value)) }

    /// Adds a boolean.
    @_optimize(speed)
    public mutating func add(_ name: StaticString, _ value: Bool) { put(name, value) }

    /// Adds text.
    @_optimize(speed)
    public mutating func add(_ name: StaticString, _ value: String) { put(name, value) }

    /// Adds static text.
    @_optimize(speed)
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

    /// Adds a team's own type. What it logs meanwhile is dropped, because the journal is waiting for this record.
    @_disfavoredOverload
    public mutating func add(_ name: StaticString, _ value: some LogValue) {
        add(name, CallScope.encoding.run { value.logValue })
    }

    /// Adds what must not be stored in the clear: the text's keyed hash (SipHash-2-4, 128 bits, in hexadecimal), with a
    /// key that never leaves the installation. Equal texts of one installation have equal hashes.
    public mutating func addSensitive(_ name: StaticString, _ value: String) { add(name, key.hash(value)) }

    /// Adds named values, in their order.
    @inline(never) @_optimize(speed)
    mutating func add(_ attributes: Attributes) { attributes.forEach { put($0) } }

    /// Adds what another encoder has written for the same kind of record.
    @inline(__always)
    mutating func add(encoded: UnsafeRawBufferPointer) {
        guard writer.reserve(encoded.count), let base = encoded.baseAddress else { return }
        writer.bytes(base, encoded.count)
    }

    @inline(__always)
    private mutating func put(_ entry: borrowing Attributes.Element) {
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

extension FieldEncoder {
    /// Runs an encoder over memory that grows until everything fits.
    static func encoded(tag: UInt8, key: HashKey, _ encode: (inout FieldEncoder) -> Void) -> [UInt8] {
        var capacity = 1024
        while true {
            var isTooLong = false
            let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
                guard let base = UnsafeMutableRawPointer(buffer.baseAddress) else { return }
                let writer = ProtobufWriter(UnsafeMutableRawBufferPointer(buffer), startingAt: base)
                var fields = FieldEncoder(writer: writer, field: tag, key: key)
                encode(&fields)
                isTooLong = fields.writer.overflowed
                count = isTooLong ? 0 : fields.writer.count
            }
            if !isTooLong { return bytes }
            capacity *= 4
        }
    }
}

extension FieldEncoder {
    /// Adds an integer; nothing for `nil`.
    public mutating func add(_ name: StaticString, _ value: Int64?) { if let value { add(name, value) } }

    /// Adds an integer; nothing for `nil`.
    public mutating func add(_ name: StaticString, _ value: Int32?) { if let value { add(name, value) } }

    /// Adds an integer; nothing for `nil`.
    public mutating func add(_ name: StaticString, _ value: Int16?) { if let value { add(name, value) } }

    /// Adds an integer; nothing for `nil`.
    public mutating func add(_ name: StaticString, _ value: Int?) { if let value { add(name, value) } }

    /// Adds a number; nothing for `nil`.
    public mutating func add(_ name: StaticString, _ value: Double?) { if let value { add(name, value) } }

    /// Adds a number; nothing for `nil`.
    public mutating func add(_ name: StaticString, _ value: Float?) { if let value { add(name, value) } }

    /// Adds a boolean; nothing for `nil`.
    public mutating func add(_ name: StaticString, _ value: Bool?) { if let value { add(name, value) } }

    /// Adds text; nothing for `nil`.
    public mutating func add(_ name: StaticString, _ value: String?) { if let value { add(name, value) } }

    /// Adds text of at most `limit` UTF-8 bytes; nothing for `nil`.
    public mutating func add(_ name: StaticString, _ value: String?, limit: Int) {
        if let value { add(name, value, limit: limit) }
    }

    /// Adds a team's own type; nothing for `nil`.
    @_disfavoredOverload
    public mutating func add(_ name: StaticString, _ value: (some LogValue)?) { if let value { add(name, value) } }

    /// Adds the keyed hash of a text; nothing for `nil`.
    public mutating func addSensitive(_ name: StaticString, _ value: String?) {
        if let value { addSensitive(name, value) }
    }

    /// Adds a moment as an RFC 3339 string in UTC with milliseconds.
    public mutating func add(_ name: StaticString, _ value: Date) {
        add(name, Timestamp(value).rfc3339(fractionDigits: 3))
    }

    /// Adds a moment; nothing for `nil`.
    public mutating func add(_ name: StaticString, _ value: Date?) { if let value { add(name, value) } }

    /// Adds a day (`2026-11-20`), in UTC.
    public mutating func addDate(_ name: StaticString, _ value: Date) { add(name, Timestamp(value).day) }

    /// Adds a day; nothing for `nil`.
    public mutating func addDate(_ name: StaticString, _ value: Date?) { if let value { addDate(name, value) } }
}

extension FieldEncoder {
    /// Adds an integer to a column of 32 bits; one that does not fit becomes the nearest that does.
    public mutating func add(_ name: StaticString, clamping value: Int) { add(name, Int32(clamping: value)) }

    /// Adds an integer to a column of 32 bits; one that does not fit becomes the nearest that does. Nothing for `nil`.
    public mutating func add(_ name: StaticString, clamping value: Int?) {
        if let value { add(name, clamping: value) }
    }

    /// Adds an integer to a column of 32 bits; one that does not fit is left out, and the attribute
    /// `daybook.rejected.NAME` says `out_of_range`. Nothing for `nil`.
    public mutating func add(_ name: StaticString, rejecting value: Int?) {
        guard let value else { return }
        if let fitting = Int32(exactly: value) { add(name, fitting) } else { reject(name, because: "out_of_range") }
    }

    /// Adds text of at most `limit` UTF-8 bytes; longer text is left out, and the attribute `daybook.rejected.NAME`
    /// says `too_long`. Nothing for `nil`.
    public mutating func add(_ name: StaticString, _ value: String?, rejectingOver limit: Int) {
        guard let value else { return }
        if value.utf8.count <= limit { add(name, value) } else { reject(name, because: "too_long") }
    }

    /// The mark travels with the record, so that what was rejected can be counted wherever the record is.
    @inline(never)
    private mutating func reject(_ name: StaticString, because reason: String) {
        add(["\(WireName.rejectedPrefix)\(name)": .string(reason)])
    }
}

extension Timestamp {
    /// The moment of a `Date`, clamped to what 64 bits of nanoseconds hold (the years 1677 to 2262).
    package init(_ date: Date) { self.init(secondsSince1970: date.timeIntervalSince1970) }
}
