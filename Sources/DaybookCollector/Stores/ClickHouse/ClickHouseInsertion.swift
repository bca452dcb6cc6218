import DaybookStore

/// Stores the batches of one commit after another. Belongs to the thread of the commit queue.
///
/// A commit writes to the tables of one node, and the next commit to those of the next: so each makes few and large
/// parts, and no server parses rows only to send them on. What it asks, it asks all nodes.
final class ClickHouseInsertion {
    /// How often a commit is begun anew, because another one had claimed its arrival numbers, or larger
    /// ones, or stored its records.
    private static let attempts = 8

    let session: ClickHouseSession
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
        claims = ClaimTable(session: session, tables: ClickHouseTables(session.address), writing: dialect.writing)
    }

    /// Stores batches, all or none.
    /// - Returns: what became of each, in their order.
    func commit(_ batches: [RecordBatch]) -> [Result<AppendResult, StoreError>] {
        do throws(ClickHouseError) {
            return try insert(batches).map { .success($0) }
        } catch {
            return batches.map { _ in .failure(error.whileWriting) }
        }
    }

    private func insert(_ batches: [RecordBatch]) throws(ClickHouseError) -> [AppendResult] {
        session.moveOn()
        for _ in 0..<Self.attempts {
            var plan = CommitPlan(batches, known: known.settled)
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
                    try session.run(
                        "INSERT INTO stored_records \(StoredRow.insertion)", body: rows.take(), settings: claims.writing
                    )
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
        try session.run(
            "INSERT INTO contests (stream, sequence, uid, id, commit) FORMAT RowBinary", body: binary.bytes,
            settings: claims.writing)
    }

    private func nextCommit() -> String {
        commits += 1
        return "\(String(name, radix: 16))-\(commits)"
    }
}
