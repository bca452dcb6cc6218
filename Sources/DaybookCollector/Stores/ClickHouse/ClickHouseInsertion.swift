import DaybookStore

/// Stores the batches of one commit after another. Belongs to the thread of the commit queue.
final class ClickHouseInsertion {
    /// How often a commit is begun anew, because another one had claimed its arrival numbers.
    private static let attempts = 8

    let session: ClickHouseSession
    private let dialect: ClickHouseDialect
    private let tables: ClickHouseTables
    private let claims: ClaimTable
    /// Tells this store's commits from those of other collectors, and of this one's lives before.
    private let name: UInt64
    private var commits = 0
    private var lastID: Int64 = 0

    init(_ session: ClickHouseSession, _ dialect: ClickHouseDialect, name: UInt64) {
        self.session = session
        self.dialect = dialect
        self.name = name
        tables = ClickHouseTables(session.address)
        claims = ClaimTable(session: session, tables: tables, writing: dialect.writing(isCluster: tables.isCluster))
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
        var hulls: [String: IntervalSet.Interval] = [:]
        for batch in batches {
            guard let origin = batch.origin else { continue }
            hulls.extend(origin.stream, by: Settlement.hull(of: batch.rows, origin: origin))
        }
        let known = try claims.known(near: hulls)
        lastID = max(lastID, known.lastID)
        var plan = CommitPlan(batches, known: known.settled)
        let commit = plan.rowCount == 0 ? nextCommit() : try claim(&plan)
        if plan.rowCount > 0 {
            try contest(plan, commit)
            try store(plan)
        }
        try claims.write(plan, commit: commit, .done)
        return plan.results
    }

    /// Claims the plan's rows under arrival numbers that nobody else has claimed.
    /// - Returns: the commit's name.
    private func claim(_ plan: inout CommitPlan) throws(ClickHouseError) -> String {
        let count = Int64(plan.rowCount)
        for attempt in 0..<Int64(Self.attempts) {
            let commit = nextCommit()
            // Collectors that are in each other's way go on with different steps.
            let first = lastID + 1 + attempt * Int64(name % 61) * count
            lastID = first + count - 1
            plan.number(from: first)
            try claims.write(plan, commit: commit, .open)
            guard try claims.isClaimed(first...lastID, besides: commit) else { return commit }
            // Whoever sees another's claim gives way; of two at least one does.
            try claims.write(plan, commit: commit, .void)
            lastID = max(lastID, try claims.lastID())
        }
        throw ClickHouseError(
            reason: .unreached, message: "ClickHouse: other collectors kept claiming the same arrival numbers.")
    }

    private func contest(_ plan: CommitPlan, _ commit: String) throws(ClickHouseError) {
        let rivals = try claims.rivals(near: plan.newHulls, besides: commit)
        var binary = RowBinary()
        for contest in plan.contests(with: rivals, commit: commit) {
            binary.append(contest.stream)
            binary.append(contest.sequence)
            binary.append(contest.uid)
            binary.append(contest.id)
            binary.append(contest.commit)
        }
        guard !binary.bytes.isEmpty else { return }
        try session.run(
            "INSERT INTO \(tables.all("contests")) (stream, sequence, uid, id, commit) FORMAT RowBinary",
            body: binary.bytes, settings: claims.writing)
    }

    private func store(_ plan: CommitPlan) throws(ClickHouseError) {
        var binary = RowBinary()
        var contexts = ContextFieldsCache()
        for part in plan.parts {
            for (offset, place) in part.newRows.enumerated() {
                let row = part.batch.rows[place]
                StoredRow.append(
                    row, id: part.firstID + Int64(offset), contexts.fields(of: row.context), to: &binary)
            }
        }
        try session.run(
            "INSERT INTO \(tables.all("stored_records")) \(StoredRow.insertion)", body: binary.bytes,
            settings: claims.writing)
    }

    private func nextCommit() -> String {
        commits += 1
        return "\(String(name, radix: 16))-\(commits)"
    }
}
