/// Grams and the blocks that have them: a hash table for many small additions.
///
/// Open addressing with linear probing, at most half full. The key 0 marks a free place: it is no gram.
struct GramTable {
    private var keys: [UInt64]
    private var masks: [UInt64]
    private var count = 0

    init() {
        keys = Array(repeating: 0, count: 1 << 15)
        masks = keys
    }

    /// Adds blocks to those that have a gram.
    mutating func add(_ gram: UInt64, blocks: UInt64) {
        let place = place(of: gram)
        masks[place] |= blocks
        guard keys[place] == 0 else { return }
        keys[place] = gram
        count += 1
        if count * 2 > keys.count { grow() }
    }

    /// All grams in the order of the index's key, a signed number.
    func sorted() -> [(gram: Int64, blocks: Int64)] {
        var entries: [(gram: Int64, blocks: Int64)] = []
        entries.reserveCapacity(count)
        for place in keys.indices where keys[place] != 0 {
            entries.append((Int64(bitPattern: keys[place]), Int64(bitPattern: masks[place])))
        }
        entries.sort { $0.gram < $1.gram }
        return entries
    }

    private func place(of gram: UInt64) -> Int {
        let last = keys.count - 1
        // Fibonacci hashing spreads grams that differ in a few bits.
        var place = Int(truncatingIfNeeded: (gram &* 0x9E37_79B9_7F4A_7C15) >> 32) & last
        while keys[place] != gram, keys[place] != 0 { place = (place + 1) & last }
        return place
    }

    private mutating func grow() {
        let (oldKeys, oldMasks) = (keys, masks)
        keys = Array(repeating: 0, count: oldKeys.count * 2)
        masks = keys
        for index in oldKeys.indices where oldKeys[index] != 0 {
            let place = place(of: oldKeys[index])
            keys[place] = oldKeys[index]
            masks[place] = oldMasks[index]
        }
    }
}
