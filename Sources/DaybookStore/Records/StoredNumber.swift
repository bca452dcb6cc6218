/// What numbers a store's own tables may hold.
///
/// Something else may have written into them, or a disk may have lied. A number that no store can reach is an error that
/// names its row, never a trap or an endless search; counts, on which nothing rests, are brought into bounds.
package enum StoredNumber {
    /// 2⁵³ − 1: a million records a second take 285 years to get there, and JavaScript knows no larger integer.
    package static let largest: Int64 = (1 << 53) - 1

    /// An arrival number, 0 for none.
    /// - Parameter place: where it stands: `arrivals.last`, `records.id`.
    /// - Throws: ``StoreError``, `storage`.
    package static func arrival(_ number: Int64, at place: String, of store: String) throws(StoreError) -> Int64 {
        guard (0...largest).contains(number) else {
            throw StoreError(
                .storage,
                "\(place) of \(store) is \(number), and arrival numbers are 0 to \(largest): something else has written there. "
                    + "Restore a backup, or correct the row: arrivals.last is at least the largest records.id.")
        }
        return number
    }

    /// A count.
    package static func count(_ number: Int64) -> Int64 { min(max(number, 0), largest) }

    /// An interval of a stream's sequence numbers.
    /// - Throws: ``StoreError``, `storage`.
    package static func interval(
        after: Int64, through: Int64, ofStream stream: String
    ) throws(StoreError) -> SequenceInterval {
        guard after >= 0, through > after else {
            throw StoreError(
                .storage,
                "The row of streams with stream “\(stream)” and after \(after) goes through \(through), and intervals rise "
                    + "from 0: something else has written there. Restore a backup, or delete the row; the stream's sender "
                    + "may then store again what it still has.")
        }
        return SequenceInterval(after: UInt64(after), through: UInt64(through))
    }
}

extension Int64 {
    /// Adds without overflow, up to the ends of the type.
    package mutating func add(clamping other: Int64) {
        let (sum, overflows) = addingReportingOverflow(other)
        self = overflows ? (other > 0 ? .max : .min) : sum
    }
}
