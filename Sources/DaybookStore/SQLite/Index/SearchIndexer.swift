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

/// Reads a segment's records block by block.
private struct SegmentGathering {
    private let segment: Int64
    private let version: Int64
    private var block: Int64 = 0
    private var summary = IndexSummary()

    private init(segment: Int64, version: Int64) {
        self.segment = segment
        self.version = version
    }

    /// Of the first `complete` segments the oldest that is not indexed as it is now; `nil` where all are.
    /// - Throws: ``StoreError``.
    static func next(
        complete: Int64, _ records: SQLiteConnection, _ index: SQLiteConnection
    ) throws(StoreError) -> SegmentGathering? {
        var changes: [Int64: Int64] = [:]
        let changed = try records.statement("SELECT segment, version FROM changes")
        defer { changed.reset() }
        while try changed.step() { changes[changed.integer(0)] = changed.integer(1) }
        var indexed: [Int64: Int64] = [:]
        let known = try index.statement("SELECT segment, version FROM segments")
        defer { known.reset() }
        while try known.step() { indexed[known.integer(0)] = known.integer(1) }
        let outdated = indexed.filter { (0..<complete).contains($0.key) && $0.value != changes[$0.key] ?? 0 }.keys.min()
        let missing = try missing(in: indexed, complete: complete, records)
        guard let segment = [outdated, missing].compactMap(\.self).min() else { return nil }
        return SegmentGathering(segment: segment, version: changes[segment] ?? 0)
    }

    /// The first complete segment that has records and is not indexed; wide gaps between records cost nothing.
    private static func missing(
        in indexed: [Int64: Int64], complete: Int64, _ records: SQLiteConnection
    ) throws(StoreError) -> Int64? {
        var segment: Int64 = 0
        while segment < complete {
            if indexed[segment] == nil {
                guard let first = try records.firstArrival(from: segment * IndexSegment.size) else { return nil }
                segment = IndexSegment.number(of: first)
                if indexed[segment] == nil { return segment < complete ? segment : nil }
            }
            segment += 1
        }
        return nil
    }

    /// Reads the next block. Whether it was the last one.
    mutating func step(_ records: SQLiteConnection) throws(StoreError) -> Bool {
        let statement = try records.statement(
            "SELECT \(IndexSummary.columns) FROM stored_records WHERE id >= ? AND id < ? ORDER BY id")
        defer { statement.reset() }
        let start = segment * IndexSegment.size + block * IndexSegment.blockSize
        statement.bind(1, start)
        statement.bind(2, start + IndexSegment.blockSize)
        var arrivals = ArrivalReading(records)
        while try statement.step() {
            try summary.add(statement, &arrivals) { stored throws(StoreError) in
                try ContextTable.context(of: stored, records)
            }
        }
        block += 1
        return block == IndexSegment.size / IndexSegment.blockSize
    }

    /// What is to be written.
    var writing: SegmentWriting { SegmentWriting(summary, segment: segment, version: version) }
}
