import DaybookStore

/// Decides what a commit stores: which rows, with which arrival numbers, and what their streams have then settled.
/// Pure.
///
/// ClickHouse has no transactions. So a commit first writes its claims, then looks for other commits' claims on the
/// same records, and only then stores. Of two commits that might store a record, at least one sees the other's claim.
/// If the other has ended, its row is stored, and this commit withdraws and plans again without the record. Otherwise
/// it lists both rows as contested before storing its own; of a contested record, readers keep only the first stored
/// row.
struct CommitPlan {
    struct Part {
        var batch: RecordBatch
        /// Indices of the new rows in the batch.
        var newRows: [Int]
        /// The first row's arrival number; 0 without new rows.
        var firstID: Int64 = 0

        var lastID: Int64 { firstID == 0 ? 0 : firstID + Int64(newRows.count) - 1 }
        /// The new rows' sequence numbers; 0 for a row without one.
        var sequences: [Int64] { newRows.map { Int64(batch.rows[$0].sequence ?? 0) } }
    }

    /// A row whose record may also be stored by another commit.
    struct Contest: Hashable {
        var stream: String
        var sequence: Int64
        var uid: String
        var id: Int64
        var commit: String
    }

    /// The decision after reading other claims.
    enum Decision: Equatable {
        /// Store, after writing these.
        case store([Contest])
        /// Withdraw the claim, and plan again.
        case giveWay
    }

    private(set) var parts: [Part] = []
    /// What the batches' streams are known to have settled once the commit ends.
    private(set) var settled: [String: IntervalSet] = [:]

    /// - Parameters:
    ///   - known: what the batches' streams have settled; may be incomplete.
    ///   - present: the imported records that the store has.
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

    mutating func number(from first: Int64) {
        var next = first
        for index in parts.indices where !parts[index].newRows.isEmpty {
            parts[index].firstID = next
            next += Int64(parts[index].newRows.count)
        }
    }

    /// The range of the new rows' numbers, by stream, where rivals would be.
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

    /// Decides after the claim was written and other claims were read.
    func decision(on others: OtherClaims, commit: String) -> Decision {
        // Whoever sees a claim on its own numbers gives way; of two commits at least one does. A commit that sees
        // larger numbers gives way, too: readers may already be past them and would miss these.
        if others.newest > 0 || isSettled(by: others) { return .giveWay }
        return .store(contests(with: others.rivals, commit: commit))
    }

    /// Whether some new rows are already stored.
    private func isSettled(by others: OtherClaims) -> Bool {
        parts.contains { part in
            let names = [part.batch.origin?.stream, part.batch.origin?.importStream].compactMap { $0 }
            return names.compactMap { others.settled[$0] }.contains { settled in
                part.sequences.contains { $0 > 0 && settled.contains(UInt64($0)) }
            }
        }
    }

    /// Rows of this commit and its rivals for the same records.
    private func contests(with rivals: [String: [OtherClaims.Rival]], commit: String) -> [Contest] {
        var contests: Set<Contest> = []
        for part in parts {
            guard let stream = part.batch.origin?.stream else { continue }
            let sequences = part.sequences
            guard let least = sequences.min(), let largest = sequences.max() else { continue }
            // Skip claims that are merely near, such as those of preceding batches.
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
