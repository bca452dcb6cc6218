import DaybookBase

/// Caches routings and constants for tags without a descriptor.
///
/// A program has few tags. A small open-addressing table serves nearly all: read without a lock, each slot written
/// once. A dictionary behind a lock holds the rest. Safe to share.
final class TagCache: Sendable {
    /// A power of two.
    private static let slotCount = 512
    private static let probes = 4
    private static let maximumRest = 4096

    /// Retained objects' addresses, or 0. Sound: allocated as long as the cache lives, accessed atomically, and a set
    /// slot never changes, so that its object stays alive.
    private nonisolated(unsafe) let slots: UnsafeMutablePointer<Atomic<UInt>>
    /// By level and tag. When a level has too many tags, all of them are dropped.
    private let rest = Mutex<[[String: KnownTag]]>(Array(repeating: [:], count: Level.allCases.count))

    init() {
        slots = .allocate(capacity: Self.slotCount)
        for index in 0..<Self.slotCount { (slots + index).initialize(to: Atomic(0)) }
    }

    deinit {
        for index in 0..<Self.slotCount { known(at: index)?.release() }
        slots.deinitialize(count: Self.slotCount)
        slots.deallocate()
    }

    /// Valid as long as the cache and `owner` live.
    struct Answer {
        private let known: Unmanaged<KnownTag>
        /// Holds the answer if the cache does not.
        let owner: KnownTag?

        fileprivate init(lent known: Unmanaged<KnownTag>) {
            self.known = known
            owner = nil
        }

        fileprivate init(_ known: KnownTag) {
            self.known = .passUnretained(known)
            owner = known
        }

        var routing: Routing { withExtendedLifetime(owner) { known._withUnsafeGuaranteedRef { $0.routing } } }
        var constants: EventConstants {
            withExtendedLifetime(owner) { known._withUnsafeGuaranteedRef { $0.constants } }
        }
    }

    /// `compute` is called for unknown tags.
    @inline(__always)
    func find(_ tag: String, _ level: Level, otherwise compute: () -> Routing) -> Answer {
        let (known, free) = look(for: tag, level)
        return known.map(Answer.init(lent:)) ?? make(tag, level, at: free, otherwise: compute)
    }

    /// The answer, or else a free slot; -1 if there is none.
    @inline(never) @_optimize(speed)
    private func look(for tag: String, _ level: Level) -> (Unmanaged<KnownTag>?, free: Int) {
        let start = Self.hash(tag, level)
        for probe in 0..<Self.probes {
            let index = (start &+ probe) & (Self.slotCount - 1)
            guard let known = known(at: index) else { return (nil, index) }
            if known._withUnsafeGuaranteedRef({ $0.level == level && $0.tag == tag }) { return (known, -1) }
        }
        return (nil, -1)
    }

    @inline(never)
    private func make(_ tag: String, _ level: Level, at free: Int, otherwise compute: () -> Routing) -> Answer {
        if free < 0 { return Answer(findInRest(tag, level, otherwise: compute)) }
        let made = KnownTag(tag, level, routing: compute())
        keep(made, at: free)
        return Answer(made)
    }

    private func findInRest(_ tag: String, _ level: Level, otherwise compute: () -> Routing) -> KnownTag {
        let index = Int(level.rawValue >> 2)
        if let known = rest.withLock({ $0[index][tag] }) { return known }
        let made = KnownTag(tag, level, routing: compute())
        rest.withLock { rest in
            if rest[index].count >= Self.maximumRest { rest[index].removeAll(keepingCapacity: true) }
            rest[index][tag] = made
        }
        return made
    }

    @inline(__always)
    private func known(at index: Int) -> Unmanaged<KnownTag>? {
        UnsafeRawPointer(bitPattern: slots[index].load(ordering: .acquiring)).map(Unmanaged.fromOpaque)
    }

    /// If another thread set the slot first, the object is created again at a later call.
    private func keep(_ known: KnownTag, at index: Int) {
        let retained = Unmanaged.passRetained(known)
        let (isKept, _) = slots[index].compareExchange(
            expected: 0, desired: UInt(bitPattern: retained.toOpaque()))
        if !isKept { retained.release() }
    }

    /// A multiplicative hash of whole words. Not collision-resistant: collisions cost only time.
    @inline(__always)
    private static func hash(_ tag: String, _ level: Level) -> Int {
        var hash = UInt64(level.rawValue)
        let done: Void? = tag.utf8.withContiguousStorageIfAvailable { utf8 in
            let bytes = UnsafeRawBufferPointer(utf8)
            let count = bytes.count
            if count > 24 {
                for offset in stride(from: 0, to: count &- 8, by: 8) {
                    hash = mixed(hash, bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                }
                hash = mixed(hash, bytes.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self))
            } else if count >= 8 {
                // Three overlapping words, so that no multiplication waits for another, as in a loop.
                let first = bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self) &* 0xbf58_476d_1ce4_e5b9
                let middle = bytes.loadUnaligned(fromByteOffset: (count &- 8) / 2, as: UInt64.self)
                let last = bytes.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self) &* 0x94d0_49bb_1331_11eb
                hash = mixed(hash &+ first &+ last, middle)
            } else {
                for byte in bytes { hash = mixed(hash, UInt64(byte)) }
            }
        }
        if done == nil { for byte in tag.utf8 { hash = mixed(hash, UInt64(byte)) } }
        return Int(truncatingIfNeeded: hash >> 40)
    }

    @inline(__always)
    private static func mixed(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        let product = (hash ^ word) &* 0x9e37_79b9_7f4a_7c15
        return product ^ (product >> 29)
    }
}

/// Routing and constants of a tag and level. Immutable; safe to share.
final class KnownTag: Sendable {
    let tag: String
    let level: Level
    let routing: Routing
    let constants: EventConstants

    init(_ tag: String, _ level: Level, routing: Routing) {
        self.tag = tag
        self.level = level
        self.routing = routing
        constants = EventConstants(tag: tag, level: level)
    }

    deinit { constants.bytes.deallocate() }
}
