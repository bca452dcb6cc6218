import DaybookStore

/// Decides what one commit stores: which rows, under which arrival numbers, and what their streams have settled then.
/// Pure.
///
/// ClickHouse has no transactions. So a commit says first what it is about to store (its claims, as long as they are not
/// done), then looks whether another commit claims the same, and stores after that. Of two commits that may both store
/// a record, at least one has seen the other's claim; it lists the two rows as contested, before it stores its own.
/// Readers leave out all but the first row of a contested record that are there.
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

    /// Another commit's claim on records of a stream.
    struct Rival {
        var commit: String
        var firstID: Int64
        /// Of the records with the arrival numbers from ``firstID`` on.
        var sequences: [Int64]
    }

    /// A row that may be one of two of a record.
    struct Contest: Hashable {
        var stream: String
        var sequence: Int64
        var uid: String
        var id: Int64
        var commit: String
    }

    private(set) var parts: [Part] = []

    /// - Parameter known: what the batches' streams have settled, at least near them.
    init(_ batches: [RecordBatch], known: [String: IntervalSet]) {
        var settled = known
        for batch in batches {
            guard let origin = batch.origin else {
                parts.append(Part(batch: batch, newRows: Array(batch.rows.indices)))
                continue
            }
            let settlement = Settlement(
                rows: batch.rows, origin: origin, known: settled[origin.stream] ?? IntervalSet())
            settled[origin.stream] = settlement.settled
            parts.append(Part(batch: batch, newRows: settlement.newRows))
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
    var newHulls: [String: IntervalSet.Interval] {
        var hulls: [String: IntervalSet.Interval] = [:]
        for part in parts {
            guard let origin = part.batch.origin else { continue }
            for sequence in part.sequences where sequence > 0 {
                let own = IntervalSet.Interval(after: UInt64(sequence) - 1, through: UInt64(sequence))
                hulls.extend(origin.stream, by: own)
            }
        }
        return hulls
    }

    /// The rows of this commit and of its rivals that are of the same records.
    func contests(with rivals: [String: [Rival]], commit: String) -> [Contest] {
        var contests: Set<Contest> = []
        for part in parts {
            guard let stream = part.batch.origin?.stream, let others = rivals[stream] else { continue }
            var own: [Int64: (id: Int64, uid: String)] = [:]
            for (offset, sequence) in part.sequences.enumerated() where sequence > 0 {
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

extension [String: IntervalSet.Interval] {
    /// Widens a stream's interval until it covers another.
    mutating func extend(_ stream: String, by other: IntervalSet.Interval) {
        let own = self[stream] ?? other
        self[stream] = .init(after: Swift.min(own.after, other.after), through: Swift.max(own.through, other.through))
    }
}
