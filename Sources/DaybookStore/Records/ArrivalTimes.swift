import DaybookTools

/// Arrival times as marks: the first arrival number at or after a time, at most one a minute, which holds for all later
/// numbers. A clock that was set back adds no mark until it has caught up; an unset clock adds none.
package struct ArrivalTimes {
    /// Least time between marks, in nanoseconds: a record arrived less than this after its mark.
    package static let interval: Int64 = 60_000_000_000

    private var marks: [(id: Int64, time: Int64)] = []

    mutating func add(_ time: Int64, from id: Int64) {
        guard time >= PlausibleTime.earliest else { return }
        if let last = marks.last, time < last.time.addingClamped(Self.interval) { return }
        marks.append((id, time))
    }

    /// The arrival time of a record; up to a minute early.
    func time(of id: Int64) -> Int64? { marks.last { $0.id <= id }?.time }

    /// Whether every arrival before `time` is marked, or precedes the first mark; otherwise a record's own time counts.
    func areMarked(before time: Int64) -> Bool {
        let (latest, isBeyond) = time.subtractingReportingOverflow(Self.interval)
        return marks.first.map { $0.time <= (isBeyond ? .min : latest) } ?? false
    }

    /// The first number that may have arrived at or after `time`; all below arrived before.
    func first(receivedSince time: Int64) -> Int64 {
        let (latest, isBeyond) = time.subtractingReportingOverflow(Self.interval)
        return marks.first { $0.time > (isBeyond ? .min : latest) }?.id ?? .max
    }
}

/// The table `arrival_times`: each row marks records from `id` on with `time`.
package enum ArrivalMarks {
    /// Adds a mark for a commit's first record, if due. Replaces an upgrade's mark for the next record.
    package static func insertion(_ time: String, from id: String) -> String {
        """
        INSERT INTO arrival_times(id, time) SELECT \(id), \(time)
        WHERE \(time) >= \(PlausibleTime.earliest) AND \(time) >= (SELECT coalesce(max(time) + \(ArrivalTimes.interval), \(time)) FROM arrival_times)
        ON CONFLICT (id) DO UPDATE SET time = excluded.time
        """
    }

    /// Removes marks without records, except the one that covers the first record.
    package static let removal = """
        DELETE FROM arrival_times WHERE id < (
            SELECT max(id) FROM arrival_times WHERE id <= (SELECT min(id) FROM stored_records))
        """

    /// Records from before the first mark count by their own time.
    package static func received(before time: Int64) -> FilterTermSQL {
        let (latest, isBeyond) = time.subtractingReportingOverflow(ArrivalTimes.interval)
        let mark = SQLValue.integer(isBeyond ? .min : latest)
        return FilterTermSQL(
            """
            (id < coalesce((SELECT id FROM arrival_times WHERE time > ? ORDER BY time LIMIT 1), \(Int64.max))
                AND (time < ? OR coalesce((SELECT min(time) FROM arrival_times) <= ?, FALSE)))
            """, [mark, .integer(time), mark])
    }
}

extension Int64 {
    fileprivate func addingClamped(_ other: Int64) -> Int64 {
        var sum = self
        sum.add(clamping: other)
        return sum
    }
}
