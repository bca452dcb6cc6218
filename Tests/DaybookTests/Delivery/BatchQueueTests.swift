import Testing

@testable import Daybook
@testable import DaybookJournal

struct BatchQueueTests {
    private let launch = JournalStream(journal: JournalID(high: 1, low: 2), epoch: 1)
    private let large = BatchSize(count: .max, bytes: BatchQueue.mostBytes)
    private let context = ContextBytes(resource: [1], attributes: [2], names: [])

    /// Shows the queue a record of some bytes; whether it took it.
    private func collect(
        _ queue: inout BatchQueue, _ sequence: UInt64, of stream: JournalStream? = nil, bytes: Int = 8,
        upTo size: BatchSize? = nil, now: UInt64 = 0
    ) -> Bool {
        let stream = stream ?? launch
        return [UInt8](repeating: 0, count: bytes).withUnsafeBytes { payload in
            let frame = FrameView(
                sequence: sequence, flags: .record, mask: 1, payload: payload,
                context: JournalContext(stream: stream, version: 1, bytes: []), contextUnknown: false, stream: stream,
                origin: nil)
            return queue.collect(frame, context: context, upTo: size ?? large, now: now)
        }
    }

    private func sequences(_ batch: PendingBatch?) -> [UInt64] { batch?.batch.items.map(\.sequence) ?? [] }

