/// Bounds for numbers in a store's own tables, which another program or a faulty disk may have changed. An impossible
/// number is an error that names its row, never a trap or an endless loop; mere counts are clamped.
package enum StoredNumber {
    /// 2⁵³ − 1, JavaScript's largest safe integer: 285 years at a million records a second.
    package static let largest: Int64 = (1 << 53) - 1

    /// Checks an arrival number; 0 for none.
    /// - Parameter place: Its column: `arrivals.last`, `records.id`.
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

    package static func count(_ number: Int64) -> Int64 { min(max(number, 0), largest) }

    /// Checks an interval of a stream's sequence numbers.
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
    /// Adds, clamped to the type's range.
    package mutating func add(clamping other: Int64) {
        let (sum, overflows) = addingReportingOverflow(other)
        self = overflows ? (other > 0 ? .max : .min) : sum
    }
}
