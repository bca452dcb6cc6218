/// Integers as offsets from the smallest, in the fewest bytes that hold the largest: 0 to 8, little endian.
///
/// Format: docs/formats/store.md#columns.
enum PackedIntegers {
    static func append(_ values: [Int64], to bytes: inout [UInt8]) {
        let (base, top) = (values.min() ?? 0, values.max() ?? 0)
        let width = Self.width(of: UInt64(bitPattern: top &- base))
        bytes.append(little: UInt64(bitPattern: base), bytes: 8)
        bytes.append(UInt8(width))
        for value in values { bytes.append(little: UInt64(bitPattern: value &- base), bytes: width) }
    }

    static func append(_ codes: [UInt16], to bytes: inout [UInt8]) {
        let width = width(of: UInt64(codes.max() ?? 0))
        bytes.append(UInt8(width))
        for code in codes { bytes.append(little: UInt64(code), bytes: width) }
    }

    /// Bytes that ``append(_:to:)`` adds for integers between two bounds.
    static func size(of count: Int, from base: Int64, to top: Int64) -> Int {
        9 + count * width(of: UInt64(bitPattern: top &- base))
    }

    private static func width(of largest: UInt64) -> Int { (64 - largest.leadingZeroBitCount + 7) / 8 }
}

extension [UInt8] {
    mutating func append(little value: UInt64, bytes: Int) {
        var rest = value
        for _ in 0..<bytes {
            append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }
}

/// Reads a part of a stored column, within its bounds.
struct ColumnBytes {
    struct Damage: Error {}

    private let bytes: UnsafeRawBufferPointer
    private var place = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    private mutating func take(_ count: Int) throws(Damage) -> UnsafeRawBufferPointer {
        guard count >= 0, count <= bytes.count - place else { throw Damage() }
        defer { place += count }
        return UnsafeRawBufferPointer(rebasing: bytes[place..<place + count])
    }

    mutating func byte() throws(Damage) -> UInt8 { try take(1)[0] }

    mutating func number() throws(Damage) -> Int {
        Int(UInt32(littleEndian: try take(4).loadUnaligned(as: UInt32.self)))
    }

    mutating func array(_ count: Int) throws(Damage) -> [UInt8] { Array(try take(count)) }

    /// Numbers of 16 bits.
    mutating func shorts(_ count: Int) throws(Damage) -> [UInt16] {
        let data = try take(2 * count)
        return (0..<count).map { UInt16(littleEndian: data.loadUnaligned(fromByteOffset: 2 * $0, as: UInt16.self)) }
    }

    /// Numbers of 64 bits.
    mutating func words(_ count: Int) throws(Damage) -> [UInt64] {
        let data = try take(8 * count)
        return (0..<count).map { UInt64(littleEndian: data.loadUnaligned(fromByteOffset: 8 * $0, as: UInt64.self)) }
    }

    mutating func integers(_ count: Int) throws(Damage) -> [Int64] {
        let base = Int64(littleEndian: try take(8).loadUnaligned(as: Int64.self))
        let width = Int(try byte())
        guard width <= 8, count <= Int(IndexExtent.size) else { throw Damage() }
        let data = try take(count * width)
        return [Int64](unsafeUninitializedCapacity: count) { values, written in
            written = count
            switch width {
            case 0: for place in 0..<count { values[place] = base }
            case 1: for place in 0..<count { values[place] = base &+ Int64(data[place]) }
            case 2: Self.widen(data, as: UInt16.self, base, values, count)
            case 4: Self.widen(data, as: UInt32.self, base, values, count)
            case 8: Self.widen(data, as: UInt64.self, base, values, count)
            default:
                // Eight bytes at once, as far as they are within the part; `mask` leaves out the next value's.
                let mask = UInt64.max >> UInt64(64 - 8 * width)
                let whole = max(0, (data.count - 8) / width)
                for place in 0..<min(whole, count) {
                    let word = data.loadUnaligned(fromByteOffset: place * width, as: UInt64.self).littleEndian
                    values[place] = base &+ Int64(truncatingIfNeeded: word & mask)
                }
                for place in min(whole, count)..<count {
                    var word: UInt64 = 0
                    for index in 0..<width { word |= UInt64(data[place * width + index]) << UInt64(8 * index) }
                    values[place] = base &+ Int64(truncatingIfNeeded: word)
                }
            }
        }
    }

    /// The caller has taken `count` values from `data`.
    private static func widen<Word: FixedWidthInteger>(
        _ data: UnsafeRawBufferPointer, as word: Word.Type, _ base: Int64, _ values: UnsafeMutableBufferPointer<Int64>,
        _ count: Int
    ) {
        for place in 0..<count {
            let word = data.loadUnaligned(fromByteOffset: place * MemoryLayout<Word>.size, as: Word.self)
            values[place] = base &+ Int64(truncatingIfNeeded: Word(littleEndian: word))
        }
    }

    /// Codes, each raised by `first`.
    /// - Parameter bound: Every code as stored is below it.
    mutating func codes(_ count: Int, below bound: Int, first: UInt16 = 0) throws(Damage) -> [UInt16] {
        let width = Int(try byte())
        guard width <= 2, count <= Int(IndexExtent.size) else { throw Damage() }
        let data = try take(count * width)
        var largest: UInt16 = 0
        let codes = [UInt16](unsafeUninitializedCapacity: count) { codes, written in
            written = count
            switch width {
            case 0: codes.update(repeating: first)
            case 1:
                for place in 0..<count {
                    let code = UInt16(data[place])
                    largest = max(largest, code)
                    codes[place] = code &+ first
                }
            default:
                for place in 0..<count {
                    let code = UInt16(littleEndian: data.loadUnaligned(fromByteOffset: 2 * place, as: UInt16.self))
                    largest = max(largest, code)
                    codes[place] = code &+ first
                }
            }
        }
        guard Int(largest) < bound || count == 0 else { throw Damage() }
        return codes
    }
}
