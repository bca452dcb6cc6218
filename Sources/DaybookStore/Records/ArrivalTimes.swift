import DaybookTools

/// When records arrived. Numbers are given in the order of arrival, so a mark a minute says it of all of them: from which
/// number on records arrived at a time or later. A clock that was set back makes no mark until it has caught up, and one that
/// was never set makes none.
package struct ArrivalTimes {
    /// The time between two marks at least, in nanoseconds: a record arrived less than this after its mark.
    package static let interval: Int64 = 60_000_000_000

    private var marks: [(id: Int64, time: Int64)] = []

    /// Notes that records from a number on arrived at a time.
    mutating func add(_ time: Int64, from id: Int64) {
        guard time >= PlausibleTime.earliest else { return }
        if let last = marks.last, time < last.time.addingClamped(Self.interval) { return }
        marks.append((id, time))
    }

    /// When the record with a number arrived; a minute later at most.
    func time(of id: Int64) -> Int64? { marks.last { $0.id <= id }?.time }

    /// Whether all that arrived before a time is marked, or was there before the first mark; the own time of what is not
    /// marked counts.
    func areMarked(before time: Int64) -> Bool {
        let (latest, isBeyond) = time.subtractingReportingOverflow(Self.interval)
        return marks.first.map { $0.time <= (isBeyond ? .min : latest) } ?? false
    }

    /// The number below which all records arrived before a time.
    func first(receivedSince time: Int64) -> Int64 {
        let (latest, isBeyond) = time.subtractingReportingOverflow(Self.interval)
        return marks.first { $0.time > (isBeyond ? .min : latest) }?.id ?? .max
    }
}

/// The table `arrival_times` of stores that keep marks: a row is the mark `time` of the records from `id` on.
package enum ArrivalMarks {
    /// Adds a mark for the first record of a commit, where one is due. An upgrade made one for the first record to come, and
    /// cannot know when that will be.
    package static func insertion(_ time: String, from id: String) -> String {
        """
        INSERT INTO arrival_times(id, time) SELECT \(id), \(time)
        WHERE \(time) >= \(PlausibleTime.earliest) AND \(time) >= (SELECT coalesce(max(time) + \(ArrivalTimes.interval), \(time)) FROM arrival_times)
        ON CONFLICT (id) DO UPDATE SET time = excluded.time
        """
    }

    /// Takes away the marks of records that are all erased, but for the one that the first record left goes by.
    package static let removal = """
        DELETE FROM arrival_times WHERE id < (
            SELECT max(id) FROM arrival_times WHERE id <= (SELECT min(id) FROM stored_records))
        """

    /// That a record arrived before a time. Of those that a store had before it kept marks, the own time counts: until
    /// the first mark, for they were there by then.
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
    /// The sum, or the largest number where that is beyond it.
    fileprivate func addingClamped(_ other: Int64) -> Int64 {
        var sum = self
        sum.add(clamping: other)
        return sum
    }
}
