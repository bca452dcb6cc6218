/// How a journal uses disk and memory. Values out of range are clamped.
public struct JournalOptions: Sendable {
    /// Which records are dropped at the cap.
    public enum Policy: Sendable, Equatable {
        /// Evicts the oldest segment, read or not. What it held is counted per output.
        case dropOldest
        /// Refuses and counts new records until an output makes room.
        case dropNewest
        /// Refuses and counts new records whose `FrameFlags.priority` is below this (1 to 3) until an output makes
        /// room. The others evict the oldest segment, whatever it holds.
        case dropBelow(priority: Int)

        /// The priority bits from which a frame may evict older ones; `nil` if none may.
        var evictingFrom: UInt16? {
            switch self {
            case .dropOldest: 0
            case .dropNewest: nil
            case .dropBelow(let priority): FrameFlags.priority(max(priority, 1)).rawValue
            }
        }

        func evicts(for flags: FrameFlags) -> Bool {
            evictingFrom.map { flags.intersection(.priorityBits).rawValue >= $0 } ?? false
        }
    }

    /// The ring's bytes, on disk and in memory: 64 KiB (for tests) to 64 MiB, sensibly 1 to 4 MiB; default 1 MiB.
    /// Rounded up to a multiple of 4 KiB. A burst, or a disk that cannot be written, may fill it before records are
    /// dropped by `policy`. Without a usable directory it is all that the journal holds.
    public var ringBytes = 1 << 20
    /// The bytes of a segment file: 64 KiB (for tests) to 4 MiB, sensibly 1 to 4 MiB; default 2 MiB. Rounded down to a
    /// multiple of 4 KiB. A burst may make one twice as long.
    public var segmentBytes = 2 << 20
    /// The most bytes of all segments and set-aside files: at least four segments; default 64 MiB. The ring, cursors
    /// and identity come on top.
    public var capBytes = 64 << 20
    /// What is dropped at the cap; default: the oldest records.
    public var policy = Policy.dropOldest
    /// Unsynced bytes that make a sync due at once; default 256 KiB.
    public var syncBytes = 256 << 10
    /// The time after which appended bytes are synced; default 1 s.
    public var syncInterval: Duration = .seconds(1)
    /// The longest payload of a frame, in bytes: 64 to a quarter of a segment or the ring; default 64 KiB.
    public var maximumFrameBytes = 64 << 10
    /// The most bytes of damaged files to keep, newest first; default 4 MiB.
    public var setAsideBytes = 4 << 20
    /// The greatest age of a waiting record, by whole segments. Ages are known within one boot of the machine only;
    /// segments of earlier boots are bounded by size alone. Default: none.
    public var maximumAge: Duration?
    /// Outputs that, when new, get the records from before they existed. Default: none; a new output gets what is
    /// appended after it was added.
    public var backfill: Set<String> = []

    /// Whether several processes share the directory's container, such as an app group. The system kills a suspended
    /// process that holds a lock there. With this, `suspend` releases the lock, and frames go to memory until `resume`
    /// reacquires it. All processes that open the directory must agree. Default: no; the lock is held until the journal
    /// is closed.
    public var isShared = false

    public init() {}

    var normalised: JournalOptions {
        var result = self
        result.segmentBytes = min(max(segmentBytes, 64 << 10), 4 << 20) & ~4095
        result.capBytes = max(capBytes, 4 * result.segmentBytes)
        result.ringBytes = (min(max(ringBytes, 64 << 10), Ring.mostBytes) + 4095) & ~4095
        result.maximumFrameBytes = min(max(maximumFrameBytes, 64), result.segmentBytes / 4, result.ringBytes / 4)
        result.syncBytes = max(syncBytes, 1)
        result.setAsideBytes = max(setAsideBytes, 0)
        result.backfill = Set(backfill.map(OutputTable.storedID))
        return result
    }

    /// How many bytes the log may lack before it is to be written.
    var dueBytes: UInt64 { UInt64(min(syncBytes, ringBytes / 4)) }

    var maximumContextBytes: Int { min(segmentBytes / 16, SegmentHeader.maximumContextBytes) }

    var syncNanoseconds: UInt64 { nanoseconds(syncInterval, atMost: 86_400) }

    var ageNanoseconds: UInt64? { maximumAge.map { nanoseconds($0, atMost: 1 << 32) } }

    private func nanoseconds(_ duration: Duration, atMost seconds: Int64) -> UInt64 {
        let parts = duration.components
        return UInt64(max(0, min(parts.seconds, seconds))) * 1_000_000_000 + UInt64(max(0, parts.attoseconds))
            / 1_000_000_000
    }
}
