/// The outputs that take records one at a time on the drain thread. Confined to that thread.
final class ImmediateLane {
    private let outputs: [(bit: UInt64, scope: CallScope, output: any Output)]
    /// The bits of all of them.
    let mask: UInt64
    let ids: [String]
    private(set) var ledgers: [String: Ledger]
    /// Everything up to here is written.
    var position: UInt64

    init(table: RoutingTable, position: UInt64) {
        let outputs: [(bit: UInt64, scope: CallScope, output: any Output)] = table.outputs.enumerated().compactMap {
            index, target in
            guard case .output(let output, .immediate) = target else { return nil }
            return (bit: 1 << UInt64(index), scope: .output(index), output: output)
        }
        self.outputs = outputs
        self.position = position
        mask = UInt64(table.immediateOutputs.rawValue)
        ids = outputs.map(\.output.id)
        ledgers = Dictionary(uniqueKeysWithValues: ids.map { ($0, Ledger()) })
    }

    /// Counts a record of an earlier launch that ended before it was written.
    func dropEnded(mask: UInt64) {
        for entry in outputs where entry.bit & mask != 0 {
            ledgers[entry.output.id]?.accepted += 1
            ledgers[entry.output.id]?.recovered += 1
            ledgers[entry.output.id]?.dropped[.processEnded, default: 0] += 1
        }
    }

    /// Hands a record to the outputs it is for; `nil` for one whose bytes cannot be read.
    func write(_ record: Record?, mask: UInt64) {
        for entry in outputs where entry.bit & mask != 0 {
            let id = entry.output.id
            ledgers[id]?.accepted += 1
            if let record {
                entry.scope.run { entry.output.write(record) }
                ledgers[id]?.delivered += 1
            } else {
                ledgers[id]?.dropped[.unreadable, default: 0] += 1
            }
        }
    }
}
