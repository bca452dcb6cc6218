import Foundation

/// Writes a record's attributes into the journal, in one pass and without allocation.
///
/// Cannot outlive the calls of ``LogEvent/encode(into:)`` and ``LogContext/encode(into:)``. Not inlinable, so that a
/// thousand generated events compile in seconds.
public struct FieldEncoder: ~Copyable {
    var writer: ProtobufWriter
    /// The four bytes before a name, with lengths for an empty name and value. The first is the tag of the repeated
    /// `KeyValue` field: 6 in a `LogRecord`, 9 in a `Span`.
    private let head: UInt32
    private let key: HashKey

    init(writer: ProtobufWriter, tag: UInt8 = LogRecordEncoder.attributeTag, key: HashKey) {
        self.writer = writer
        self.key = key
        head = UInt32(tag) | 4 << 8 | UInt32(AnyValue.keyTag) << 16
    }

    /// Encodes into `buffer`. Returns the number of bytes, or -1 if they did not fit.
    @inline(__always)
    static func encode(
        isSpan: Bool, key: HashKey, into buffer: UnsafeMutableRawBufferPointer, _ write: (inout FieldEncoder) -> Void
    ) -> Int {
        guard let base = buffer.baseAddress else { return -1 }
        let tag = isSpan ? SpanEncoder.attributeTag : LogRecordEncoder.attributeTag
        var fields = FieldEncoder(writer: ProtobufWriter(buffer, startingAt: base), tag: tag, key: key)
        write(&fields)
        return fields.writer.overflowed ? -1 : fields.writer.count
    }

    // Nearly all fields have a short name and value, hence one-byte lengths. These write the value first, then the
    // lengths. Longer fields use `AnyValue.write`.

    private var field: UInt8 { UInt8(truncatingIfNeeded: head) }

    private static let longestName = 32
    private static let longestText = 88
    /// More than the longest short field.
    private static let room = 128

    /// Writes a short name and returns where its value goes; `nil` if the name is too long or memory runs out.
    @inline(__always)
    private func place(behind name: UnsafeRawPointer, _ count: Int) -> UnsafeMutableRawPointer? {
        guard UInt(bitPattern: count) <= UInt(bitPattern: Self.longestName), writer.hasRoom(Self.room) else {
            return nil
        }
        let start = writer.position + 4
        start.copyFew(name, count)
        return start + count
    }

    /// Tags and lengths around a value of two bytes, first byte lowest.
    @inline(__always)
    private static func heads(_ tag: UInt8) -> UInt32 {
        UInt32(AnyValue.valueTag) | 2 << 8 | UInt32(tag) << 16
    }

    /// Completes a field whose value is written.
    @inline(__always)
    private mutating func close(_ place: UnsafeMutableRawPointer, _ nameCount: Int, _ valueCount: Int) {
        writer.word(
            head &+ 0x0100_0100 &* UInt32(truncatingIfNeeded: nameCount) &+ UInt32(truncatingIfNeeded: valueCount) << 8)
        writer.position = place + 2 + valueCount
    }

    @inline(__always)
    private mutating func put(_ value: Bool, _ place: UnsafeMutableRawPointer, _ nameCount: Int) {
        place.storeBytes(of: Self.heads(AnyValue.boolTag) &+ (value ? 1 << 24 : 0), as: UInt32.self)
        close(place, nameCount, 2)
    }

    @inline(__always)
    private mutating func put(_ value: Int64, _ place: UnsafeMutableRawPointer, _ nameCount: Int) {
        var rest = UInt64(bitPattern: value)
        var count = 2
        place.storeBytes(of: AnyValue.intTag, toByteOffset: 2, as: UInt8.self)
        while rest >= 0x80 {
            place.storeBytes(of: UInt8(truncatingIfNeeded: rest) | 0x80, toByteOffset: count &+ 1, as: UInt8.self)
            rest >>= 7
            count &+= 1
        }
        place.storeBytes(of: UInt8(truncatingIfNeeded: rest), toByteOffset: count &+ 1, as: UInt8.self)
        place.storeBytes(
            of: UInt16(AnyValue.valueTag) | UInt16(truncatingIfNeeded: count) << 8, as: UInt16.self)
        close(place, nameCount, count)
    }

    @inline(__always)
    private mutating func put(_ value: Double, _ place: UnsafeMutableRawPointer, _ nameCount: Int) {
        place.storeBytes(of: Self.heads(AnyValue.doubleTag) &+ 7 << 8, as: UInt32.self)
        place.storeBytes(of: value.bitPattern, toByteOffset: 3, as: UInt64.self)
        close(place, nameCount, 9)
    }

    /// Writes text; `false` if it is too long.
    @inline(__always)
    private mutating func put(_ text: UnsafeBufferPointer<UInt8>, _ place: UnsafeMutableRawPointer, _ nameCount: Int)
        -> Bool
    {
        guard text.count <= Self.longestText, let base = text.baseAddress else { return false }
        place.storeBytes(
            of: Self.heads(AnyValue.stringTag) &+ 0x0100_0100 &* UInt32(truncatingIfNeeded: text.count), as: UInt32.self
        )
        (place + 4).copyFew(base, text.count)
        close(place, nameCount, text.count &+ 2)
        return true
    }

