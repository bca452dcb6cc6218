/// Decides which rows of a batch are new, and what its stream has settled afterwards.
package struct Settlement {
    /// The rows' places in the batch, in order.
    package private(set) var newRows: [Int] = []
    /// What the stream has settled with this batch: of the given intervals and the batch's own, the union.
    package private(set) var settled: IntervalSet

    /// - Parameters:
    ///   - rows: the batch's rows. One without a sequence is always new: its sender has no way to say it again.
    ///   - origin: the batch's stream and interval.
    ///   - known: the stream's settled intervals, at least those that touch ``hull(of:origin:)``.
    package init(rows: [RecordRow], origin: RecordBatch.Origin, known: IntervalSet) {
        settled = known
        settled.insert(.init(after: origin.after, through: origin.through))
        newRows.reserveCapacity(rows.count)
        // Senders number their records in order: only a number that is not above all before it may be one of them.
        var highest: UInt64 = 0
        var seen: Set<UInt64> = []
        for (place, row) in rows.enumerated() {
            guard let sequence = row.sequence, sequence > 0 else {
                newRows.append(place)
                continue
            }
            if sequence <= highest, seen.isEmpty { seen = Set(rows[..<place].compactMap(\.sequence)) }
            let isSeen = sequence <= highest && seen.contains(sequence)
            highest = max(highest, sequence)
            if !seen.isEmpty { seen.insert(sequence) }
            guard !known.contains(sequence), !isSeen else { continue }
            newRows.append(place)
            // A row outside of the interval that its batch claims would else be new again next time.
            if sequence <= origin.after || sequence > origin.through {
                settled.insert(.init(after: sequence - 1, through: sequence))
            }
        }
    }

    /// Refuses a batch whose numbers a store cannot keep. Done before the batch waits with others for a commit, so that
    /// it fails alone.
    /// - Throws: ``StoreError``, `badStatement`.
    package static func check(_ batch: RecordBatch) throws(StoreError) {
        guard let origin = batch.origin, hull(of: batch.rows, origin: origin).through > Int64.max else { return }
        throw StoreError(
            .badStatement, "The sequence numbers of stream \(origin.stream) exceed \(Int64.max). Start a new stream.")
    }

    /// The interval that covers the batch's own and every row: what else the stream has settled does not matter here.
    package static func hull(of rows: [RecordRow], origin: RecordBatch.Origin) -> IntervalSet.Interval {
        var hull = IntervalSet.Interval(after: origin.after, through: max(origin.after, origin.through))
        for case let sequence? in rows.lazy.map(\.sequence) where sequence > 0 {
            hull.after = min(hull.after, sequence - 1)
            hull.through = max(hull.through, sequence)
        }
        return hull
    }
}
