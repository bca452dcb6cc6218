import DaybookBase

/// A journal: frames of bytes in a directory, which survive the death of the process that wrote them.
///
/// A frame whose `append` returned is in the ring, a mapped file of fixed size; `housekeep` copies it to the log, segment
/// files that are only ever appended to, and syncs those. It is read by each output, at the output's own pace, from the
/// ring while it is there and from the log later; a segment that every output has passed is removed. Where there is no
/// disk, the ring is plain memory, and `status` and the counters say so. Knows nothing of what the frames mean.
///
/// Safe to use from any thread. `append` and `updateContext` take one short lock; `housekeep`, `sync` and `close` do
/// slow work and belong on one background thread. The format is specified in `docs/formats/journal.md`.
public final class Journal: Sendable {
    /// Where frames go now.
    public enum Status: Sendable, Equatable {
        /// Into the mapped ring, where they survive a kill, and from there to the log.
        case mapped
        /// Into the mapped ring alone, which is small, since the log cannot be written; and why.
        case waiting(reason: String)
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
    /// What every checksum of this launch's frames begins with.
    let salt: UInt64
    private let disk: Disk
    // The order in which locks are taken: upkeep, tail, log, shelf.
    let upkeep: Mutex<Upkeep>
    @usableFromInline let tail: Mutex<Tail>
    let log = Mutex(LogWriter())
    let shelf: Mutex<Shelf>
    let presence = Atomic(Presence.here)
    /// Whether a frame that may take the place of older ones waits for the log.
    let isUrgent = Atomic(false)
    let isEnded = Atomic(false)
    /// Whether somebody seems to have removed or touched a segment: the next housekeeping looks.
    let isFileMissed = Atomic(false)

    /// Schedules of the slow work. Its mutex is held while files are synced.
    struct Upkeep: Sendable {
        /// Holds the directory; released by `close`.
        var lock: JournalFile?
        /// How the file with the journal's id was left.
        var identityMark: FileMark?
        /// When unsynced bytes were first seen.
        var dirtySince: UInt64?
        /// Not before this may a failed sync or a failed disk be tried again.
        var retryAt: UInt64 = 0
        var retryDelay: UInt64 = Upkeep.firstDelay
        /// Journals of dead writers, from which records are still to be taken.
        var orphans: [Orphan] = []
        /// Rings of earlier launches whose frames are in memory, until a file has them.
        var oldRings: [String] = []
        /// Whether a directory that was let go is to be had again.
        var isReturning = false
        /// Through where the pages of the ring of a generation are ready.
        var warmed: (generation: Int, position: Int) = (0, 0)

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
        context: [UInt8], shelf: sending Shelf, lock: JournalFile?, oldRings: [String], options: JournalOptions,
        system: JournalSystem
    ) {
        self.identity = identity
        self.openedAt = openedAt
        self.directory = directory
        self.disk = disk
        self.options = options
        self.system = system
        salt = system.random()
        // Plain memory is where a journal begins; `open` leaves it for a file.
        let ring = shelf.ring.ring
        let tail = Tail(
            ring: ring, salt: salt, sequence: openedAt + 1, outputs: outputs, context: context, options: options)
        var shelf = shelf
        shelf.ring.replace(by: ring, sequence: openedAt + 1)
        if case .unavailable(let error) = disk { shelf.diskFailure = error }
        self.tail = Mutex(tail)
        self.shelf = Mutex(shelf)
        upkeep = Mutex(Upkeep(lock: lock, oldRings: oldRings))
        self.tail.withLock { beginState($0) }
        presence.setInChildren(.parents)
    }

    deinit {
        presence.forgetInChildren()
        // To close a file that was inherited would let go of the parent's lock.
        if presence.load(ordering: .relaxed) == .parents { return }
        upkeep.withLock { upkeep in
            if let lock = upkeep.lock { system.files.close(lock) }
        }
    }

    /// Where frames go now.
    public var status: Status {
        let isInMemory = tail.withLock { $0.standing.contains(.inMemory) }
        let reason = shelf.withLock { $0.diskFailure?.description }
        if isInMemory { return .memory(reason: reason ?? "the disk was not writable; the journal keeps trying") }
        return reason.map { .waiting(reason: $0) } ?? .mapped
    }

    /// The sequence of the last frame; every later one is higher.
    public var lastSequence: UInt64 {
        tail.withLock { $0.sequence &- 1 }
    }

    /// What the journal has done since it was opened.
    public var counters: JournalCounters {
        let (frames, bytes, inMemory) = tail.withLock { tail in
            let active = tail.standing.contains(.inMemory) ? tail.sequence &- tail.memorySince : 0
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
        guard case .available(let files) = disk else { return nil }
        return switch presence.load(ordering: .acquiring) {
        case .here, .away: files
        case .takenOver, .parents: nil
        }
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
            let ring = Ring.inMemory(capacity: options.ringBytes, files: system.files)
            var shelf = Shelf(ring: RingShelf(ring, sequence: 1), outputs: table, backfill: options.backfill)
            shelf.counters.note(error)
            journal = Journal(
                identity: JournalStream(journal: system.randomID(), epoch: system.random()), openedAt: 0,
                directory: directory, disk: .unavailable(error), outputs: table, context: context, shelf: shelf,
                lock: nil, oldRings: [], options: options, system: system)
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
            context: context, shelf: recovery.shelf, lock: lock, oldRings: recovery.oldRings, options: options,
            system: system)
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

    /// Leaves memory for the mapped ring, and places the cursors.
    private func begin(_ table: OutputTable, isContextTaken: Bool) {
        if !isContextTaken { shelf.withLock { $0.counters.refusedContexts += 1 } }
        if files != nil, !moveToFile() {
            upkeep.withLock { $0.noteFailure(at: system.monotonicNanoseconds()) }
        }
        adoptOutputs(table, head: openedAt)
        signLock()
    }

    /// Goes on in a mapped ring, with the frames that the log lacks. Returns whether it could.
    func moveToFile() -> Bool {
        guard let files else { return false }
        do throws(JournalFileError) {
            let header = shelf.withLock { shelf in
                shelf.states.state(of: shelf.ring.written.sequence).map {
                    self.header($0, first: shelf.ring.written.sequence, shelf)
                }
            }
            guard let header else { return false }
            let ring = try Ring.mapped(
                at: files.path(JournalFiles.ring), header: header, capacity: options.ringBytes, files: system.files)
            shelf.withLock { $0.isDirectoryDirty = true }
            move(to: ring)
            return true
        } catch {
            shelf.withLock { shelf in
                shelf.diskFailure = error
                shelf.counters.note(error)
            }
            return false
        }
    }

    /// Goes on in another ring, with a copy of the frames that the log lacks.
    func move(to ring: Ring) {
        tail.withLock { tail in
            log.withLock { _ in
                shelf.withLock { shelf in
                    let old = shelf.ring
                    var (position, offset) = (old.written.position, 0)
                    while let frame = old.ring.frame(at: &position) {
                        // Of one capacity, and without the ends of laps: there is room.
                        (ring.base + offset).copyMemory(from: old.ring.address(position), byteCount: frame.length)
                        position = frame.end
                        offset += frame.end - frame.offset
                        (ring.base + offset).clearLength()
                    }
                    if tail.standing.contains(.inMemory), ring.file != nil {
                        shelf.counters.framesInMemory += tail.sequence &- tail.memorySince
                    }
                    shelf.ring.replace(by: ring, sequence: old.written.sequence)
                    tail.move(to: ring, offset: offset)
                }
            }
        }
    }
}
