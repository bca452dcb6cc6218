import DaybookStore

/// Stores the batches of one commit after another. Belongs to the thread of the commit queue.
///
/// A commit writes to the tables of one node, and the next commit to those of the next: so each makes few and large
/// parts, and no server parses rows only to send them on. What it asks, it asks all nodes; or where shards have replicas
/// its own, which has the claims of all.
final class ClickHouseInsertion {
    /// How often a commit is begun anew, because another one had claimed its arrival numbers, or larger
    /// ones, or stored its records.
    private static let attempts = 8
    /// Bytes of uids in one question, whose text may have 256 KiB.
    private static let askedBytes = 100_000
    /// How long a commit may take until no other node is tried.
    private static let patience: Duration = .seconds(10)

    let session: ClickHouseSession
    private let common: CommonTables
    private let claims: ClaimTable
    /// Tells this store's commits from those of other collectors, and of this one's lives before.
    private let name: UInt64
    private var commits = 0
    private var numbers: ArrivalNumbers
    private var known = KnownStreams()

    init(_ session: ClickHouseSession, _ dialect: ClickHouseDialect, name: UInt64) {
        self.session = session
        self.name = name
        numbers = ArrivalNumbers(name: name)
        common = CommonTables(session: session, writing: dialect.writing)
        claims = ClaimTable(common)
    }

    /// Stores batches, all or none. A commit in the midst of which its node dies is begun anew on the next: as batches that
    /// come again are.
    /// - Throws: ``CommitFailure``.
    func commit(_ batches: [RecordBatch]) throws(CommitFailure) -> [AppendResult] {
        let end = ContinuousClock.now + Self.patience
        var nodes = session.address.nodes.count
        while true {
            session.moveOn()
            do throws(ClickHouseError) {
                return try insert(batches)
            } catch {
                nodes -= 1
                guard error.isOfNode, nodes > 0, ContinuousClock.now < end else {
                    throw CommitFailure(error.ofStore, mayBeOfOneBatch: error.isOfContent)
                }
            }
        }
    }

    private func insert(_ batches: [RecordBatch]) throws(ClickHouseError) -> [AppendResult] {
        let present = try present(in: batches)
        for _ in 0..<Self.attempts {
            var plan = CommitPlan(batches, known: known.settled, present: present)
            let commit = nextCommit()
            if plan.rowCount > 0 {
                let firstID = try number(&plan)
                let rows = EncodedRows(plan)
                try claims.write(plan, commit: commit, .open)
                let others = try claims.others(beside: plan, from: firstID, commit: commit)
                numbers.look(newest: others.newest)
                switch plan.verdict(on: others, commit: commit) {
                case .giveWay:
                    try claims.write(plan, commit: commit, .void)
                    known.add(others.settled)
                    continue
                case .store(let contests):
                    try write(contests)
                    try store(rows.take(), of: plan, commit: commit)
                }
            }
            try claims.write(plan, commit: commit, .done)
            known.add(plan.settled)
            return plan.results
        }
        throw ClickHouseError(
            reason: .unreached,
            message: "ClickHouse: other collectors kept claiming the same arrival numbers, or storing the same records."
        )
    }

    /// Stores the rows of a claim. Where the server refuses them for what they say, it has none, and the claim is taken back:
    /// readers wait for an open one.
    private func store(_ rows: [UInt8], of plan: CommitPlan, commit: String) throws(ClickHouseError) {
        do throws(ClickHouseError) {
            try session.run("INSERT INTO stored_records \(StoredRow.insertion)", body: rows, settings: common.writing)
        } catch {
            // That the claim cannot be taken back either only makes readers wait as for a collector that died.
            if error.isOfContent { try? claims.write(plan, commit: commit, .void) }
            throw error
        }
    }

