import DaybookJournal

extension PipelineCore {
    /// The tag of the records that tell the ledgers.
    static let ledgerTag = "daybook.ledger"

    /// Records the accounting, a message for each output, on the way that every record takes.
    func record(_ ledgers: [String: Ledger]) {
        for (id, ledger) in ledgers.sorted(by: { $0.key < $1.key }) {
            var attributes: Attributes = [
                "output": .string(id), "accepted": Value(ledger.accepted), "recovered": Value(ledger.recovered),
                "delivered": Value(ledger.delivered), "pending": Value(ledger.pending),
            ]
            for (reason, count) in ledger.dropped.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                attributes["dropped.\(reason.attributeName)"] = Value(count)
            }
            record(.info, tag: Self.ledgerTag, message: "Ledger of \(id)", attributes: attributes)
        }
    }

    /// The accounting at the end, and what was logged since.
    var ledgersAtEnd: [String: Ledger] {
        let closed = journal.counters.drops[.closed] ?? [:]
        var ledgers = drain.ledgersAtEnd
        for id in ledgers.keys {
            guard let count = closed[Journal.storedID(of: id)] else { continue }
            let known = ledgers[id]?.dropped[.closed] ?? 0
            ledgers[id]?.accepted += count - known
            ledgers[id]?.dropped[.closed] = count
        }
        return ledgers.merging(switchboard.withTable { $0.inline.ledgers }) { _, now in now }
    }
}

extension Ledger.DropReason {
    /// The reason as the end of an attribute's name: `disk_limit`.
    package var attributeName: String { String(rawValue.map { $0 == " " ? "_" : $0 }) }
}
