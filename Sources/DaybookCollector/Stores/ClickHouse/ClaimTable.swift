import DaybookStore

/// The table `claims`: what commits are about to store, and what they have stored and settled.
struct ClaimTable {
    /// How a claim is written.
    enum State {
        /// Before the rows.
        case open
        /// After them.
        case done
        /// The commit was given up before it stored anything.
        case void

        /// In the column `done`: of a claim's rows the one with the largest number counts.
        fileprivate var number: UInt8 {
            switch self {
            case .open: 0
            case .done: 1
            case .void: 2
            }
        }
    }

    private static let columns =
        "(commit, part, stream, lower, upper, afters, throughs, sequences, first_id, last_id, received, kept, "
        + "told_sender, told_installation, told_version, reasons, lost, done) FORMAT RowBinary"

    let session: ClickHouseSession
    let tables: ClickHouseTables
    let writing: [(String, String)]

    /// What streams have settled near some intervals, and the largest arrival number that was ever claimed.
    func known(
        near hulls: [String: IntervalSet.Interval]
    ) throws(ClickHouseError) -> (settled: [String: IntervalSet], lastID: Int64) {
        var settled: [String: IntervalSet] = [:]
        if !hulls.isEmpty {
            let rows = try session.rows(
                "SELECT stream, afters, throughs FROM \(tables.all("claims")) WHERE done = 1 AND (\(near(hulls)))"
            ).rows
            for row in 0..<rows.count {
                for (after, through) in zip(rows.integers(row, 1), rows.integers(row, 2)) {
                    settled[rows.text(row, 0) ?? "", default: IntervalSet()].insert(
                        .init(after: UInt64(after), through: UInt64(through)))
                }
            }
        }
        return (settled, try lastID())
    }

    func lastID() throws(ClickHouseError) -> Int64 {
        try session.rows("SELECT max(last_id) FROM \(tables.all("claims"))").rows.integer(0, 0)
    }

    /// Whether another commit has claimed some of these arrival numbers.
    func isClaimed(_ ids: ClosedRange<Int64>, besides commit: String) throws(ClickHouseError) -> Bool {
        try session.rows(
            """
            SELECT count() FROM \(tables.all("claims")) WHERE last_id >= \(ids.lowerBound) AND first_id <= \(ids.upperBound)
            AND first_id > 0 AND length(sequences) > 0 AND commit != \(ClickHouseLiteral.text(commit))
            """
        ).rows.integer(0, 0) > 0
    }

    /// Other commits' claims on records of streams.
    func rivals(
        near hulls: [String: IntervalSet.Interval], besides commit: String
    ) throws(ClickHouseError) -> [String: [CommitPlan.Rival]] {
        guard !hulls.isEmpty else { return [:] }
        let rows = try session.rows(
            """
            SELECT stream, commit, first_id, sequences FROM \(tables.all("claims"))
            WHERE first_id > 0 AND commit != \(ClickHouseLiteral.text(commit)) AND (\(near(hulls)))
            """
        ).rows
        var rivals: [String: [CommitPlan.Rival]] = [:]
        for row in 0..<rows.count {
            rivals[rows.text(row, 0) ?? "", default: []].append(
                .init(
                    commit: rows.text(row, 1) ?? "", firstID: rows.integer(row, 2), sequences: rows.integers(row, 3)))
        }
        return rivals
    }

    func write(_ plan: CommitPlan, commit: String, _ state: State) throws(ClickHouseError) {
        var binary = RowBinary()
        for (number, part) in plan.parts.enumerated() {
            // Without rows there is nothing to claim, and without a stream nothing to settle.
            guard part.firstID > 0 || state == .done && part.batch.origin != nil else { continue }
            append(part, number, commit, state, to: &binary)
        }
        guard !binary.bytes.isEmpty else { return }
        try session.run(
            "INSERT INTO \(tables.all("claims")) \(Self.columns)", body: binary.bytes, settings: writing)
    }

    private func append(
        _ part: CommitPlan.Part, _ number: Int, _ commit: String, _ state: State, to binary: inout RowBinary
    ) {
        let batch = part.batch
        let hull = batch.origin.map { Settlement.hull(of: batch.rows, origin: $0) }
        let settled = state == .done ? part.settled : []
        binary.append(commit)
        binary.append(UInt32(number))
        binary.append(batch.origin?.stream ?? "")
        binary.append(Int64(hull?.after ?? 0))
        binary.append(Int64(hull?.through ?? 0))
        binary.append(settled.map { Int64($0.after) })
        binary.append(settled.map { Int64($0.through) })
        binary.append(state == .void ? [] : part.sequences)
        binary.append(part.firstID)
        binary.append(part.lastID)
        binary.append(Int64(state == .done ? batch.rows.count : 0))
        binary.append(Int64(state == .done ? part.newRows.count : 0))
        let identity = batch.origin == nil ? nil : StreamIdentity(batch)
        binary.append(nullable: batch.losses?.sender)
        binary.append(nullable: identity?.installation)
        binary.append(nullable: identity?.version)
        let losses = (batch.losses?.counts ?? [:]).sorted { $0.key < $1.key }
        binary.append(losses.map(\.key))
        binary.append(losses.map(\.value))
        binary.append(state.number)
    }

    private func near(_ hulls: [String: IntervalSet.Interval]) -> String {
        hulls.map { stream, hull in
            "stream = \(ClickHouseLiteral.text(stream)) AND lower <= \(hull.through) AND upper >= \(hull.after)"
        }.joined(separator: " OR ")
    }
}

extension CommitPlan.Part {
    /// What the batch settles: its own interval, and each row outside of it.
    fileprivate var settled: [IntervalSet.Interval] {
        guard let origin = batch.origin else { return [] }
        var settled = IntervalSet([.init(after: origin.after, through: origin.through)])
        for case let sequence? in batch.rows.lazy.map(\.sequence) where sequence > 0 {
            settled.insert(.init(after: sequence - 1, through: sequence))
        }
        return settled.intervals
    }
}