    /// Which records of imports are in the store. What another collector stores meanwhile is not seen: records of streams
    /// are known by their claims, and of others two rows may remain.
    private func present(in batches: [RecordBatch]) throws(ClickHouseError) -> PresentRecords {
        var rest = batches.filter(\.isImport).flatMap(\.rows)[...]
        var present = PresentRecords(isAsked: !rest.isEmpty)
        var contexts = ContextFieldsCache()
        while !rest.isEmpty {
            var length = 0
            let short = rest.prefix { row in
                length += row.uid.utf8.count + 3
                return length < Self.askedBytes
            }
            let some = short.isEmpty ? rest.prefix(1) : short
            rest = rest.dropFirst(some.count)
            let times = some.map(\.time)
            let first = ClickHouseLiteral.integer(times.min() ?? 0)
            let last = ClickHouseLiteral.integer(times.max() ?? 0)
            let found = try session.rows(
                """
                SELECT uid, time, toString(kind), toString(tag),
                    if(position(context, '\(StreamOwner.member)') > 0, context, '') FROM records
                WHERE time BETWEEN \(first) AND \(last) AND uid IN (\(ClickHouseLiteral.list(some.map(\.uid))))
                """
            ).rows
            for row in 0..<found.count {
                present.add(
                    RecordIdentity(
                        uid: found.text(row, 0) ?? "", time: found.integer(row, 1), kind: found.text(row, 2) ?? "",
                        tag: found.text(row, 3) ?? "", owner: contexts.fields(of: found.json(row, 4)).owner))
            }
        }
        return present
    }

    /// Gives the plan's rows the arrival numbers that it is to claim. Returns the first.
    private func number(_ plan: inout CommitPlan) throws(ClickHouseError) -> Int64 {
        if numbers.mustAsk { numbers.learn(newest: try claims.newest(above: numbers.last)) }
        let ids = numbers.take(plan.rowCount)
        plan.number(from: ids.lowerBound)
        return ids.lowerBound
    }

    private func write(_ contests: [CommitPlan.Contest]) throws(ClickHouseError) {
        guard !contests.isEmpty else { return }
        var binary = RowBinary()
        for contest in contests {
            binary.append(contest.stream)
            binary.append(contest.sequence)
            binary.append(contest.uid)
            binary.append(contest.id)
            binary.append(contest.commit)
        }
        try common.insert(
            binary.bytes, "INSERT INTO contests (stream, sequence, uid, id, commit) FORMAT RowBinary")
    }

    private func nextCommit() -> String {
        commits += 1
        return "\(String(name, radix: 16))-\(commits)"
    }
}

/// Decides which arrival numbers a commit claims. Pure.
///
/// A store that is written by one collector is asked for its newest number once; after that its own last number is the
/// newest. Where others give out numbers too, it is asked before each commit: else each would claim numbers that are
/// taken, and begin anew.
struct ArrivalNumbers {
    /// Collectors that are in each other's way go on with different steps.
    private let step: Int64
    private var collisions: Int64 = 0
    /// The largest number that is known to have been claimed.
    private(set) var last: Int64 = 0
    /// Whether the store is to be asked for its newest number before the next claim.
    private(set) var mustAsk = true

    /// - Parameter name: a random number of the collector's own.
    init(name: UInt64) { step = Int64(name % 61) }

    /// Numbers for so many rows, at least one.
    mutating func take(_ count: Int) -> ClosedRange<Int64> {
        let first = last + 1 + collisions * step * Int64(count)
        last = first + Int64(count) - 1
        return first...last
    }

    /// The store was asked.
    /// - Parameter newest: the largest number above ``last``, or 0.
    mutating func learn(newest: Int64) {
        mustAsk = newest > last
        last = max(last, newest)
    }

    /// A claim was looked at beside those of others.
    /// - Parameter newest: the largest number that others have claimed, of those from the claim's first on, or 0.
    mutating func look(newest: Int64) {
        if newest > 0 { mustAsk = true }
        last = max(last, newest)
        collisions = newest > 0 ? collisions + 1 : 0
    }
}

/// What streams are known to have settled, so that what comes again is known without asking. Pure.
///
/// It is never more than the truth, for what is settled stays settled; and it may be less: other collectors settle too,
/// and a full memory is forgotten.
struct KnownStreams {
    /// Intervals at most: with names of 50 bytes some 10 MB.
    private let limit: Int
    private var count = 0
    private(set) var settled: [String: IntervalSet] = [:]

    init(limit: Int = 50_000) { self.limit = limit }

    mutating func add(_ streams: [String: IntervalSet]) {
        for (stream, intervals) in streams {
            var known = settled[stream] ?? IntervalSet()
            count -= known.intervals.count
            for interval in intervals.intervals { known.insert(interval) }
            count += known.intervals.count
            settled[stream] = known
        }
        guard count > limit else { return }
        settled = streams
        count = streams.values.reduce(0) { $0 + $1.intervals.count }
    }
}