    @inline(never)
    mutating func addLong(_ name: StaticString, _ value: Value) {
        guard name.hasPointerRepresentation else { return }
        AnyValue.write(name.description, value, field: field, to: &writer)
    }

    @inline(__always)
    private func place(behind name: StaticString) -> UnsafeMutableRawPointer? {
        name.hasPointerRepresentation ? place(behind: name.utf8Start, name.utf8CodeUnitCount) : nil
    }

    // Each writes a short field, or returns `false` and writes nothing.

    @inline(__always)
    mutating func put(_ name: StaticString, _ value: Int64) -> Bool {
        guard let place = place(behind: name) else { return false }
        put(value, place, name.utf8CodeUnitCount)
        return true
    }

    @inline(__always)
    mutating func put(_ name: StaticString, _ value: Bool) -> Bool {
        guard let place = place(behind: name) else { return false }
        put(value, place, name.utf8CodeUnitCount)
        return true
    }

    @inline(__always)
    mutating func put(_ name: StaticString, _ value: Double) -> Bool {
        guard value.isFinite, let place = place(behind: name) else { return false }
        put(value, place, name.utf8CodeUnitCount)
        return true
    }

    @inline(__always)
    mutating func put(_ name: StaticString, _ value: String) -> Bool {
        guard let place = place(behind: name) else { return false }
        return value.utf8.withContiguousStorageIfAvailable { put($0, place, name.utf8CodeUnitCount) } ?? false
    }

    @_optimize(speed)
    public mutating func add(_ name: StaticString, _ value: Int64) {
        if !put(name, value) { addLong(name, .int(value)) }
    }

    public mutating func add(_ name: StaticString, _ value: Int32) { add(name, Int64(value)) }

    public mutating func add(_ name: StaticString, _ value: Int16) { add(name, Int64(value)) }

    public mutating func add(_ name: StaticString, _ value: Int) { add(name, Int64(value)) }

    /// Adds a number; NaN and infinities as strings.
    @_optimize(speed)
    public mutating func add(_ name: StaticString, _ value: Double) {
        if !put(name, value) { addLong(name, Value(value)) }
    }

    /// Adds a number; NaN and infinities as strings.
    public mutating func add(_ name: StaticString, _ value: Float) { add(name, Double(value)) }

    @_optimize(speed)
    public mutating func add(_ name: StaticString, _ value: Bool) {
        if !put(name, value) { addLong(name, .bool(value)) }
    }

    @_optimize(speed)
    public mutating func add(_ name: StaticString, _ value: String) {
        if !put(name, value) { addLong(name, .string(value)) }
    }

    @_optimize(speed)
    mutating func add(_ name: StaticString, _ value: StaticString) {
        guard value.hasPointerRepresentation else { return }
        let text = UnsafeBufferPointer(start: value.utf8Start, count: value.utf8CodeUnitCount)
        guard let place = place(behind: name), put(text, place, name.utf8CodeUnitCount) else {
            return addLong(name, .string(value.description))
        }
    }

    /// Adds text of at most `limit` UTF-8 bytes; longer text is cut before the character that does not fit.
    public mutating func add(_ name: StaticString, _ value: String, limit: Int) {
        add(name, value.utf8.count <= limit ? value : value.cut(toUTF8Bytes: limit))
    }

    public mutating func add(_ name: StaticString, _ value: Value) { addLong(name, value) }

    /// Adds your own type. Log calls made meanwhile are dropped, because the journal is locked.
    @_disfavoredOverload
    public mutating func add(_ name: StaticString, _ value: some LogValue) {
        add(name, CallScope.encoding.run { value.logValue })
    }

    /// Adds the keyed hash of text that must not be stored in the clear (SipHash-2-4, 128 bits, hexadecimal). The key
    /// never leaves the installation, within which equal texts have equal hashes.
    public mutating func addSensitive(_ name: StaticString, _ value: String) { add(name, key.hash(value)) }

    @inline(never) @_optimize(speed)
    mutating func add(_ attributes: Attributes) {
        attributes.forEach { entry in
            if !put(entry) { AnyValue.write(entry.key, entry.value, field: field, to: &writer) }
        }
    }

    /// Adds a short attribute; `false` if it is too long.
    @inline(__always)
    private mutating func put(_ entry: borrowing Attributes.Element) -> Bool {
        let isDone: Bool? = entry.key.utf8.withContiguousStorageIfAvailable { name in
            guard let start = name.baseAddress, let place = place(behind: start, name.count) else { return false }
            switch entry.value {
            case .string(let text):
                return text.utf8.withContiguousStorageIfAvailable { put($0, place, name.count) } ?? false
            case .bool(let value): put(value, place, name.count)
            case .int(let value): put(value, place, name.count)
            case .double(let value): put(value, place, name.count)
            default: return false
            }
            return true
        }
        return isDone ?? false
    }

