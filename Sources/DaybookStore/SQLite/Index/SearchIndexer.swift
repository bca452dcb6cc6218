import DaybookBase
import Dispatch

/// Keeps the index behind the records: one segment after the other, in slices of a few milliseconds, on a queue of its
/// own and in a file of its own, so that appends never wait for it.
///
/// Between slices it rests as long as it worked while records keep coming, so that it takes at most half of a core from
/// them. What it fails at (a full disk) it tries again with the next records. Safe to share between threads.
final class SearchIndexer: Sendable {
    /// How long it works at a stretch: twice this is the most, for the last step of a slice may be begun late.
    static let slice: Duration = .milliseconds(10)

    /// What the queue alone uses.
    private final class Parts {
        /// Reads the store.
        let records: SQLiteConnection
        let index: SQLiteConnection
        var gathering: SegmentGathering?
        var writing: SegmentWriting?
        /// How many segments were complete when all of them were indexed.
        var settled: Int64?

        init(records: SQLiteConnection, index: SQLiteConnection) {
            self.records = records
            self.index = index
        }
    }

    private struct Schedule {
        var isScheduled = false
        /// Whether records were erased since the last look for outdated segments.
        var hasErased = false
        /// Whether appends came since the last slice.
        var isBusy = false
        var isClosed = false
        var idle: [CheckedContinuation<Void, Never>] = []
    }

    private let parts: Confined<Parts>
    private let schedule = Mutex(Schedule())
    private let queue = DispatchQueue(label: "daybook.store.index", qos: .background)

    /// - Parameters:
    ///   - records: a reading connection to the store.
    ///   - index: the writing connection to its index.
    init(records: sending SQLiteConnection, index: sending SQLiteConnection) {
        parts = Confined(Parts(records: records, index: index))
    }

    /// Tells that records were appended, or erased.
    func wake(afterErasing: Bool = false) {
        let mustSchedule = schedule.withLock { schedule in
            if afterErasing { schedule.hasErased = true }
            schedule.isBusy = true
            guard !schedule.isScheduled, !schedule.isClosed else { return false }
            schedule.isScheduled = true
            return true
        }
        if mustSchedule { queue.async { self.run() } }
    }

    /// Returns when all complete segments are indexed, or nothing more can be done about it now.
    func settle() async {
        await withCheckedContinuation { done in
            schedule.withLock { $0.idle.append(done) }
            wake()
        }
    }

    /// Empties the index's log, where what was erased is out of the index and nobody reads an older state.
    /// - Returns: whether it is empty.
    func emptyLog() async -> Bool {
        await withCheckedContinuation { done in
            queue.async {
                let hasErased = self.schedule.withLock { $0.hasErased }
                let isClean = !hasErased && self.parts.value.settled != nil
                done.resume(returning: isClean && (try? self.parts.value.index.emptyLog()) == true)
            }
        }
    }

    /// Works no more after the slice under way.
    func close() { schedule.withLock { $0.isClosed = true } }

    private func run() {
        let clock = ContinuousClock()
        let start = clock.now
        var hasMore = true
        do throws(StoreError) {
            while hasMore, clock.now - start < Self.slice { hasMore = try step() }
        } catch {
            // The index only makes reading faster; what failed is tried again with the next records.
            parts.value.gathering = nil
            parts.value.writing = nil
            parts.value.settled = nil
            hasMore = false
        }
        let time = clock.now - start
        let next: (goesOn: Bool, isBusy: Bool, idle: [CheckedContinuation<Void, Never>]) = schedule.withLock {
            schedule in
            let isBusy = schedule.isBusy
            schedule.isBusy = false
            let goesOn = (hasMore || isBusy) && !schedule.isClosed
            schedule.isScheduled = goesOn
            defer { if !hasMore { schedule.idle = [] } }
            return (goesOn, isBusy, hasMore ? [] : schedule.idle)
        }
        for waiting in next.idle { waiting.resume() }
        guard next.goesOn else { return }
        let rest = next.isBusy ? Int(time / .microseconds(1)) : 0
        queue.asyncAfter(deadline: .now() + .microseconds(rest)) { self.run() }
    }

    /// One block read, or one transaction written. Whether there is more to do.
    private func step() throws(StoreError) -> Bool {
        let parts = parts.value
        if parts.writing != nil {
            // In place: a copy of what is gathered would cost more than the step.
            if try parts.writing?.step(parts.index) == true { parts.writing = nil }
        } else if parts.gathering != nil {
            guard try parts.gathering?.step(parts.records) == true else { return true }
            parts.writing = parts.gathering?.writing
            parts.gathering = nil
        } else {
            // Most appends complete no segment: then there is nothing to compare.
            let complete = (try parts.records.lastArrival() + 1) / IndexSegment.size
            let hasErased = schedule.withLock { schedule in
                defer { schedule.hasErased = false }
                return schedule.hasErased
            }
            guard hasErased || complete != parts.settled else { return false }
            parts.gathering = try SegmentGathering.next(complete: complete, parts.records, parts.index)
            parts.settled = parts.gathering == nil ? complete : nil
            return parts.gathering != nil
        }
        return true
    }
}
