import DaybookBase
import Dispatch
import Foundation

/// Builds the index behind the records, in slices of a few milliseconds on its own queue and file, so that appends
/// never wait.
///
/// While records arrive, it rests as long as it works, using at most half a core. After a failure, such as a full disk,
/// it retries with the next records. Safe to share between threads.
final class SearchIndexer: Sendable {
    /// Time of a slice. Twice as much is possible, because its last step may start late.
    static let slice: Duration = .milliseconds(10)

    /// State that only the queue uses.
    private final class Parts {
        let records: SQLiteConnection
        var index: (connection: SQLiteConnection, watch: FileWatch, file: FileIdentity?)?
        var reader: ExtentReader?
        var writer: ExtentWriter?
        /// The number of seals when all extents were indexed.
        var settled: Int64?

        init(records: SQLiteConnection) { self.records = records }

        func giveUp() {
            index?.connection.rollBack()
            (reader, writer, settled) = (nil, nil, nil)
        }
    }

    enum Doubt {
        /// It could not be opened, perhaps temporarily.
        case mayBeDamaged
        /// It was opened but could not be read.
        case isDamaged
    }

    private struct Schedule {
        var isScheduled = false
        /// Whether records were erased since the last check for outdated extents.
        var hasErased = false
        var doubt: Doubt?
        /// Extents whose rows in the index were found to be damaged.
        var damaged: Set<Int64> = []
        /// Whether records arrived since the last slice.
        var isBusy = false
        var isClosed = false
        var idle: [CheckedContinuation<Void, Never>] = []
    }

    private let path: String
    private let identity: String
    private let key: HashKey
    private let notices: StoreNotices
    private let parts: Confined<Parts>
    private let schedule = Mutex(Schedule())
    private let queue = DispatchQueue(label: "daybook.store.index", qos: .background)

    /// A failure to open the index is reported, and retried with the next records.
    /// - Parameters:
    ///   - path: The store's path.
    ///   - reserve: Provides space on a full disk.
    /// - Throws: ``StoreError`` if the store cannot be read.
    init(ofStore path: String, identity: String, _ reserve: SpaceReserve, _ notices: StoreNotices) throws(StoreError) {
        (self.path, self.identity, self.notices) = (path, identity, notices)
        key = StoreKey(identity: identity).ofColumns
        let parts = Parts(records: try SQLiteConnection(path: path, access: .readOnly))
        do throws(StoreError) {
            let index = try reserve.opening { () throws(StoreError) in
                try IndexSchema.open(ofStore: path, identity: identity) { Self.tell($0, path, notices) }
            }
            let (indexed, sealed) = (
                try ExtentSeals("segments", index).states, try ExtentSeals("seals", parts.records).states
            )
            let others = indexed.filter { sealed[$0.key] != $0.value }.count
            if others > 0 {
                notices.tell(
                    "\(IndexSchema.path(ofStore: path)): \(others) of \(indexed.count) extents are not of the records as they "
                        + "are now, which were erased from since, or are another copy of the store. They are indexed anew."
                )
            }
            let name = IndexSchema.path(ofStore: path)
            parts.index = (index, FileWatch(ofStore: name), FileIdentity(name))
        } catch {
            notices.tell("The index cannot be opened: \(error.message)")
        }
        self.parts = Confined(parts)
    }

    private static func tell(_ reason: String, _ path: String, _ notices: StoreNotices) {
        notices.tell("\(IndexSchema.path(ofStore: path)) is made anew, for it could not be used: \(reason)")
    }

    /// Notes that records were appended or erased, or that a reader could not use the index.
    func wake(afterErasing: Bool = false, doubt: Doubt? = nil) {
        let mustSchedule = schedule.withLock { schedule in
            if afterErasing { schedule.hasErased = true }
            if let doubt { schedule.doubt = doubt }
            schedule.isBusy = true
            guard !schedule.isScheduled, !schedule.isClosed else { return false }
            schedule.isScheduled = true
            return true
        }
        if mustSchedule { queue.async { self.run() } }
    }

    /// Indexes an extent anew, a part of which could not be read.
    func repair(_ extent: Int64) {
        let isNew = schedule.withLock { $0.damaged.insert(extent).inserted }
        guard isNew else { return }
        notices.tell(
            "\(IndexSchema.path(ofStore: path)): what it has of records \(IndexExtent.range(extent).lower) to "
                + "\(IndexExtent.range(extent).upper - 1) is damaged. It is made anew.")
        wake()
    }

    /// Returns when all complete extents are indexed, or indexing has failed for now.
    func settle() async {
        await withCheckedContinuation { done in
            schedule.withLock { $0.idle.append(done) }
            wake()
        }
    }

    /// Empties the index's log, if erased values are out of the index and no reader needs an older snapshot.
    /// - Returns: Whether it is empty.
    func emptyLog() async -> Bool {
        await withCheckedContinuation { done in
            queue.async {
                let hasErased = self.schedule.withLock { $0.hasErased }
                let isClean = !hasErased && self.parts.value.settled != nil
                guard let index = self.parts.value.index else {
                    // Without an index file, no erased values are in it.
                    return done.resume(returning: FileIdentity(IndexSchema.path(ofStore: self.path)) == nil)
                }
                done.resume(returning: isClean && (try? index.connection.emptyLog()) == true)
            }
        }
    }

