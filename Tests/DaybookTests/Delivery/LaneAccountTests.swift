import DaybookJournal
import Testing

@testable import Daybook

struct LaneAccountTests {
    private func loss(_ after: UInt64, _ through: UInt64, _ count: UInt64) -> JournalLoss {
        JournalLoss(output: "o", reason: .capacity, after: after, through: through, count: count)
    }

    private func account(collecting sequences: ClosedRange<UInt64>, openedAt: UInt64 = 0) -> LaneAccount {
        var account = LaneAccount(openedAt: openedAt)
        for sequence in sequences { account.collect(sequence) }
        return account
    }

    @Test("Records the journal discards unread count as accepted and dropped") func lostUnreadIsDropped() {
        var account = account(collecting: 1...4)
        account.note(drops: [.diskLimit: 6], losses: [loss(4, 10, 6)], cursor: 0)
        #expect(account.ledger.accepted == 10)
        #expect(account.ledger.dropped == [.diskLimit: 6])
        #expect(account.ledger.pending == 4)
    }

    @Test("Records in memory stay pending when the journal discards them, and count once") func discardedStaysPending()
    {
        var account = account(collecting: 1...8)
        account.note(drops: [.diskLimit: 10], losses: [loss(0, 10, 10)], cursor: 0)
        #expect(account.ledger.accepted == 10)
        #expect(account.ledger.dropped == [.diskLimit: 2])
        account.deliver(8)
        #expect(account.ledger.pending == 0)
        // The same counts again change nothing.
        account.note(drops: [.diskLimit: 10], losses: [], cursor: 8)
        #expect(account.ledger.accepted == 10)
    }

    @Test("Records delivered before a loss is noted do not count as lost") func deliveredIsNotLost() {
        var account = account(collecting: 1...8)
        account.deliver(5)
        // The journal's cursor was at 2 when it dropped the segment.
        account.note(drops: [.diskLimit: 8], losses: [loss(2, 10, 8)], cursor: 5)
        #expect(account.ledger.accepted == 10)
        #expect(account.ledger.dropped == [.diskLimit: 2])
        #expect(account.ledger.pending == 3)
    }

    @Test("Abandoned records count as lost only if the journal dropped them") func abandonedMayBeLost() {
        var account = account(collecting: 1...8)
        account.note(drops: [.diskLimit: 5], losses: [loss(0, 5, 5)], cursor: 0)
        account.deliver(2)
        account.abandon(UInt64(3)...8)
        #expect(account.ledger.dropped == [.diskLimit: 3])
        #expect(account.ledger.pending == 3)
    }

    @Test("Losses from earlier launches count as recovered") func earlierLossesRecovered() {
        var account = account(collecting: 1...4, openedAt: 10)
        account.note(drops: [.diskLimit: 10], losses: [loss(0, 10, 10)], cursor: 0)
        #expect(account.ledger.recovered == 10)
        account.note(drops: [.diskLimit: 15], losses: [loss(10, 15, 5)], cursor: 0)
        #expect(account.ledger.recovered == 10)
        #expect(account.ledger.accepted == 15)
    }

    @Test("Refused appends have no sequence number and count as dropped") func refusedAppendsDropped() {
        var account = account(collecting: 1...4)
        account.note(drops: [.memoryFull: 3, .oversized: 1], losses: [], cursor: 4)
        #expect(account.ledger.accepted == 8)
        #expect(account.ledger.dropped == [.memoryFull: 3, .oversized: 1])
    }
}
