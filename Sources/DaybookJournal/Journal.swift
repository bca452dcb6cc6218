import DaybookBase

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
    private let disk: Disk
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

        private static let firstDelay: UInt64 = 1_000_000_000
        private static let longestDelay: UInt64 = 60_000_000_000

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

extension Journal {
    /// How many processes can write below one directory at a time.
    static let maximumWriters = 16

    /// Opens the journal of a directory, or begins one. Never fails: what is damaged on disk is stepped over, put aside
    /// and counted, and where the directory cannot be used at all, the journal lives in memory for this launch
    /// (`status` says why).
    ///
    /// One process at a time writes in a directory; while another has it, this one gets the sub-directory `writer-2`,
    /// and so on: a journal of its own, with its own identity and cursors. Who has the directory itself takes over,
    /// by and by in `housekeep`, what such writers left when they died.
    ///
    /// - Parameters:
    ///   - directory: made if it is missing. One journal each.
    ///   - outputs: the unique ids of the outputs; an output's place in the list is its bit in masks. At most 64 count.
    ///   - context: the context of the first frames; one that is too long (a sixteenth of a segment, 16 KiB) is left
    ///     out and counted.
    ///   - system: files, clocks and randomness; the machine's own by default.
    public static func open(
        directory: String, outputs: [String], context: [UInt8] = [], options: JournalOptions = JournalOptions(),
        system: JournalSystem = .live
    ) -> Journal {
        let options = options.normalised
        let table = OutputTable(outputs)
        let isContextTaken = context.count <= options.maximumContextBytes
        let context = isContextTaken ? context : []
        let journal: Journal
        do throws(JournalFileError) {
            let (files, lock) = try claim(directory, system.files)
            journal = try recover(files, lock, table, context: context, options: options, system: system)
            // The directory's holder alone looks for what others left, so that two never do.
            if files.directory == directory { journal.findOrphans() }
        } catch {
            var shelf = Shelf(outputs: table, backfill: options.backfill)
            shelf.counters.note(error)
            journal = Journal(
                identity: JournalStream(journal: system.randomID(), epoch: system.random()), openedAt: 0,
                directory: directory, disk: .unavailable(error), outputs: table, context: context, shelf: shelf,
                lock: nil, options: options, system: system)
        }
        journal.begin(table, isContextTaken: isContextTaken)
        return journal
    }

    /// The journal of a directory that this process has locked.
    static func recover(
        _ files: JournalFiles, _ lock: JournalFile, _ table: OutputTable, context: [UInt8], options: JournalOptions,
        system: JournalSystem
    ) throws(JournalFileError) -> Journal {
        let recovery = Recovery(files: files, outputs: table, options: options, system: system)
        do throws(JournalFileError) {
            try recovery.run()
        } catch {
            system.files.close(lock)
            throw error
        }
        return Journal(
            identity: JournalStream(journal: recovery.journal, epoch: system.random()),
            openedAt: recovery.lastSequence, directory: files.directory, disk: .available(files), outputs: table,
            context: context, shelf: recovery.shelf, lock: lock, options: options, system: system)
    }

    /// The first directory whose lock is free.
    private static func claim(_ directory: String, _ system: any JournalFileSystem)
        throws(JournalFileError) -> (JournalFiles, JournalFile)
    {
        for number in 1...maximumWriters {
            let parent = JournalFiles(directory: directory)
            let files = number == 1 ? parent : JournalFiles(directory: parent.writer(number))
            try system.createDirectory(files.directory)
            if let lock = try claim(files, system) { return (files, lock) }
        }
        throw JournalFileError(.lock, directory, code: SystemCode.busy)
    }

    /// The directory's lock; `nil` if another has it.
    static func claim(_ files: JournalFiles, _ system: any JournalFileSystem) throws(JournalFileError) -> JournalFile? {
        let lock = try system.open(files.lock, .readWriteCreating)
        do throws(JournalFileError) {
            if try system.lock(lock) { return lock }
        } catch {
            system.close(lock)
            throw error
        }
        system.close(lock)
        return nil
    }

    /// Leaves the first block of memory for a file, and places the cursors.
    private func begin(_ table: OutputTable, isContextTaken: Bool) {
        if !isContextTaken { shelf.withLock { $0.counters.refusedContexts += 1 } }
        if files != nil {
            tail.withLock { tail in
                _ = rotate(&tail)
                if options.spareSegments > 0 { tail.standing.insert(.sparesLow) }
            }
            shelf.withLock { shelf in
                shelf.counters.rotations = 0
                shelf.counters.allocationsByWriter = 0
            }
        }
        adoptOutputs(table, head: openedAt)
        signLock()
    }
}
