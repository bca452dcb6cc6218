import Synchronization

/// A journal: frames of bytes in a directory, which survive the death of the process that wrote them.
///
/// A frame whose `append` returned is in a mapping of a file (or, where the disk cannot be written, in memory, and
/// `status` and the counters say so). It is read from there by each output, at the output's own pace; a segment that
/// every output has passed is used again. Knows nothing of what the frames mean.
///
/// Safe to use from any thread. `append` and `updateContext` take one short lock; `housekeep`, `sync` and `close` do
/// slow work and belong on one background thread. The format is specified in `docs/formats/journal.md`.
public final class Journal: Sendable {
    /// Where frames go now.
    public enum Status: Sendable, Equatable {
        /// Into mapped files: they survive a kill.
        case mapped
        /// Into memory, and why: they do not survive a kill.
        case memory(reason: String)
    }

    /// What is left of the outside world, to tell what happened.
    enum Disk: Sendable {
        case available(JournalFiles)
        case unavailable(JournalFileError)
    }

    /// Names the frames that this launch writes.
    public let identity: JournalStream
    /// The last sequence of earlier launches.
    public let openedAt: UInt64
    /// Where the files are: the directory given at the open, or a sub-directory if another process has that.
    public let directory: String
    /// The options, with every value brought inside its range.
    public let options: JournalOptions

    package let system: JournalSystem
    let disk: Disk
    @usableFromInline let tail: Mutex<Tail>
    let shelf: Mutex<Shelf>
    let upkeep: Mutex<Upkeep>
    let presence = Atomic(Presence.here)

    /// Schedules of the slow work. Its mutex is taken first of the three, and held while files are synced.
    struct Upkeep: Sendable {
        /// Holds the directory; released by `close`.
        var lock: JournalFile?
        /// When unsynced bytes were first seen.
        var dirtySince: UInt64?
        /// Not before this may a failed sync or a failed disk be tried again.
        var retryAt: UInt64 = 0
        var retryDelay: UInt64 = Upkeep.firstDelay
        var spareNumber: UInt64 = 0
        var demand = SpareDemand()
        /// Journals of dead writers, from which records are still to be taken.
        var orphans: [Orphan] = []
        /// Whether a directory that was let go is to be had again.
        var isReturning = false

        static let firstDelay: UInt64 = 1_000_000_000
        static let longestDelay: UInt64 = 60_000_000_000

        mutating func noteFailure(at now: UInt64) {
            retryAt = now &+ retryDelay
            retryDelay = min(retryDelay * 2, Self.longestDelay)
        }

        mutating func noteSuccess() {
            retryAt = 0
            retryDelay = Self.firstDelay
        }
    }

    init(
        identity: JournalStream, openedAt: UInt64, directory: String, disk: Disk, outputs: OutputTable,
        context: [UInt8], shelf: sending Shelf, lock: JournalFile?, options: JournalOptions, system: JournalSystem
    ) {
        self.identity = identity
        self.openedAt = openedAt
        self.directory = directory
        self.disk = disk
        self.options = options
        self.system = system
        // A block of memory is where the journal begins; the first rotation, in `open`, leaves it for a file.
        let header = SegmentHeader(
            stream: identity, salt: system.random(), firstSequence: openedAt + 1, syncedThrough: shelf.syncedThrough,
            createdWall: system.wallNanoseconds(), createdMonotonic: system.monotonicNanoseconds(), boot: system.boot,
            contextVersion: 1, tableVersion: 1, outputs: outputs, context: context)
        let region = Region.inMemory(byteCount: options.memoryBlockBytes, files: system.files)
        let segment = Segment(header: header, storage: .region(region))
        var tail = Tail(
            segment: segment, region: region, sequence: openedAt + 1, outputs: outputs, context: context,
            options: options)
        if case .unavailable(let error) = disk { tail.diskFailure = error }
        var shelf = shelf
        shelf.entries.append(Shelf.Entry(segment: segment, summary: nil, isSynced: false))
        self.tail = Mutex(tail)
        self.shelf = Mutex(shelf)
        upkeep = Mutex(Upkeep(lock: lock))
    }

    deinit {
        shelf.withLock { shelf in
            for cursor in shelf.cursors.values {
                if let file = cursor.file { system.files.close(file) }
            }
        }
        upkeep.withLock { upkeep in
            if let lock = upkeep.lock { system.files.close(lock) }
        }
    }

    /// Where frames go now.
    public var status: Status {
        tail.withLock { tail in
            guard tail.standing.contains(.inMemory) else { return .mapped }
            return .memory(reason: tail.diskFailure?.description ?? "the disk was not writable; it is tried again")
        }
    }

    /// The sequence of the last frame; every later one is higher.
    public var lastSequence: UInt64 {
        tail.withLock { $0.sequence &- 1 }
    }

    /// What the journal has done since it was opened.
    public var counters: JournalCounters {
        let (frames, bytes, inMemory) = tail.withLock { tail in
            let active = tail.standing.contains(.inMemory) ? tail.sequence &- tail.segment.header.firstSequence : 0
            return (tail.sequence &- 1 &- openedAt, tail.totalBytes, active)
        }
        var counters = shelf.withLock { $0.counters }
        counters.appendedFrames = frames
        counters.appendedBytes = bytes
        counters.framesInMemory += inMemory
        return counters
    }

    /// The files, where this process may change them.
    var files: JournalFiles? { presence.load(ordering: .acquiring) == .here ? ownFiles : nil }

    /// The files, also while the directory is let go: nobody else has changed them, or the next `resume` notices.
    var ownFiles: JournalFiles? {
        guard case .available(let files) = disk, presence.load(ordering: .acquiring) != .takenOver else { return nil }
        return files
    }
}