    func close() { schedule.withLock { $0.isClosed = true } }

    /// Also closes the file before it returns, so that it cannot overwrite later changes.
    func closeFile() async {
        close()
        await withCheckedContinuation { done in
            queue.async {
                self.parts.value.giveUp()
                self.parts.value.index = nil
                done.resume()
            }
        }
    }

    private func run() {
        let clock = ContinuousClock()
        let start = clock.now
        var hasMore = schedule.withLock { !$0.isClosed }
        do throws(StoreError) {
            let index = hasMore ? try openIndex() : nil
            while hasMore, let index, clock.now - start < Self.slice { hasMore = try step(index) }
        } catch {
            // The index only speeds up reading; a failure is retried with the next records.
            parts.value.giveUp()
            if !error.isLocked { notices.tell("The index cannot be written: \(error.message)") }
            hasMore = false
        }
        let time = clock.now - start
        let next: (goesOn: Bool, isBusy: Bool, idle: [CheckedContinuation<Void, Never>]) = schedule.withLock {
            schedule in
            let isBusy = schedule.isBusy
            schedule.isBusy = false
            let goesOn = (hasMore || isBusy) && !schedule.isClosed
            schedule.isScheduled = goesOn
            // The slice may have missed what arrived during it.
            let isIdle = !hasMore && !(isBusy && goesOn)
            defer { if isIdle { schedule.idle = [] } }
            return (goesOn, isBusy, isIdle ? schedule.idle : [])
        }
        for waiting in next.idle { waiting.resume() }
        guard next.goesOn else { return }
        let rest = next.isBusy ? Int(time / .microseconds(1)) : 0
        queue.asyncAfter(deadline: .now() + .microseconds(rest)) { self.run() }
    }

    /// The index, reopened or rebuilt if its file is missing, replaced or unreadable.
    private func openIndex() throws(StoreError) -> SQLiteConnection {
        let doubt = schedule.withLock { schedule in
            defer { schedule.doubt = nil }
            return schedule.doubt
        }
        let name = IndexSchema.path(ofStore: path)
        if let index = parts.value.index {
            let isDamaged =
                switch doubt {
                case nil: false
                case .mayBeDamaged: (try? IndexSchema.openForReading(ofStore: path, identity: identity)) == nil
                case .isDamaged: true
                }
            if index.watch.isIntact, !isDamaged { return index.connection }
            parts.value.giveUp()
            index.connection.leave()
            parts.value.index = nil
            if isDamaged || FileIdentity(name) == index.file {
                // A file that opens may still lack a page or its log.
                notices.tell("\(name) is made anew, for it could not be read, or its log is gone.")
                for file in [name, name + "-wal", name + "-shm"] where FileIdentity(file) != nil { unlink(file) }
            } else {
                notices.tell(
                    "\(name) was deleted, moved or replaced. It is made anew where it is no index of this store.")
            }
        }
        let index = try IndexSchema.open(ofStore: path, identity: identity) { Self.tell($0, path, notices) }
        parts.value.index = (index, FileWatch(ofStore: name), FileIdentity(name))
        return index
    }

    /// Reads a block or writes a batch; returns whether there is more to do.
    private func step(_ index: SQLiteConnection) throws(StoreError) -> Bool {
        let parts = parts.value
        if parts.writer != nil {
            // In place: a copy of the gathered data would cost more than the step.
            if try parts.writer?.step(index) == true { parts.writer = nil }
        } else if parts.reader != nil {
            guard try parts.reader?.step(parts.records) == true else { return true }
            parts.writer = parts.reader?.writer
            parts.reader = nil
        } else {
            let damaged = schedule.withLock { schedule in
                defer { schedule.damaged = [] }
                return schedule.damaged
            }
            for extent in damaged {
                try index.transaction { () throws(StoreError) in try ExtentWriter.clear(extent, index) }
                parts.settled = nil
            }
            // Most appends complete no extent; then there is nothing to compare.
            let complete = try parts.records.integer("SELECT count(*) FROM seals") ?? 0
            let hasErased = schedule.withLock { schedule in
                defer { schedule.hasErased = false }
                return schedule.hasErased
            }
            guard hasErased || complete != parts.settled else { return false }
            let duty = IndexDuty.next(
                sealed: try ExtentSeals("seals", parts.records).states,
                indexed: try ExtentSeals("segments", index).states)
            parts.settled = nil
            switch duty {
            case .remove(let extent):
                try index.transaction { () throws(StoreError) in try ExtentWriter.clear(extent, index) }
            case .gather(let extent, let seal): parts.reader = ExtentReader(extent: extent, seal: seal, key)
            case nil: parts.settled = complete
            }
            return duty != nil
        }
        return true
    }
}
