import DaybookBase

/// Remembers what is known of tags that have no descriptor.
///
/// The tags of a program are few and come again and again: a small open table, which is read without a lock and written
/// once per slot, answers for nearly all of them; a dictionary behind a lock for the rest. Safe to share.
final class TagCache: Sendable {
    /// A power of two.
    private static let slotCount = 512
    private static let probes = 4
    private static let maximumRest = 4096

    /// Addresses of objects that the table holds a reference to, or 0. Sound: allocated for as long as the cache lives,
    /// and accessed atomically; a slot that is set never changes again, so that what is found in it stays alive.
    private nonisolated(unsafe) let slots: UnsafeMutablePointer<Atomic<UInt>>
    /// By level and tag. A level's are forgotten all at once when there are too many.
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

    /// What is known of a tag, as long as the cache and `owner` live.
    struct Answer {
        private let known: Unmanaged<KnownTag>
        /// What holds the answer, if the cache does not.
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
        /// What an event's records have in common.
        var constants: EventConstants {
            withExtendedLifetime(owner) { known._withUnsafeGuaranteedRef { $0.constants } }
        }
    }

    /// What is known of a tag at a level; `compute` is asked for the routes when nothing is.
    @inline(__always)
    func find(_ tag: String, _ level: Level, otherwise compute: () -> Routing) -> Answer {
        let (known, free) = look(for: tag, level)
        return known.map(Answer.init(lent:)) ?? make(tag, level, at: free, otherwise: compute)
    }

    /// The answer, or else where it may be kept; -1 if there is no room.
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

    /// Sets a free slot; if another thread was quicker, the object is made again another time.
    private func keep(_ known: KnownTag, at index: Int) {
        let retained = Unmanaged.passRetained(known)
        let (isKept, _) = slots[index].compareExchange(
            expected: 0, desired: UInt(bitPattern: retained.toOpaque()))
        if !isKept { retained.release() }
    }

    /// A multiplicative hash of whole words; it need not withstand an attacker, since tags that collide cost time alone.
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
                // Three words that overlap: no product waits for another one, as it does in a loop.
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

/// What is worth knowing of a tag that has no descriptor, at a level. Never changes; safe to share.
final class KnownTag: Sendable {
    let tag: String
    let level: Level
    let routing: Routing
    /// What the records of an event with this tag have in common.
    let constants: EventConstants

    init(_ tag: String, _ level: Level, routing: Routing) {
        self.tag = tag
        self.level = level
        self.routing = routing
        constants = EventConstants(tag: tag, level: level)
    }

    deinit { constants.bytes.deallocate() }
}
