import Foundation

/// What `log.post("tag") { $0["recipe_id"] = 42 }` fills: attributes that are encoded as they are set, without an array
/// or a dictionary in between.
///
/// Attributes keep the order in which they were set; if a name is set twice, readers see the last value. `nil` adds
/// nothing. Lent to the closure; it cannot outlive the call. The closure runs at most once, on the calling thread,
/// outside of every lock: it may call anything, including log calls.
public struct AttributeBuilder: ~Copyable {
    private var fields: FieldEncoder
    private let key: HashKey
    /// Memory of its own, once what it was lent is too small. Sound: written through `fields` alone, freed with it.
    private var own: UnsafeMutableRawBufferPointer?

    /// Enough for nearly every record; more is taken from the heap.
    private static let lentBytes = 1024
    /// More attributes than this are not kept.
    private static let maximumBytes = 64 << 20

    private init(_ lent: UnsafeMutableRawBufferPointer, startingAt base: UnsafeMutableRawPointer, key: HashKey) {
        self.key = key
        fields = FieldEncoder(writer: ProtobufWriter(lent, startingAt: base), isSpan: false, key: key)
    }

    deinit { own?.deallocate() }

    /// Encodes what `fill` sets as the fields 6 of a `LogRecord`, and hands them on; `nil` if they are too many.
    @inline(__always)
    static func encode<Result>(
        key: HashKey, _ fill: (inout AttributeBuilder) -> Void, _ body: (UnsafeRawBufferPointer?) -> Result
    ) -> Result {
        withUnsafeTemporaryAllocation(byteCount: lentBytes, alignment: 8) { lent in
            // A temporary allocation of more than no bytes has an address.
            guard let base = lent.baseAddress else { return body(nil) }
            var builder = AttributeBuilder(lent, startingAt: base, key: key)
            fill(&builder)
            return body(builder.fields.writer.overflowed ? nil : builder.fields.writer.written)
        }
    }

    /// Adds what did not fit, and has left nothing behind, in larger memory.
    @inline(never)
    private mutating func addGrowing(_ name: StaticString, _ value: Value) {
        let before = fields.writer.count
        while fields.writer.overflowed, grow(keeping: before) { fields.add(name, value) }
    }

    /// Moves to memory four times as large, with so many of the bytes; `false` if that is more than is kept.
    private mutating func grow(keeping count: Int) -> Bool {
        let capacity = max(own?.count ?? Self.lentBytes, Self.lentBytes) * 4
        guard capacity <= Self.maximumBytes else { return false }
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 8)
        guard let base = larger.baseAddress else { return false }
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: fields.writer.written[..<count]))
        fields = FieldEncoder(
            writer: ProtobufWriter(larger, startingAt: base, written: count), isSpan: false, key: key)
        own?.deallocate()
        own = larger
        return true
    }

    /// Adds attributes that were created elsewhere, such as those whose names are known only at run time.
    public mutating func add(_ attributes: Attributes) {
        let before = fields.writer.count
        fields.add(attributes)
        while fields.writer.overflowed, grow(keeping: before) { fields.add(attributes) }
    }

    /// Sets an integer.
    public subscript(name: StaticString) -> Int? {
        @available(*, unavailable, message: "attributes are written, not read")
        get { nil }
        @_optimize(speed)
        set {
            guard let newValue else { return }
            fields.add(name, newValue)
            if fields.writer.overflowed { addGrowing(name, .int(Int64(newValue))) }
        }
    }

    /// Sets an integer.
    public subscript(name: StaticString) -> Int64? {
        @available(*, unavailable, message: "attributes are written, not read")
        get { nil }
        @_optimize(speed)
        set {
            guard let newValue else { return }
            fields.add(name, newValue)
            if fields.writer.overflowed { addGrowing(name, .int(newValue)) }
        }
    }

    /// Sets a boolean.
    public subscript(name: StaticString) -> Bool? {
        @available(*, unavailable, message: "attributes are written, not read")
        get { nil }
        @_optimize(speed)
        set {
            guard let newValue else { return }
            fields.add(name, newValue)
            if fields.writer.overflowed { addGrowing(name, .bool(newValue)) }
        }
    }

    /// Sets a number; NaN and infinities as strings.
    public subscript(name: StaticString) -> Double? {
        @available(*, unavailable, message: "attributes are written, not read")
        get { nil }
        set {
            guard let newValue else { return }
            fields.add(name, newValue)
            if fields.writer.overflowed { addGrowing(name, Value(newValue)) }
        }
    }

    /// Sets text.
    public subscript(name: StaticString) -> String? {
        @available(*, unavailable, message: "attributes are written, not read")
        get { nil }
        @_optimize(speed)
        set {
            guard let newValue else { return }
            fields.add(name, newValue)
            if fields.writer.overflowed { addGrowing(name, .string(newValue)) }
        }
    }

    /// Sets a moment, as an RFC 3339 string in UTC with milliseconds.
    public subscript(name: StaticString) -> Date? {
        @available(*, unavailable, message: "attributes are written, not read")
        get { nil }
        set { if let newValue { self[name] = newValue.logValue } }
    }

    /// Sets any value: arrays, objects, and types without their own subscript.
    public subscript(name: StaticString) -> Value {
        @available(*, unavailable, message: "attributes are written, not read")
        get { .null }
        set {
            fields.add(name, newValue)
            if fields.writer.overflowed { addGrowing(name, newValue) }
        }
    }

    /// Sets a team's own type.
    @_disfavoredOverload
    public subscript<Custom: LogValue>(name: StaticString) -> Custom? {
        @available(*, unavailable, message: "attributes are written, not read")
        get { nil }
        set { if let newValue { self[name] = CallScope.encoding.run { newValue.logValue } } }
    }
}
