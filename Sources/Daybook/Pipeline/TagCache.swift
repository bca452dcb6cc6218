import Synchronization

/// Remembers the routes of tags that have no descriptor.
///
/// The tags of a program are few and come again and again: a small open table, which is read without a lock and written
/// once per slot, answers for nearly all of them; a dictionary behind a lock for the rest. Safe to share.
final class TagCache: Sendable {
    private struct Key: Hashable {
        let tag: String
        let level: Level
    }

    private final class Entry: Sendable {
        let key: Key
        let routing: Routing

        init(key: Key, routing: Routing) {
            self.key = key
            self.routing = routing
        }
    }

    /// A power of two.
    private static let slotCount = 512
    private static let probes = 4
    private static let maximumRest = 4096

    /// Addresses of entries that the table holds a reference to, or 0. Sound: allocated for as long as the cache lives,
    /// and accessed atomically; a slot that is set never changes again, so that an entry found in it stays alive.
    private nonisolated(unsafe) let slots: UnsafeMutablePointer<Atomic<UInt>>
    /// Forgotten all at once when it is full.
    private let rest = Mutex<[Key: Routing]>([:])

    init() {
        slots = .allocate(capacity: Self.slotCount)
        for index in 0..<Self.slotCount { (slots + index).initialize(to: Atomic(0)) }
    }

    deinit {
        for index in 0..<Self.slotCount { entry(at: index)?.release() }
        slots.deinitialize(count: Self.slotCount)
        slots.deallocate()
    }

    /// The routes of a tag at a level; `compute` is asked when they are not known.
    func routing(tag: String, level: Level, otherwise compute: () -> Routing) -> Routing {
        let start = Self.hash(tag, level)
        for probe in 0..<Self.probes {
            let index = (start &+ probe) & (Self.slotCount - 1)
            guard let entry = entry(at: index) else {
                let routing = compute()
                keep(Entry(key: Key(tag: tag, level: level), routing: routing), at: index)
                return routing
            }
            let known = entry._withUnsafeGuaranteedRef { entry in
                entry.key.level == level && entry.key.tag == tag ? entry.routing : nil
            }
            if let known { return known }
        }
        let key = Key(tag: tag, level: level)
        if let routing = rest.withLock({ $0[key] }) { return routing }
        let routing = compute()
        rest.withLock { rest in
            if rest.count >= Self.maximumRest { rest.removeAll(keepingCapacity: true) }
            rest[key] = routing
        }
        return routing
    }

    @inline(__always)
    private func entry(at index: Int) -> Unmanaged<Entry>? {
        UnsafeRawPointer(bitPattern: slots[index].load(ordering: .acquiring)).map(Unmanaged.fromOpaque)
    }

    /// Sets a free slot; if another thread was quicker, the entry is made again another time.
    private func keep(_ entry: Entry, at index: Int) {
        let retained = Unmanaged.passRetained(entry)
        let (isKept, _) = slots[index].compareExchange(
            expected: 0, desired: UInt(bitPattern: retained.toOpaque()), ordering: .acquiringAndReleasing)
        if !isKept { retained.release() }
    }

    /// A multiplicative hash of whole words; it need not withstand an attacker, since tags that collide cost time alone.
    private static func hash(_ tag: String, _ level: Level) -> Int {
        var hash = UInt64(level.rawValue)
        let done: Void? = tag.utf8.withContiguousStorageIfAvailable { utf8 in
            let bytes = UnsafeRawBufferPointer(utf8)
            var offset = 0
            while offset &+ 8 <= bytes.count {
                hash = mixed(hash, bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                offset &+= 8
            }
            if offset == bytes.count { return }
            if offset > 0 {
                // The last whole word once more, in part: quicker than byte by byte.
                hash = mixed(hash, bytes.loadUnaligned(fromByteOffset: bytes.count &- 8, as: UInt64.self))
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
