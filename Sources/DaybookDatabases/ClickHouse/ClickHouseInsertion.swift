import DaybookStore

/// Stores the batches of successive commits. Confined to the commit queue's thread.
///
/// Each commit writes to one node's tables, the next commit to the next node's: that makes few large parts, and no
/// server parses rows just to forward them. Claims are read from all nodes, or with replicas from the commit's node,
/// which has them all.
final class ClickHouseInsertion {
    /// The most attempts of a commit whose numbers or records others had claimed or stored.
    private static let attempts = 8
    /// Bytes of uids per query, whose text is limited to 256 KiB.
    private static let askedBytes = 100_000
    /// How long a commit keeps trying further nodes.
    private static let patience: Duration = .seconds(10)

    let session: ClickHouseSession
    private let common: CommonTables
    private let claims: ClaimTable
    /// Distinguishes this store's commits from those of other collectors and of earlier runs.
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

    /// Stores all batches or none. If the node dies, the commit is repeated on the next one like any resent batches.
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
                switch plan.decision(on: others, commit: commit) {
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

    /// Stores the rows of a claim. If the server refuses their content, the claim is withdrawn, since readers wait for
    /// open ones.
    private func store(_ rows: [UInt8], of plan: CommitPlan, commit: String) throws(ClickHouseError) {
        do throws(ClickHouseError) {
            try session.run("INSERT INTO stored_records \(StoredRow.insertion)", body: rows, settings: common.writing)
        } catch {
            // If withdrawing fails, readers wait as for a dead collector.
            if error.isOfContent { try? claims.write(plan, commit: commit, .void) }
            throw error
        }
    }

    /// Imported records that the store already has. Concurrent commits of other collectors are not seen: records of
    /// streams are found by their claims, others may be stored twice.
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

    /// Numbers the plan's rows for its claim, and returns the first number.
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

/// Chooses the arrival numbers that a commit claims. Pure.
///
/// With a single collector, the store is asked for its newest number only once; then its own last number is the newest.
/// With several, it is asked before each commit, since otherwise the numbers would be taken and the commit repeated.
struct ArrivalNumbers {
    /// Different steps, so that colliding collectors diverge.
    private let step: Int64
    private var collisions: Int64 = 0
    /// The largest number known to be claimed.
    private(set) var last: Int64 = 0
    /// Whether to ask the store for its newest number before the next claim.
    private(set) var mustAsk = true

    /// - Parameter name: a random number per collector.
    init(name: UInt64) { step = Int64(name % 61) }

    /// Takes `count` numbers, at least one.
    mutating func take(_ count: Int) -> ClosedRange<Int64> {
        let first = last + 1 + collisions * step * Int64(count)
        last = first + Int64(count) - 1
        return first...last
    }

    /// Notes the store's answer.
    /// - Parameter newest: the largest number above ``last``, or 0.
    mutating func learn(newest: Int64) {
        mustAsk = newest > last
        last = max(last, newest)
    }

    /// Notes the result of comparing a claim with others'.
    /// - Parameter newest: the largest number that others have claimed, at or above the claim's first, or 0.
    mutating func look(newest: Int64) {
        if newest > 0 { mustAsk = true }
        last = max(last, newest)
        collisions = newest > 0 ? collisions + 1 : 0
    }
}

/// Caches what streams have settled, to recognize duplicates without a query. Pure.
///
/// A lower bound: settled numbers stay settled, but other collectors settle more, and a full cache is dropped.
struct KnownStreams {
    /// The most intervals; with names of 50 bytes some 10 MB.
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
