/// What the routing table knows of a tag and level: the outputs, and which chain of filters comes before them.
struct Routing: Sendable, Hashable {
    let mask: RouteMask
    /// The number of the chain in ``FilterChains``; of no meaning where the mask does not say `filtered`.
    let chain: UInt8

    init(mask: RouteMask, chain: UInt8 = 0) {
        self.mask = mask
        self.chain = chain
    }

    // MARK: One word

    // Lower half: the mask. Above it 8 bits for the chain, and 24 for the generation of the table that gave the answer.
    // 24 bits last: a program would have to make 16 million tables before a number came again, and an answer cached
    // under it be asked for just then.

    /// The largest generation that fits into a word.
    static let maximumGeneration: UInt32 = 1 << 24 - 1

    /// An answer and the generation of the table that gave it.
    @inline(__always)
    func word(generation: UInt32) -> UInt64 {
        UInt64(generation) << 40 | UInt64(chain) << 32 | UInt64(mask.rawValue)
    }

    /// The answer in a word, if a table of this generation gave it.
    @inline(__always)
    init?(word: UInt64, generation: UInt32) {
        guard UInt32(truncatingIfNeeded: word >> 40) == generation else { return nil }
        mask = RouteMask(rawValue: UInt32(truncatingIfNeeded: word))
        chain = UInt8(truncatingIfNeeded: word >> 32)
    }
}
