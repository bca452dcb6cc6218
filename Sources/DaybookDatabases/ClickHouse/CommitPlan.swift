import DaybookStore

/// Decides what one commit stores: which rows, under which arrival numbers, and what their streams have settled then.
/// Pure.
///
/// ClickHouse has no transactions. So a commit says first what it is about to store (its claims, as long as they are not
/// done), then looks whether another commit claims the same, and stores after that. Of two commits that may both store
/// a record, at least one has seen the other's claim. Where the other one has ended, its row is there: the commit gives
/// its claim up and plans anew, without the record. Else it lists the two rows as contested, before it stores its own;
/// readers leave out all but the first row of a contested record that are there.
struct CommitPlan {
    /// A batch in the commit.
    struct Part {
        var batch: RecordBatch
        /// The new rows' places in the batch.
        var newRows: [Int]
        /// The first row's arrival number; 0 without a new row.
        var firstID: Int64 = 0

        var lastID: Int64 { firstID == 0 ? 0 : firstID + Int64(newRows.count) - 1 }
        /// A number for each new row: 0 for a row without one.
        var sequences: [Int64] { newRows.map { Int64(batch.rows[$0].sequence ?? 0) } }
    }

    /// A row that may be one of two of a record.
    struct Contest: Hashable {
        var stream: String
        var sequence: Int64
        var uid: String
        var id: Int64
        var commit: String
    }

    /// What a look at other claims leads to.
    enum Verdict: Equatable {
        /// Store, after these are written.
        case store([Contest])
        /// Give the claim up, and plan anew.
        case giveWay
    }

    private(set) var parts: [Part] = []
    /// What the batches' streams have settled, as far as it is known, when the commit has ended.
    private(set) var settled: [String: IntervalSet] = [:]

    /// - Parameters:
    ///   - known: what is known of what the batches' streams have settled. It may be less than they have.
    ///   - present: of the records of imports those that the store has.
    init(
        _ batches: [RecordBatch], known: [String: IntervalSet],
        present: PresentRecords = PresentRecords(isAsked: false)
    ) {
        var present = present
        for batch in batches {
            let there = present.places(of: batch)
            var part = Part(batch: batch, newRows: batch.rows.indices.filter { !there.contains($0) })
            if let origin = batch.origin {
                let imports = origin.importStream.flatMap { settled[$0] ?? known[$0] }
                let settlement = Settlement(
                    rows: batch.rows, origin: origin,
                    known: settled[origin.stream] ?? known[origin.stream] ?? IntervalSet(),
                    imported: imports ?? IntervalSet(), present: there)
                settled[origin.stream] = settlement.settled
                part.newRows = settlement.newRows
            }
            for place in part.newRows { present.add(batch.rows[place]) }
            parts.append(part)
        }
    }

    var rowCount: Int { parts.reduce(0) { $0 + $1.newRows.count } }

    var results: [AppendResult] {
        parts.map {
            AppendResult(stored: $0.newRows.count, duplicates: $0.batch.rows.count - $0.newRows.count)
        }
    }

    /// Gives the rows their arrival numbers, one after the other.
    mutating func number(from first: Int64) {
        var next = first
        for index in parts.indices where !parts[index].newRows.isEmpty {
            parts[index].firstID = next
            next += Int64(parts[index].newRows.count)
        }
    }

    /// The hulls of the new rows' numbers, by stream: where rivals would be.
    var newHulls: [String: SequenceInterval] {
        var hulls: [String: SequenceInterval] = [:]
        for part in parts {
            guard let origin = part.batch.origin else { continue }
            let sequences = part.newRows.compactMap { part.batch.rows[$0].sequence }.filter { $0 > 0 }
            guard let least = sequences.min(), let largest = sequences.max() else { continue }
            let hull = SequenceInterval(after: least - 1, through: largest)
            hulls.extend(origin.stream, over: hull)
            if let name = origin.importStream { hulls.extend(name, over: hull) }
        }
        return hulls
    }

    /// What is to be done after the claim was written under a commit's name, and others were looked at.
    func verdict(on others: OtherClaims, commit: String) -> Verdict {
        // Whoever sees another's claim on the same numbers gives way; of two at least one does. And whoever sees larger
        // ones does, for they may have been read already: who reads goes on from there, and would miss these.
        if others.newest > 0 || isSettled(by: others) { return .giveWay }
        return .store(contests(with: others.rivals, commit: commit))
    }

    /// Whether some of the new rows are there already.
    private func isSettled(by others: OtherClaims) -> Bool {
        parts.contains { part in
            let names = [part.batch.origin?.stream, part.batch.origin?.importStream].compactMap { $0 }
            return names.compactMap { others.settled[$0] }.contains { settled in
                part.sequences.contains { $0 > 0 && settled.contains(UInt64($0)) }
            }
        }
    }

    /// The rows of this commit and of its rivals that are of the same records.
    private func contests(with rivals: [String: [OtherClaims.Rival]], commit: String) -> [Contest] {
        var contests: Set<Contest> = []
        for part in parts {
            guard let stream = part.batch.origin?.stream else { continue }
            let sequences = part.sequences
            guard let least = sequences.min(), let largest = sequences.max() else { continue }
            // Claims that are only near, such as those of the batches before, are the rule.
            let others = rivals[stream, default: []].filter { rival in
                rival.sequences.contains { $0 >= least && $0 <= largest }
            }
            guard !others.isEmpty else { continue }
            var own: [Int64: (id: Int64, uid: String)] = [:]
            for (offset, sequence) in sequences.enumerated() where sequence > 0 {
                own[sequence] = (part.firstID + Int64(offset), part.batch.rows[part.newRows[offset]].uid)
            }
            for rival in others {
                for (offset, sequence) in rival.sequences.enumerated() {
                    guard let row = own[sequence] else { continue }
                    contests.insert(
                        Contest(stream: stream, sequence: sequence, uid: row.uid, id: row.id, commit: commit))
                    contests.insert(
                        Contest(
                            stream: stream, sequence: sequence, uid: row.uid, id: rival.firstID + Int64(offset),
                            commit: rival.commit))
                }
            }
        }
        return Array(contests)
    }
}
