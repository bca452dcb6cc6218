import Foundation

/// The builder of `log.post("tag") { $0["recipe_id"] = 42 }`: encodes attributes as they are set.
///
/// Attributes keep their order; if a name is set twice, readers see the last value. `nil` adds nothing. The builder
/// cannot outlive the closure. The closure runs at most once, on the calling thread, with no lock held, and may call
/// anything, including log calls.
public struct AttributeBuilder: ~Copyable {
    private var fields: FieldEncoder
    private let key: HashKey
    /// Memory of its own once the lent one is full. Sound: written only through `fields`, freed with `self`.
    private var own: UnsafeMutableRawBufferPointer?

    /// Enough for nearly every record; larger ones use the heap.
    private static let lentBytes = 1024
    /// Larger attributes are dropped.
    private static let maximumBytes = 64 << 20

    private init(_ lent: UnsafeMutableRawBufferPointer, startingAt base: UnsafeMutableRawPointer, key: HashKey) {
        self.key = key
        fields = FieldEncoder(writer: ProtobufWriter(lent, startingAt: base), key: key)
    }

    deinit { own?.deallocate() }

    /// Encodes what `fill` sets as fields 6 of a `LogRecord`; `body` gets `nil` if they are too large.
    @inline(__always)
    static func encode<Result>(
        key: HashKey, _ fill: (inout AttributeBuilder) -> Void, _ body: (UnsafeRawBufferPointer?) -> Result
    ) -> Result {
        withUnsafeTemporaryAllocation(byteCount: lentBytes, alignment: 8) { lent in
            // A temporary allocation of more than zero bytes has an address.
            guard let base = lent.baseAddress else { return body(nil) }
            var builder = AttributeBuilder(lent, startingAt: base, key: key)
            fill(&builder)
            return body(builder.fields.writer.overflowed ? nil : builder.fields.writer.written)
        }
    }

    /// Retries in larger memory a write that did not fit, which left no bytes behind.
    @inline(never)
    private mutating func addLong(_ name: StaticString, _ value: Value) {
        let before = fields.writer.count
        repeat { fields.addLong(name, value) } while fields.writer.overflowed && grow(keeping: before)
    }

    /// Quadruples the memory and keeps the first `count` bytes; `false` at the limit.
    private mutating func grow(keeping count: Int) -> Bool {
        let capacity = max(own?.count ?? Self.lentBytes, Self.lentBytes) * 4
        guard capacity <= Self.maximumBytes else { return false }
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 8)
        guard let base = larger.baseAddress else { return false }
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: fields.writer.written[..<count]))
        fields = FieldEncoder(
            writer: ProtobufWriter(larger, startingAt: base, written: count), key: key)
        own?.deallocate()
        own = larger
        return true
    }

    /// Adds attributes created elsewhere, for instance with names known only at run time.
    public mutating func add(_ attributes: Attributes) {
        let before = fields.writer.count
        fields.add(attributes)
        while fields.writer.overflowed, grow(keeping: before) { fields.add(attributes) }
    }

    public subscript(name: StaticString) -> Int? {
        @available(*, unavailable, message: "attributes are written, not read")
        get { nil }
        set { self[name] = newValue.map { Int64($0) } }
    }

    public subscript(name: StaticString) -> Int64? {
        @available(*, unavailable, message: "attributes are written, not read")
        get { nil }
        @_optimize(speed)
        set {
            guard let newValue else { return }
            if !fields.put(name, newValue) { addLong(name, .int(newValue)) }
        }
    }

    public subscript(name: StaticString) -> Bool? {
        @available(*, unavailable, message: "attributes are written, not read")
        get { nil }
        @_optimize(speed)
        set {
            guard let newValue else { return }
            if !fields.put(name, newValue) { addLong(name, .bool(newValue)) }
        }
    }

    /// Sets a number; NaN and infinities as strings.
    public subscript(name: StaticString) -> Double? {
        @available(*, unavailable, message: "attributes are written, not read")
        get { nil }
        set {
            guard let newValue else { return }
            if !fields.put(name, newValue) { addLong(name, Value(newValue)) }
        }
    }

    public subscript(name: StaticString) -> String? {
        @available(*, unavailable, message: "attributes are written, not read")
        get { nil }
        @_optimize(speed)
        set {
            guard let newValue else { return }
            if !fields.put(name, newValue) { addLong(name, .string(newValue)) }
        }
    }

    /// Sets a date, as an RFC 3339 string in UTC with milliseconds.
    public subscript(name: StaticString) -> Date? {
        @available(*, unavailable, message: "attributes are written, not read")
        get { nil }
        set { if let newValue { self[name] = newValue.logValue } }
    }

    /// Sets any value: arrays, objects, and types without their own subscript.
    public subscript(name: StaticString) -> Value {
        @available(*, unavailable, message: "attributes are written, not read")
        get { .null }
        set { addLong(name, newValue) }
    }

    /// Sets your own type.
    @_disfavoredOverload
    public subscript<Custom: LogValue>(name: StaticString) -> Custom? {
        @available(*, unavailable, message: "attributes are written, not read")
        get { nil }
        set { if let newValue { self[name] = CallScope.encoding.run { newValue.logValue } } }
    }
}
