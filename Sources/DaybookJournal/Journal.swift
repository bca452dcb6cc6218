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

    /// Names the frames that this launch writes.
    public let identity: JournalStream
    /// The last sequence of earlier launches.
    public let openedAt: UInt64
    /// Where the files are: the directory given at the open, or a sub-directory if another process has that.
    public var directory: String { location.path }
    /// The options, with every value brought inside its range.
    public let options: JournalOptions

    let location: JournalDirectory
    /// What every checksum of this launch's frames begins with.
    let salt: UInt64
    // Each guards its own state. The order in which their locks are taken: upkeep, end, log, shelf.
    let upkeep: Mutex<Upkeep>
    @usableFromInline let end: RingEnd
    let log: LogWriter
    let shelf: Shelf
    let isEnded = Atomic(false)

    package var system: JournalSystem { location.system }

    /// What an open has found in a directory.
    struct Opening {
        let location: JournalDirectory
        let contents: ShelfContents
        let journal: JournalID
        /// The last sequence of earlier launches.
        var last: UInt64 = 0
        var lock: JournalFile?
        /// Rings of earlier launches whose frames are in memory.
        var oldRings: [String] = []
    }

    init(_ opening: Opening, outputs: OutputTable, context: [UInt8], options: JournalOptions) {
        location = opening.location
        let system = location.system
        identity = JournalStream(journal: opening.journal, epoch: system.random())
        openedAt = opening.last
        self.options = options
        salt = system.random()
        // Plain memory is where a journal begins; `open` leaves it for a file.
        var contents = opening.contents
        let ring = contents.ring.ring
        contents.ring.replace(by: ring, sequence: openedAt + 1)
        shelf = Shelf(contents, identity: identity, salt: salt, options: options)
        log = LogWriter(shelf, location, options)
        let tail = Tail(
            ring: ring, stream: identity, salt: salt, sequence: openedAt + 1, outputs: outputs, context: context,
            options: options)
        end = RingEnd(tail, shelf, log, options, system)
        upkeep = Mutex(Upkeep(lock: opening.lock, oldRings: opening.oldRings))
    }

    deinit {
        // Closing a file that was inherited would release the parent's lock.
        if location.isParents { return }
        upkeep.withLock { upkeep in
            if let lock = upkeep.lock { system.files.close(lock) }
        }
    }

    /// Where frames go now.
    public var status: Status {
        let reason = shelf.diskFailure?.description
        if end.isInMemory { return .memory(reason: reason ?? "the disk was not writable; the journal keeps trying") }
        return reason.map { .waiting(reason: $0) } ?? .mapped
    }

    /// The sequence of the last frame; every later one is higher.
    public var lastSequence: UInt64 { end.progress.sequence }

    /// What the journal has done since it was opened.
    public var counters: JournalCounters {
        let progress = end.progress
        var counters = shelf.counters
        counters.appendedFrames = progress.sequence &- openedAt
        counters.appendedBytes = progress.bytes
        counters.framesInMemory += end.framesInMemory
        return counters
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
            var contents = ShelfContents(
                JournalDirectory(directory, opened: nil, system: system), outputs: table, options: options)
            contents.fail(with: error)
            journal = Journal(
                Opening(location: contents.directory, contents: contents, journal: system.randomID()), outputs: table,
                context: context, options: options)
        }
        journal.begin(table, isContextTaken: isContextTaken)
        return journal
    }

    /// The journal of a directory that this process has locked.
    static func recover(
        _ files: JournalFiles, _ lock: JournalFile, _ table: OutputTable, context: [UInt8], options: JournalOptions,
        system: JournalSystem
    ) throws(JournalFileError) -> Journal {
        let location = JournalDirectory(files.directory, opened: files, system: system)
        let recovery = Recovery(files, location, outputs: table, options: options)
        do throws(JournalFileError) {
            try recovery.run()
        } catch {
            system.files.close(lock)
            throw error
        }
        return Journal(
            Opening(
                location: location, contents: recovery.shelf, journal: recovery.journal, last: recovery.lastSequence,
                lock: lock, oldRings: recovery.oldRings),
            outputs: table, context: context, options: options)
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
        if !isContextTaken { shelf.count { $0.refusedContexts += 1 } }
        if location.files != nil, !moveToFile() {
            upkeep.withLock { $0.noteFailure(at: system.monotonicNanoseconds()) }
        }
        shelf.adopt(table, head: openedAt)
        signLock()
    }

    /// Goes on in a mapped ring, with the frames that the log lacks. Returns whether it could.
    func moveToFile() -> Bool {
        guard let files = location.files, let header = shelf.ringHeader() else { return false }
        do throws(JournalFileError) {
            let ring = try Ring.mapped(
                at: files.path(JournalFiles.ring), header: header, capacity: options.ringBytes, files: system.files)
            shelf.markDirectoryDirty()
            end.move(to: ring)
            return true
        } catch {
            shelf.fail(with: error)
            return false
        }
    }
}
