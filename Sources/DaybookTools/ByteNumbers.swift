/// Numbers different texts from 0, in the order in which they were added: a table for keys that are seen millions of
/// times, and not made strings for it.
package struct ByteNumbers: Sendable {
    /// For each hash's lower bits a number and 1; 0 for none. A taken slot is followed by the next one.
    private var slots: [Int32] = Array(repeating: 0, count: 64)
    private var hashes: [UInt64] = []
    private var ends: [Int] = [0]
    private var bytes: [UInt8] = []
    /// Random, so that nobody can choose texts that collide.
    private let seed = UInt64.random(in: .min ... .max)

    package init() {}

    package var count: Int { hashes.count }
    package var byteCount: Int { bytes.count }

    package func number(of text: UnsafeBufferPointer<UInt8>) -> Int? { number(of: text, hash(text)) }

    /// The number of a text, given to it if it has none.
    package mutating func add(_ text: UnsafeBufferPointer<UInt8>) -> Int {
        let hash = hash(text)
        if let number = number(of: text, hash) { return number }
        hashes.append(hash)
        bytes.append(contentsOf: text)
        ends.append(bytes.count)
        if hashes.count * 2 > slots.count {
            slots = Array(repeating: 0, count: slots.count * 2)
            for number in hashes.indices { place(number) }
        } else {
            place(hashes.count - 1)
        }
        return hashes.count - 1
    }

    private mutating func place(_ number: Int) {
        var slot = Int(truncatingIfNeeded: hashes[number]) & (slots.count - 1)
        while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = Int32(number + 1)
    }

    private func number(of text: UnsafeBufferPointer<UInt8>, _ hash: UInt64) -> Int? {
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[slot] != 0 {
            let number = Int(slots[slot]) - 1
            if hashes[number] == hash, ends[number + 1] - ends[number] == text.count, stands(text, ends[number]) {
                return number
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    private func stands(_ text: UnsafeBufferPointer<UInt8>, _ start: Int) -> Bool {
        bytes.withUnsafeBufferPointer { bytes in
            for place in text.indices where bytes[start + place] != text[place] { return false }
            return true
        }
    }

    private func hash(_ text: UnsafeBufferPointer<UInt8>) -> UInt64 {
        let raw = UnsafeRawBufferPointer(text)
        var hash = seed ^ UInt64(raw.count)
        var place = 0
        while place + 8 <= raw.count {
            mix(raw.loadUnaligned(fromByteOffset: place, as: UInt64.self), into: &hash)
            place += 8
        }
        var rest: UInt64 = 0
        while place < raw.count {
            rest = rest << 8 | UInt64(raw[place])
            place += 1
        }
        mix(rest, into: &hash)
        return hash
    }

    private func mix(_ word: UInt64, into hash: inout UInt64) {
        hash = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
        hash ^= hash >> 32
    }
}
