import Synchronization

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
    func begin(_ table: OutputTable, isContextTaken: Bool) {
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
