/// How a journal uses disk and memory. A value outside its range is brought to the nearest one that is inside.
public struct JournalOptions: Sendable {
    /// Which records go when the journal has reached its cap.
    public enum Policy: Sendable, Equatable {
        /// The oldest segment goes, read or not; what it held is counted per output.
        case dropOldest
        /// New records are refused and counted until an output has made room.
        case dropNewest
        /// New records whose `FrameFlags.priority` is below this (1 to 3) are refused and counted until an output has
        /// made room; the others take the place of the oldest segment, whatever that holds.
        case dropBelow(priority: Int)

        /// The priority bits from which a frame may take the place of older ones; `nil` if none may.
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

    /// Bytes of the ring that every record is written to first, on the disk and as much memory of the process: 1 to 4 MiB
    /// is sensible, 64 KiB (for tests) the least, 64 MiB the most; default 1 MiB. Rounded up to a multiple of 4 KiB. It is
    /// what a burst, or a disk that cannot be written, may fill before records are dropped by `policy`; where there is no
    /// disk at all, it is what the journal holds.
    public var ringBytes = 1 << 20
    /// Bytes of one segment file: 1 to 4 MiB is sensible, 64 KiB (for tests) is the least; default 2 MiB. Rounded down
    /// to a multiple of 4 KiB. A burst may make one twice as long.
    public var segmentBytes = 2 << 20
    /// The most bytes that all segments and set-aside files take together: at least four segments; default 64 MiB. The
    /// ring, cursors and the identity (some KiB) come on top.
    public var capBytes = 64 << 20
    /// What happens at the cap; default: the oldest go.
    public var policy = Policy.dropOldest
    /// Bytes appended since the last sync that make the next one due at once; default 256 KiB.
    public var syncBytes = 256 << 10
    /// Time after which appended bytes are synced; default 1 s.
    public var syncInterval: Duration = .seconds(1)
    /// The longest payload of one frame, in bytes: at most a quarter of a segment, and of the ring; default 64 KiB.
    public var maximumFrameBytes = 64 << 10
    /// The most bytes of damaged files kept for a later look; default: two segments, the newest are kept.
    public var setAsideBytes = 4 << 20
    /// The greatest age of a record that still waits, by whole segments and as far as one boot of the machine can tell:
    /// over a restart of that, size alone decides. Default: none.
    public var maximumAge: Duration?
    /// Outputs that get, when they are new, the records from before they existed. Default: none; a new output starts
    /// with what is appended after it came.
    public var backfill: Set<String> = []

    /// Whether the directory lies in a container that several processes share, such as an app group: a system that
    /// suspends a process then kills it for a lock that it holds there. With this, `suspend` lets the lock go, and
    /// frames go to memory until `resume` has it again. Every process that opens the directory must say the same.
    /// Default: no; the lock is held until the journal is closed.
    public var isShared = false

    public init() {}

    /// The options with every value inside its range.
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

    /// Bytes that the log may lack before it is due to be written.
    var dueBytes: UInt64 { UInt64(min(syncBytes, ringBytes / 4)) }

    /// The longest context of this journal, in bytes.
    var maximumContextBytes: Int { min(segmentBytes / 16, SegmentHeader.maximumContextBytes) }

    var syncNanoseconds: UInt64 { nanoseconds(syncInterval, atMost: 86_400) }

    var ageNanoseconds: UInt64? { maximumAge.map { nanoseconds($0, atMost: 1 << 32) } }

    private func nanoseconds(_ duration: Duration, atMost seconds: Int64) -> UInt64 {
        let parts = duration.components
        return UInt64(max(0, min(parts.seconds, seconds))) * 1_000_000_000 + UInt64(max(0, parts.attoseconds))
            / 1_000_000_000
    }
}
