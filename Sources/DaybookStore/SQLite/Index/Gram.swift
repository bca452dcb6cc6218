import DaybookBase

/// An index key: four consecutive characters of a folded text, or a term, such as a session.
///
/// A gram has four 16-bit units, with 0 past the end. A shorter text, such as the usual Japanese word, is a range of
/// grams.
enum Gram {
    /// Marks a term: no character maps to U+FFFF.
    private static let termBits: UInt64 = 0xFFFF << 48

    enum Field: UInt64 {
        case kind = 1
        case level, tag, tagHead, module, session, version, installation, trace, stream, uid
        /// A column in the context, and such a column with its value.
        case contextColumn, contextValue
    }

    /// Passes the gram at each character of a folded text to `body`.
    static func forEach(in folded: UnsafeBufferPointer<UInt8>, _ body: (UInt64) -> Void) {
        var gram: UInt64 = 0
        var count = 0
        forEachUnit(in: folded) { unit in
            gram = gram << 16 | UInt64(unit)
            count += 1
            if count >= 4 { body(gram) }
        }
        // The last three grams are padded with 0.
        for _ in 0..<min(count, 3) {
            if count >= 4 {
                gram <<= 16
            } else {
                gram <<= UInt64(16 * (4 - count))
                count = 4
            }
            body(gram)
        }
    }

    /// The characters as 16 bits each; those beyond U+FFFF share surrogate values.
    static func units(of folded: [UInt8]) -> [UInt16] {
        var units: [UInt16] = []
        folded.withUnsafeBufferPointer { forEachUnit(in: $0) { units.append($0) } }
        return units
    }

    private static func forEachUnit(in text: UnsafeBufferPointer<UInt8>, _ body: (UInt16) -> Void) {
        var index = 0
        while index < text.count {
            let byte = UInt32(text[index])
            let length = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
            guard index + length <= text.count else { return }
            var scalar = length == 1 ? byte : byte & (0x7F >> UInt32(length))
            for place in 1..<max(length, 1) { scalar = scalar << 6 | UInt32(text[index + place] & 0x3F) }
            index += length
            if scalar > 0xFFFF {
                body(UInt16(0xD800 | scalar & 0x7FF))
            } else {
                // 0 is the end of a text, U+FFFF a term.
                body(scalar == 0 ? 1 : UInt16(min(scalar, 0xFFFE)))
            }
        }
    }

    /// - Parameter bits: Of the hash. Fewer bits bound the number of terms for values that rarely repeat.
    static func term(_ field: Field, _ value: UnsafeBufferPointer<UInt8>, bits: UInt64 = 40) -> UInt64 {
        var hash = FNV1a()
        for byte in value { hash.add(byte) }
        // Folds the hash to 40 bits.
        let short = (hash.value ^ hash.value >> 40) & (1 << bits - 1)
        return termBits | field.rawValue << 40 | short
    }

    static func term(_ field: Field, _ value: String, bits: UInt64 = 40) -> UInt64 {
        var value = value
        return value.withUTF8 { term(field, $0, bits: bits) }
    }

    /// The term of a small number; terms of one field sort by number.
    static func term(_ field: Field, number: Int) -> UInt64 {
        termBits | field.rawValue << 40 | UInt64(min(max(number, 0), 0xFFFF))
    }
}

/// A hash table from grams to block masks, for many small additions. Belongs to one thread at a time.
///
/// Open addressing with linear probing, at most half full. Gram 0, which does not occur, marks a free slot.
final class GramTable {
    typealias Entry = (gram: UInt64, blocks: UInt64)

    // Owned by this object alone: allocated, freed and accessed here, at indices below `capacity`, a power of two.
    private var entries: UnsafeMutablePointer<Entry>
    private var capacity: Int
    private var count = 0

    init() {
        capacity = 1 << 15
        entries = Self.allocate(capacity)
    }

    deinit { entries.deallocate() }

    private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<Entry> {
        let entries = UnsafeMutablePointer<Entry>.allocate(capacity: capacity)
        entries.initialize(repeating: (0, 0), count: capacity)
        return entries
    }

    func add(_ gram: UInt64, blocks: UInt64) {
        let place = place(of: gram)
        entries[place].blocks |= blocks
        guard entries[place].gram == 0 else { return }
        entries[place].gram = gram
        count += 1
        if count * 2 > capacity { grow() }
    }

    /// All grams, ordered as the index's signed key.
    func sorted() -> [(gram: Int64, blocks: Int64)] {
        var sorted: [(gram: Int64, blocks: Int64)] = []
        sorted.reserveCapacity(count)
        for place in 0..<capacity where entries[place].gram != 0 {
            sorted.append((Int64(bitPattern: entries[place].gram), Int64(bitPattern: entries[place].blocks)))
        }
        sorted.sort { $0.gram < $1.gram }
        return sorted
    }

    private func place(of gram: UInt64) -> Int {
        let last = capacity - 1
        // Fibonacci hashing spreads similar grams. The shift mixes in the upper half: the lower is zero at a text's
        // end.
        var place = Int(truncatingIfNeeded: ((gram ^ gram >> 32) &* 0x9E37_79B9_7F4A_7C15) >> 32) & last
        while entries[place].gram != gram, entries[place].gram != 0 { place = (place + 1) & last }
        return place
    }

    private func grow() {
        let (old, oldCapacity) = (entries, capacity)
        capacity *= 2
        entries = Self.allocate(capacity)
        for index in 0..<oldCapacity where old[index].gram != 0 { entries[place(of: old[index].gram)] = old[index] }
        old.deallocate()
    }
}
