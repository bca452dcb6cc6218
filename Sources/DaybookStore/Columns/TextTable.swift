/// Different texts, numbered from 0 in the order of their first appearance.
package struct TextTable {
    private(set) var bytes: [UInt8] = []
    /// Where each text ends in `bytes`.
    private(set) var ends: [Int] = []
    /// Open addressing: the number of a text, from 1, below 16 bits of its hash; 0 for a free slot. At most half full.
    private var slots: [UInt32] = []
    private var last = -1

    /// A slice has fewer.
    private static let most = 0xFFFF

    /// Texts come from outside: with a known seed, somebody could make them collide.
    private static let seed = UInt64.random(in: 0 ... .max)

    package init() {}

    /// Texts as they were stored, which are not looked up.
    init(bytes: [UInt8], ends: [Int]) { (self.bytes, self.ends) = (bytes, ends) }

    package var count: Int { ends.count }

    func range(_ number: Int) -> Range<Int> { (number == 0 ? 0 : ends[number - 1])..<ends[number] }

    package func text(_ number: Int) -> ArraySlice<UInt8> { bytes[range(number)] }

    /// The number of a text, which is added if it is new.
    package mutating func number(of text: UnsafeBufferPointer<UInt8>) -> Int { number(of: text, atMost: .max) ?? 0 }

    /// The number of a text, which is added if it is new and there are fewer than `most`; `nil` otherwise.
    mutating func number(of text: UnsafeBufferPointer<UInt8>, atMost most: Int) -> Int? {
        if last >= 0, isEqual(last, text) { return last }
        if (count + 1) * 2 > slots.count { grow() }
        let hash = Self.hash(text)
        let mark = UInt32(truncatingIfNeeded: hash >> 48) << 16
        var place = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[place] != 0 {
            let slot = slots[place]
            if slot & 0xFFFF_0000 == mark, isEqual(Int(slot & 0xFFFF) - 1, text) {
                last = Int(slot & 0xFFFF) - 1
                return last
            }
            place = (place + 1) & (slots.count - 1)
        }
        guard count < min(most, Self.most) else { return nil }
        bytes.append(contentsOf: text)
        ends.append(bytes.count)
        slots[place] = mark | UInt32(count)
        last = count - 1
        return last
    }

    private func isEqual(_ number: Int, _ text: UnsafeBufferPointer<UInt8>) -> Bool {
        let range = range(number)
        guard range.count == text.count else { return false }
        return bytes.withUnsafeBufferPointer { bytes in
            for place in 0..<text.count where bytes[range.lowerBound + place] != text[place] { return false }
            return true
        }
    }

    private mutating func grow() {
        slots = Array(repeating: 0, count: max(64, slots.count * 2))
        bytes.withUnsafeBufferPointer { bytes in
            for number in 0..<count {
                let hash = Self.hash(UnsafeBufferPointer(rebasing: bytes[range(number)]))
                var place = Int(truncatingIfNeeded: hash) & (slots.count - 1)
                while slots[place] != 0 { place = (place + 1) & (slots.count - 1) }
                slots[place] = UInt32(truncatingIfNeeded: hash >> 48) << 16 | UInt32(number + 1)
            }
        }
    }

    /// Eight bytes at a time, multiplied and folded.
    private static func hash(_ text: UnsafeBufferPointer<UInt8>) -> UInt64 {
        let raw = UnsafeRawBufferPointer(text)
        var hash = seed ^ UInt64(text.count)
        func mix(_ word: UInt64) {
            let product = (hash ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
            hash = product.high ^ product.low
        }
        var place = 0
        while place + 8 <= raw.count {
            mix(raw.loadUnaligned(fromByteOffset: place, as: UInt64.self))
            place += 8
        }
        var rest: UInt64 = 0
        while place < raw.count {
            rest = rest << 8 | UInt64(raw[place])
            place += 1
        }
        mix(rest)
        return hash ^ hash >> 32
    }
}

// MARK: As stored

extension TextTable {
    /// Lengths, then the texts.
    func append(to content: inout [UInt8]) {
        PackedIntegers.append((0..<count).map { Int64(range($0).count) }, to: &content)
        content += bytes
    }

    init(_ bytes: inout ColumnBytes, _ count: Int) throws(ColumnBytes.Damage) {
        var end = 0
        var ends: [Int] = []
        ends.reserveCapacity(count)
        for length in try bytes.integers(count) {
            guard 0...Int64(Int32.max) ~= length else { throw ColumnBytes.Damage() }
            end += Int(length)
            ends.append(end)
        }
        self.init(bytes: try bytes.array(end), ends: ends)
    }
}