    @Test func recordsOfOneLaunchGoIntoOneBatchUntilItIsSent() {
        var queue = BatchQueue(output: "o", cursor: 4, delivered: 4)
        for sequence in UInt64(5)...7 { #expect(collect(&queue, sequence, now: sequence)) }
        #expect(sequences(queue.front) == [5, 6, 7])
        #expect(queue.front?.batch.after == 4)
        #expect(queue.front?.since == 5, "the batch waits since its first record")
        #expect(!queue.isFrontComplete)
        queue.closeFront()
        #expect(queue.isFrontComplete)
        #expect(collect(&queue, 8))
        #expect(sequences(queue.front) == [5, 6, 7])
        queue.settleFront()
        #expect(queue.settled == 7)
        #expect(sequences(queue.front) == [8])
        #expect(queue.front?.batch.after == 7)
    }

    @Test func whatFindsNoRoomStaysInTheJournal() {
        var queue = BatchQueue(output: "o", cursor: 0, delivered: 0)
        #expect(collect(&queue, 1, bytes: BatchQueue.mostBytes))
        #expect(queue.mayHaveRoom(large))
        #expect(collect(&queue, 2, bytes: BatchQueue.mostBytes))
        #expect(!queue.mayHaveRoom(large))
        #expect(!collect(&queue, 3))
        #expect(queue.collected == 2)
        queue.settleFront()
        #expect(collect(&queue, 3))
    }

    @Test func noBatchHasMoreThanItMay() {
        var queue = BatchQueue(output: "o", cursor: 0, delivered: 0)
        let small = BatchSize(count: 3, bytes: 100)
        for sequence in UInt64(1)...6 { #expect(collect(&queue, sequence, upTo: small)) }
        #expect(!queue.mayHaveRoom(small))
        #expect(sequences(queue.front) == [1, 2, 3])
        queue.settleFront()
        #expect(sequences(queue.front) == [4, 5, 6])
        queue.settleFront()
        // By bytes: a single record may have more.
        for (sequence, bytes) in [(7, 60), (8, 40), (9, 200)] {
            #expect(collect(&queue, UInt64(sequence), bytes: bytes, upTo: small))
        }
        #expect(sequences(queue.front) == [7, 8])
        queue.settleFront()
        #expect(sequences(queue.front) == [9])
    }

    @Test func whatIsCutOffABatchIsJoinedWithWhatFollows() {
        var queue = BatchQueue(output: "o", cursor: 0, delivered: 0)
        for sequence in UInt64(1)...5 { #expect(collect(&queue, sequence, upTo: BatchSize(count: 5, bytes: 1_000))) }
        queue.closeFront()
        for sequence in UInt64(6)...8 { #expect(collect(&queue, sequence)) }
        var seen: [[UInt64]] = []
        var after: UInt64 = 0
        var next: UInt64 = 9
        while seen.count < 4 {
            queue.cutFront(to: 3)
            while next <= 11, collect(&queue, next, upTo: BatchSize(count: 3, bytes: 1_000)) { next += 1 }
            #expect(queue.front?.batch.after == after)
            seen.append(sequences(queue.front))
            after = queue.front?.batch.through ?? 0
            queue.settleFront()
            #expect(queue.settled == after)
        }
        #expect(seen == [[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11]])
    }

    @Test(arguments: [3, 100, 4, 1, 0, -1]) func aBatchIsCutToWhatItMayHave(count: Int) {
        // Sizes that come and go, as receivers refuse and take.
        var queue = BatchQueue(output: "o", cursor: 0, delivered: 0)
        var random = UInt64(7)
        var next: UInt64 = 1
        var seen: [UInt64] = []
        while seen.count < 300 {
            for _ in 0..<40 where next <= 300 && collect(&queue, next, bytes: Int(next % 9) * 10) { next += 1 }
            queue.closeFront()
            random = random &* 6_364_136_223_846_793_005 &+ 1
            if random >> 63 == 1, (queue.front?.batch.count ?? 0) > 1 { queue.halveFront() }
            queue.cutFront(to: count)
            guard let batch = queue.front?.batch else { break }
            #expect(batch.count <= max(1, count))
            seen += batch.items.map(\.sequence)
            queue.settleFront()
        }
        #expect(seen == Array(1...300))
    }

    @Test func eachLaunchHasBatchesOfItsOwn() {
        var queue = BatchQueue(output: "o", cursor: 0, delivered: 0)
        let next = JournalStream(journal: launch.journal, epoch: 2)
        #expect(collect(&queue, 1))
        #expect(collect(&queue, 2, of: next))
        #expect(queue.isFrontComplete, "a batch that another one follows cannot grow")
        #expect(queue.mayHaveRoom(large))
        #expect(!collect(&queue, 3), "a third batch is not held in memory")
        #expect(collect(&queue, 3, of: next))
        queue.settleFront()
        #expect(sequences(queue.front) == [2, 3])
        #expect(queue.front?.batch.stream == next.description)
    }

    @Test func theHalvesOfABatchSettleTheSameNumbersOneAfterTheOther() {
        var queue = BatchQueue(output: "o", cursor: 0, delivered: 0)
        for sequence in UInt64(1)...4 { #expect(collect(&queue, sequence, now: 9)) }
        queue.closeFront()
        queue.halveFront()
        #expect(sequences(queue.front) == [1, 2])
        #expect(!queue.mayHaveRoom(large), "a part of a batch that was sent takes no more")
        #expect(Array(queue.positions) == [1, 2, 3, 4])
        queue.halveFront()
        queue.settleFront()
        #expect(queue.settled == 1)
        #expect(queue.isSettled(through: 1) && !queue.isSettled(through: 2))
        queue.settleFront()
        #expect(sequences(queue.front) == [3, 4])
        #expect((queue.front?.batch.after, queue.front?.since, queue.front?.isClosed) == (2, 9, true))
        queue.settleFront()
        #expect(queue.settled == 4)
    }

    @Test func recordsForOthersAreSettledOnceWhatCameBeforeThemIs() {
        var queue = BatchQueue(output: "o", cursor: 0, delivered: 0)
        queue.skip(through: 3)
        #expect(queue.settled == 3)
        #expect(collect(&queue, 4))
        queue.skip(through: 9)
        #expect((queue.settled, queue.collected) == (3, 9))
        queue.settleFront()
        #expect(queue.settled == 9)
    }

    @Test func aBatchBeginsWhereTheOneBeforeEndedWhateverWasSkippedSince() {
        var queue = BatchQueue(output: "o", cursor: 9, delivered: 4)
        queue.skip(through: 12)
        #expect(collect(&queue, 13))
        #expect(queue.front?.batch.after == 4)
        queue.settleFront()
        queue.skip(through: 20)
        #expect((queue.settled, queue.delivered) == (20, 13))
        #expect(collect(&queue, 21))
        #expect(queue.front?.batch.after == 13)
    }

    @Test func aBatchThatWasNotSentIsCoveredByTheNextOne() {
        var queue = BatchQueue(output: "o", cursor: 4, delivered: 4)
        #expect(collect(&queue, 5))
        queue.closeFront()
        #expect(collect(&queue, 6))
        queue.closeFront()
        queue.settleFront(wasSent: false)
        #expect((queue.settled, queue.delivered, queue.front?.batch.after) == (5, 4, 4))
        queue.settleFront(wasSent: false)
        #expect((queue.settled, queue.delivered) == (6, 4))
        #expect(collect(&queue, 7))
        #expect(queue.front?.batch.after == 4)
    }
}