    /// Adds the output of another encoder for the same kind of record.
    mutating func add(encoded: UnsafeRawBufferPointer) {
        guard writer.reserve(encoded.count), let base = encoded.baseAddress else { return }
        writer.bytes(base, encoded.count)
    }
}

extension FieldEncoder {
    /// Encodes into memory that grows until everything fits.
    static func encoded(
        tag: UInt8 = LogRecordEncoder.attributeTag, key: HashKey = HashKey(0, 0), _ write: (inout FieldEncoder) -> Void
    ) -> [UInt8] {
        var capacity = 1024
        while true {
            var isTooLong = false
            let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
                guard let base = UnsafeMutableRawPointer(buffer.baseAddress) else { return }
                let writer = ProtobufWriter(UnsafeMutableRawBufferPointer(buffer), startingAt: base)
                var fields = FieldEncoder(writer: writer, tag: tag, key: key)
                write(&fields)
                isTooLong = fields.writer.overflowed
                count = isTooLong ? 0 : fields.writer.count
            }
            if !isTooLong { return bytes }
            capacity *= 4
        }
    }
}

extension FieldEncoder {
    /// Adds an integer. For all optional values, `nil` adds nothing.
    public mutating func add(_ name: StaticString, _ value: Int64?) { if let value { add(name, value) } }

    public mutating func add(_ name: StaticString, _ value: Int32?) { if let value { add(name, value) } }

    public mutating func add(_ name: StaticString, _ value: Int16?) { if let value { add(name, value) } }

    public mutating func add(_ name: StaticString, _ value: Int?) { if let value { add(name, value) } }

    public mutating func add(_ name: StaticString, _ value: Double?) { if let value { add(name, value) } }

    public mutating func add(_ name: StaticString, _ value: Float?) { if let value { add(name, value) } }

    public mutating func add(_ name: StaticString, _ value: Bool?) { if let value { add(name, value) } }

    public mutating func add(_ name: StaticString, _ value: String?) { if let value { add(name, value) } }

    /// Adds text of at most `limit` UTF-8 bytes; nothing for `nil`.
    public mutating func add(_ name: StaticString, _ value: String?, limit: Int) {
        if let value { add(name, value, limit: limit) }
    }

    @_disfavoredOverload
    public mutating func add(_ name: StaticString, _ value: (some LogValue)?) { if let value { add(name, value) } }

    /// Adds the keyed hash of a text; nothing for `nil`.
    public mutating func addSensitive(_ name: StaticString, _ value: String?) {
        if let value { addSensitive(name, value) }
    }

    /// Adds a date as an RFC 3339 string in UTC with milliseconds.
    public mutating func add(_ name: StaticString, _ value: Date) {
        add(name, Timestamp(value).rfc3339(fractionDigits: 3))
    }

    public mutating func add(_ name: StaticString, _ value: Date?) { if let value { add(name, value) } }

    /// Adds a day (`2026-11-20`), in UTC.
    public mutating func addDate(_ name: StaticString, _ value: Date) { add(name, Timestamp(value).day) }

    public mutating func addDate(_ name: StaticString, _ value: Date?) { if let value { addDate(name, value) } }
}

extension FieldEncoder {
    /// Adds an integer to a 32-bit column, clamped.
    public mutating func add(_ name: StaticString, clamping value: Int) { add(name, Int32(clamping: value)) }

    /// Adds an integer to a 32-bit column, clamped; nothing for `nil`.
    public mutating func add(_ name: StaticString, clamping value: Int?) {
        if let value { add(name, clamping: value) }
    }

    /// Adds an integer to a 32-bit column. One that does not fit is left out, and `daybook.rejected.NAME` says
    /// `out_of_range`. Nothing for `nil`.
    public mutating func add(_ name: StaticString, rejecting value: Int?) {
        guard let value else { return }
        if let fitting = Int32(exactly: value) { add(name, fitting) } else { reject(name, because: "out_of_range") }
    }

    /// Adds text of at most `limit` UTF-8 bytes. Longer text is left out, and `daybook.rejected.NAME` says `too_long`.
    /// Nothing for `nil`.
    public mutating func add(_ name: StaticString, _ value: String?, rejectingOver limit: Int) {
        guard let value else { return }
        if value.utf8.count <= limit { add(name, value) } else { reject(name, because: "too_long") }
    }

    /// The mark is part of the record, so that any reader can count rejections.
    @inline(never)
    private mutating func reject(_ name: StaticString, because reason: String) {
        add(["\(WireName.rejectedPrefix)\(name)": .string(reason)])
    }
}

extension Timestamp {
    /// Clamped to what 64 bits of nanoseconds hold (the years 1677 to 2262).
    package init(_ date: Date) { self.init(secondsSince1970: date.timeIntervalSince1970) }
}
