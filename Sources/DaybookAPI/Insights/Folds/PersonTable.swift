import DaybookStore

/// Numbers whoever is counted, from 0, by their keys.
///
/// Open addressing with linear probing, at most half full. People beyond ``most`` are left out and noted, so that
/// memory stays bounded.
struct PersonTable {
    private var slots: [UInt32]
    private var keys: [UInt64] = []
    private let most: Int
    /// Whether somebody was left out.
    private(set) var isFull = false

    var count: Int { keys.count }

    /// The key of a person in one of several groups: a bijection for each group, so that no two pairs meet but by chance.
    static func pair(_ key: UInt64, _ group: Int) -> UInt64 { key ^ UInt64(group) &* 0xD6E8_FEB8_6659_FD93 }

    init(most: Int) {
        self.most = most
        slots = Array(repeating: 0, count: 1 << 12)
    }

    /// The number of a key's person; `nil` if there is no more room.
    mutating func number(of key: UInt64) -> Int? {
        var place = Self.place(of: key) & (slots.count - 1)
        while slots[place] != 0 {
            let number = Int(slots[place]) - 1
            if keys[number] == key { return number }
            place = (place + 1) & (slots.count - 1)
        }
        guard keys.count < most else {
            isFull = true
            return nil
        }
        keys.append(key)
        slots[place] = UInt32(keys.count)
        if keys.count * 2 > slots.count { grow() }
        return keys.count - 1
    }

    private mutating func grow() {
        slots = Array(repeating: 0, count: slots.count * 2)
        for (number, key) in keys.enumerated() {
            var place = Self.place(of: key) & (slots.count - 1)
            while slots[place] != 0 { place = (place + 1) & (slots.count - 1) }
            slots[place] = UInt32(number + 1)
        }
    }

    /// Keys are hashes already, but pairs of them are sums.
    private static func place(of key: UInt64) -> Int {
        Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) >> 20)
    }
}

/// A part of the people, by their keys.
struct PeopleParts {
    private let part: UInt64
    private let count: UInt64

    func contains(_ key: UInt64) -> Bool { count == 1 || (key >> 32) % count == part }

    /// Passes all people to `body` at once, or in parts, where it returns `false` because they do not fit into the memory.
    static func forEach(_ body: (PeopleParts) throws(StoreError) -> Bool) throws(StoreError) {
        var parts = [PeopleParts(part: 0, count: 1)]
        while let part = parts.popLast() {
            if try body(part) { continue }
            // So many parts are of people whom nothing parts any more.
            guard part.count < 1 << 20 else { throw .stopped(atMemory: FoldBounds().memory) }
            parts += [
                PeopleParts(part: part.part, count: part.count * 2),
                PeopleParts(part: part.part + part.count, count: part.count * 2),
            ]
        }
    }
}

/// Numbers texts from 0, in the order in which they are met.
struct TextNumbers {
    private(set) var texts: [String] = []
    private var numbers: [ExactText: Int] = [:]

    mutating func number(of text: String) -> Int {
        if let number = numbers[ExactText(text)] { return number }
        numbers[ExactText(text)] = texts.count
        texts.append(text)
        return texts.count - 1
    }
}
