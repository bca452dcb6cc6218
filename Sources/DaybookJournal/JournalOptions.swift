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

    /// Bytes of one segment file: 1 to 4 MiB is sensible, 64 KiB (for tests) is the least; default 2 MiB. Rounded down
    /// to a multiple of 4 KiB.
    public var segmentBytes = 2 << 20
    /// The most bytes that all segments, spares and set-aside files take together: at least four segments; default
    /// 64 MiB. Cursors and the identity (some KiB) come on top.
    public var capBytes = 64 << 20
    /// What happens at the cap; default: the oldest go.
    public var policy = Policy.dropOldest
    /// Bytes appended since the last sync that make the next one due at once; default 256 KiB.
    public var syncBytes = 256 << 10
    /// Time after which appended bytes are synced; default 1 s.
    public var syncInterval: Duration = .seconds(1)
    /// The longest payload of one frame, in bytes: at most a quarter of a segment; default 64 KiB.
    public var maximumFrameBytes = 64 << 10
    /// The most prepared segments that are kept ready for the writer: 0 to 8; default 8. Two of them while little is
    /// logged; as many as the last second used when there is more. They count for the cap.
    public var spareSegments = 8
    /// The most memory that stands in for the disk while that cannot be written; default 1 MiB. At least enough for
    /// two of the longest frames.
    public var memoryRingBytes = 1 << 20
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
        result.maximumFrameBytes = min(max(maximumFrameBytes, 64), result.segmentBytes / 4)
        result.spareSegments = min(max(spareSegments, 0), 8)
        result.syncBytes = max(syncBytes, 1)
        result.setAsideBytes = max(setAsideBytes, 0)
        result.backfill = Set(backfill.map(OutputTable.storedID))
        return result
    }

    /// Spares to keep while nothing much happens.
    var idleSpares: Int { min(spareSegments, 2) }

    /// The longest context of this journal, in bytes.
    var maximumContextBytes: Int { min(segmentBytes / 16, SegmentHeader.maximumContextBytes) }

    /// One block of the memory ring: an eighth of the ring, but with room for a header, its copy and a long frame.
    var memoryBlockBytes: Int {
        let least = 2 * SegmentHeader.maximumBytes + SegmentSeal.byteCount + maximumFrameBytes + 4 * 64
        return (max(memoryRingBytes / 8, least) + 4095) & ~4095
    }

    var memoryBlocks: Int { max(memoryRingBytes / memoryBlockBytes, 2) }

    var syncNanoseconds: UInt64 { nanoseconds(syncInterval, atMost: 86_400) }

    var ageNanoseconds: UInt64? { maximumAge.map { nanoseconds($0, atMost: 1 << 32) } }

    private func nanoseconds(_ duration: Duration, atMost seconds: Int64) -> UInt64 {
        let parts = duration.components
        return UInt64(max(0, min(parts.seconds, seconds))) * 1_000_000_000 + UInt64(max(0, parts.attoseconds))
            / 1_000_000_000
    }
}
