/// The sequence numbers of the records that were lately taken out of the journal, in order.
///
/// They tell a record that is lost from one that only the journal has lost, while a copy is on its way.
struct CollectedSequences {
    private var sequences: [UInt64] = []

    /// Adds one; higher than all before.
    mutating func append(_ sequence: UInt64) { sequences.append(sequence) }

    /// How many lie after the one and up to the other.
    func count(after: UInt64, through: UInt64) -> UInt64 {
        guard through > after else { return 0 }
        return UInt64(index(after: through) - index(after: after))
    }

    /// Forgets those that the journal's cursor has passed.
    mutating func forget(through sequence: UInt64) {
        let count = index(after: sequence)
        if count > 0 { sequences.removeFirst(count) }
    }

    /// The place of the first that is higher.
    private func index(after sequence: UInt64) -> Int {
        var (low, high) = (0, sequences.count)
        while low < high {
            let middle = (low + high) / 2
            if sequences[middle] <= sequence { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
