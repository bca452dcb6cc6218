import DaybookJournal

extension DrainLoop {
    /// Takes over what the journal had to drop, so that the accounting stays exact.
    func noteJournalDrops() {
        // The cursors first: what the journal gives up from here on lies behind them.
        let cursors = lanes.map { journal.cursor(of: $0.id) }
        let written = immediates.map { journal.cursor(of: $0.id) }
        let (drops, losses) = journal.takeLosses()
        for (lane, cursor) in zip(lanes, cursors) {
            let id = Journal.storedID(of: lane.id)
            lane.note(
                drops: drops.compactMapValues { $0[id] }, losses: losses.filter { $0.output == id }, cursor: cursor)
        }
        for (lane, cursor) in zip(immediates, written) {
            let id = Journal.storedID(of: lane.id)
            lane.note(
                drops: drops.compactMapValues { $0[id] }, losses: losses.filter { $0.output == id }, cursor: cursor)
        }
    }

    /// The accounting of every output, removed ones that lost records included.
    func ledgers() -> [String: Ledger] {
        var ledgers: [String: Ledger] = [:]
        // The journal may give something up while what it holds is counted; then it is counted again. It gives up
        // whole segments, so that a few rounds are enough on any disk.
        for _ in 0..<8 {
            noteJournalDrops()
            let before = journal.counters.drops
            ledgers = currentLedgers()
            if journal.counters.drops == before { break }
        }
        let present = Set(ledgers.keys.map(Journal.storedID(of:)))
        for (reason, counts) in journal.counters.drops {
            for (id, count) in counts where !present.contains(id) {
                ledgers[id, default: Ledger()].accepted += count
                ledgers[id, default: Ledger()].recovered += count
                ledgers[id, default: Ledger()].dropped[Ledger.DropReason(reason), default: 0] += count
            }
        }
        return ledgers
    }

    /// What is stored but not yet in memory is pending too.
    private func currentLedgers() -> [String: Ledger] {
        var ledgers = inline.ledgers
        for lane in lanes {
            ledgers[lane.id] = adding(lane.account.ledger, after: lane.collected, output: lane.index)
        }
        for lane in immediates { ledgers[lane.id] = adding(lane.ledger, after: lane.collected, output: lane.index) }
        return ledgers
    }

    private func adding(_ ledger: Ledger, after collected: UInt64, output: Int) -> Ledger {
        var ledger = ledger
        journal.read(after: collected, output: output) { frame in
            guard frame.flags.isCounted else { return true }
            ledger.accepted += 1
            if frame.sequence <= journal.openedAt { ledger.recovered += 1 }
            return true
        }
        return ledger
    }
}
