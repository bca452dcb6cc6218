import DaybookBase

/// A journal: frames of bytes in a directory, which survive the death of the process.
///
/// A frame is in the ring, a mapped file of fixed size, when `append` returns. `housekeep` copies it to the log,
/// append-only segment files, and syncs those. Each output reads at its own pace, from the ring or later from the log.
/// A segment that every output has passed is removed. Without a usable directory the ring is plain memory, as `status`
/// and the counters say. The journal does not interpret the frames.
///
/// Thread-safe. `append` and `updateContext` take one short lock. `housekeep`, `sync` and `close` are slow and belong
/// on one background thread. The format is specified in `docs/formats/journal.md`.
public final class Journal: Sendable {
    public enum Status: Sendable, Equatable {
        /// The mapped ring, which survives a kill, and then the log.
        case mapped
        /// The mapped ring only, which is small: the log cannot be written.
        case waiting(reason: String)
        /// Memory, which does not survive a kill.
        case memory(reason: String)
    }

    /// Identifies the frames of this launch.
    public let identity: JournalStream
    /// The last sequence of earlier launches.
    public let openedAt: UInt64
    /// The directory given to `open`, or a subdirectory if another process holds that.
    public var directory: String { location.path }
    /// With every value in its range.
    public let options: JournalOptions

    let location: JournalDirectory
    let salt: UInt64
    // Each guards its own state. Lock order: upkeep, end, log, shelf.
    let upkeep: Mutex<Upkeep>
    @usableFromInline let end: RingEnd
    let log: LogWriter
    let shelf: Shelf
    let isEnded = Atomic(false)

    package var system: JournalSystem { location.system }

    struct Opening {
        let location: JournalDirectory
        let contents: ShelfContents
        let journal: JournalID
        var last: UInt64 = 0
        var lock: JournalFile?
        var oldRings: [String] = []
    }

    init(_ opening: Opening, outputs: OutputTable, context: [UInt8], options: JournalOptions) {
        location = opening.location
        let system = location.system
        identity = JournalStream(journal: opening.journal, epoch: system.random())
        openedAt = opening.last
        self.options = options
        salt = system.random()
        // The journal starts in memory; `open` then moves it to a file.
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
        // Closing an inherited file would release the parent's lock.
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

    /// The last frame's sequence. Later frames have higher ones.
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
    static let maximumWriters = 16

    /// Opens a directory's journal, or creates it. Never fails: damage is skipped, set aside and counted. If the
    /// directory is unusable, the journal lives in memory for this launch, and `status` says why.
    ///
    /// One process at a time writes in a directory. Further ones get subdirectories, from `writer-2` on: journals of
    /// their own, with their own identity and cursors. The holder of the main directory adopts in `housekeep` what dead
    /// writers left there.
    ///
    /// - Parameters:
    ///   - directory: Created if missing. One journal each.
    ///   - outputs: The outputs' unique ids. An output's index is its bit in masks. At most 64 count.
    ///   - context: The first frames' context. One over a sixteenth of a segment or 16 KiB is left out and counted.
    ///   - system: Files, clocks and randomness; default: the machine's own.
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
            // Only the main directory's holder looks for orphans, so that two processes never adopt the same one.
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

    /// Recovers a directory whose lock this process holds.
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

    /// `nil` if another process has the lock.
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

    /// Moves from memory to the mapped ring, and places the cursors.
    private func begin(_ table: OutputTable, isContextTaken: Bool) {
        if !isContextTaken { shelf.count { $0.refusedContexts += 1 } }
        upkeep.withLock { upkeep in
            guard location.files != nil else { return }
            // A ring that could not be renamed keeps its place until segments have its frames.
            if upkeep.oldRings.contains(JournalFiles.ring) || !moveToFile() {
                upkeep.noteFailure(at: system.monotonicNanoseconds())
            }
        }
        shelf.adopt(table, head: openedAt)
        signLock()
    }

    /// Moves to a mapped ring, with the frames that the log lacks. Returns whether it could.
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
