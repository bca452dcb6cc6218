import DaybookStore

/// The table `claims`: what commits are about to store, and what they have stored and settled.
struct ClaimTable {
    enum State {
        /// Written before the rows.
        case open
        /// Written after them.
        case done
        /// The commit stored nothing and gave up.
        case void

        /// The column `done`; of a claim's rows the largest value counts.
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

    let common: CommonTables
    let tables: ClickHouseTables
    private var session: ClickHouseSession { common.session }

    init(_ common: CommonTables) {
        self.common = common
        tables = ClickHouseTables(common.session.address)
    }

    /// The largest arrival number claimed above `last`, or 0.
    func newest(above last: Int64) throws(ClickHouseError) -> Int64 {
        try session.rows("SELECT max(last_id) FROM \(tables.all("claims")) WHERE last_id > \(last)").rows.integer(0, 0)
    }

    /// Other commits' claims on a plan's records, and on arrival numbers from its first on. Call after writing the
    /// plan's own claim, on the same node.
    func others(
        beside plan: CommitPlan, from firstID: Int64, commit: String
    ) throws(ClickHouseError) -> OtherClaims {
        let table = tables.all("claims")
        let isOther = "commit != \(ClickHouseLiteral.text(commit))"
        // Aliases must differ from column names: ClickHouse substitutes one for the other.
        var questions = Self.conditions(near: plan.newHulls).map { near in
            """
            SELECT stream AS whose, commit AS whom, first_id AS number,
                if(done = 1, emptyArrayInt64(), sequences) AS claimed, afters AS beginnings, throughs AS endings,
                toInt64(0) AS newest
            FROM \(table) WHERE \(near) AND \(isOther)
            """
        }
        let ofNumbers = """
            SELECT '' AS whose, '' AS whom, toInt64(0) AS number,
                emptyArrayInt64() AS claimed, emptyArrayInt64() AS beginnings, emptyArrayInt64() AS endings,
                max(last_id) AS newest
            FROM \(table) WHERE last_id >= \(firstID) AND first_id > 0 AND notEmpty(sequences) AND \(isOther)
            """
        if questions.isEmpty { questions = [ofNumbers] } else { questions[0] += " UNION ALL \(ofNumbers)" }
        let node = session.node
        try common.catchUp(on: node)
        var others = OtherClaims()
        for question in questions { others.add(try session.rows(question, on: node)) }
        return others
    }

    func write(_ plan: CommitPlan, commit: String, _ state: State) throws(ClickHouseError) {
        var binary = RowBinary()
        for (number, part) in plan.parts.enumerated() {
            // Only rows are claimed, and only streams are settled.
            guard part.firstID > 0 || state == .done && part.batch.origin != nil else { continue }
            append(part, number, commit, state, to: &binary)
        }
        guard !binary.bytes.isEmpty else { return }
        try common.insert(binary.bytes, "INSERT INTO claims \(Self.columns)")
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

    /// Conditions for claims within intervals of streams, split to stay below `max_query_size` (256 KiB).
    ///
    /// A list with tables of limits: servers take 20 times as long to parse an OR of 64 streams.
    private static func conditions(near hulls: [String: SequenceInterval]) -> [String] {
        var rest = Array(hulls)[...]
        var conditions: [String] = []
        while !rest.isEmpty {
            var length = 0
            let some = rest.prefix { stream, _ in
                length += 3 * (stream.utf8.count + 20)
                return length < 100_000
            }
            let chosen = some.isEmpty ? rest.prefix(1) : some
            rest = rest.dropFirst(chosen.count)
            let streams = ClickHouseLiteral.list(chosen.map(\.key))
            let throughs = chosen.map { String($0.value.through) }.joined(separator: ",")
            let afters = chosen.map { String($0.value.after) }.joined(separator: ",")
            conditions.append(
                "stream IN (\(streams)) AND lower < transform(stream, [\(streams)], [\(throughs)], 0) "
                    + "AND upper > transform(stream, [\(streams)], [\(afters)], 0)")
        }
        return conditions
    }
}

extension OtherClaims {
    /// Adds an answer of ``ClaimTable/others(beside:from:commit:)``.
    fileprivate mutating func add(_ rows: ClickHouseRows) {
        for row in 0..<rows.count {
            let stream = rows.text(row, 0) ?? ""
            let commit = rows.text(row, 1) ?? ""
            guard !commit.isEmpty else {
                newest = rows.integer(row, 6)
                continue
            }
            // An invalid interval settles nothing.
            for (after, through) in zip(rows.integers(row, 4), rows.integers(row, 5))
            where 0 <= after && after < through {
                settled[stream, default: IntervalSet()].insert(.init(after: UInt64(after), through: UInt64(through)))
            }
            let sequences = rows.integers(row, 3)
            guard !sequences.isEmpty else { continue }
            rivals[stream, default: []].append(
                .init(commit: commit, firstID: rows.integer(row, 2), sequences: sequences))
        }
    }
}

extension CommitPlan.Part {
    /// What the batch settles: its own interval, and each row outside it.
    fileprivate var settled: [SequenceInterval] {
        guard let origin = batch.origin else { return [] }
        var settled = IntervalSet([origin.interval])
        settled.formUnion(batch.rows.compactMap(\.sequence).filter { $0 > 0 }.map { .one($0) })
        return settled.intervals
    }
}

/// Other commits' claims, read after writing one's own.
struct OtherClaims {
    /// Another commit's claim on records of a stream.
    struct Rival {
        var commit: String
        var firstID: Int64
        /// The sequence numbers of its records, whose arrival numbers begin at ``firstID``.
        var sequences: [Int64]
    }

    /// What finished commits have settled, by stream: their rows are stored.
    var settled: [String: IntervalSet] = [:]
    /// Unfinished commits, by stream.
    var rivals: [String: [Rival]] = [:]
    /// The largest arrival number that others have claimed, at or above the claim's first, or 0.
    var newest: Int64 = 0
}
