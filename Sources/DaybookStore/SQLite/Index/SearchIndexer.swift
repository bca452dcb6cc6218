import Dispatch
import Synchronization

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

        init(records: SQLiteConnection, index: SQLiteConnection) {
            self.records = records
            self.index = index
        }
    }

    private struct Schedule {
        var isScheduled = false
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

    /// Tells that records were appended or erased.
    func wake() {
        let mustSchedule = schedule.withLock { schedule in
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
            parts.gathering = try SegmentGathering.next(parts.records, parts.index)
            return parts.gathering != nil
        }
        return true
    }
}
