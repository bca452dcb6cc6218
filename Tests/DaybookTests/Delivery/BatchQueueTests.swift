import DaybookTrials
import Testing

@testable import Daybook
@testable import DaybookJournal

struct BatchQueueTests {
    private let launch = JournalStream(journal: JournalID(high: 1, low: 2), epoch: 1)
    private let large = BatchSize(count: .max, bytes: BatchQueue.mostBytes)

    /// Offers the queue a record; returns whether it was taken.
    private func collect(
        _ queue: inout BatchQueue, _ sequence: UInt64, of stream: JournalStream? = nil, bytes: Int = 8,
        upTo size: BatchSize? = nil, now: UInt64 = 0, in context: UInt8 = 2
    ) -> Bool {
        let stream = stream ?? launch
        return [UInt8](repeating: UInt8(sequence % 251), count: bytes).withUnsafeBytes { payload in
            let frame = FrameView(
                sequence: sequence, flags: .record, mask: 1, payload: payload,
                context: JournalContext(stream: stream, version: 1, bytes: []), contextUnknown: false, stream: stream,
                origin: nil)
            return queue.collect(
                frame, context: ContextBytes(resource: [1], attributes: [context], names: []), upTo: size ?? large,
                now: now)
        }
    }

    private func sequences(_ batch: PendingBatch?) -> [UInt64] { batch?.batch.items.map(\.sequence) ?? [] }

    @Test("Records of one launch join the open batch until it is sent") func fillsBatchUntilSent() {
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

    @Test("Records that do not fit the queue stay in the journal") func fullQueueLeavesRecords() {
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

    @Test("No batch exceeds its limits of count and bytes") func respectsBatchSize() {
        var queue = BatchQueue(output: "o", cursor: 0, delivered: 0)
        let small = BatchSize(count: 3, bytes: 100)
        for sequence in UInt64(1)...6 { #expect(collect(&queue, sequence, upTo: small)) }
        #expect(!queue.mayHaveRoom(small))
        #expect(sequences(queue.front) == [1, 2, 3])
        queue.settleFront()
        #expect(sequences(queue.front) == [4, 5, 6])
        queue.settleFront()
        // The byte limit; a single record may exceed it.
        for (sequence, bytes) in [(7, 60), (8, 40), (9, 200)] {
            #expect(collect(&queue, UInt64(sequence), bytes: bytes, upTo: small))
        }
        #expect(sequences(queue.front) == [7, 8])
        queue.settleFront()
        #expect(sequences(queue.front) == [9])
    }

    @Test("Records cut off a batch are joined with those that follow") func refillsAfterCut() {
        var queue = BatchQueue(output: "o", cursor: 0, delivered: 0)
        for sequence in UInt64(1)...5 { #expect(collect(&queue, sequence, upTo: BatchSize(count: 5, bytes: 1_000))) }
        queue.closeFront()
        for sequence in UInt64(6)...8 { #expect(collect(&queue, sequence)) }
        var seen: [[UInt64]] = []
        var after: UInt64 = 0
        var next: UInt64 = 9
        while seen.count < 4 {
            queue.fitFront(to: BatchSize(count: 3, bytes: 1_000))
            while next <= 11, collect(&queue, next, upTo: BatchSize(count: 3, bytes: 1_000)) { next += 1 }
            #expect(queue.front?.batch.after == after)
            seen.append(sequences(queue.front))
            after = queue.front?.batch.through ?? 0
            queue.settleFront()
            #expect(queue.settled == after)
        }
        #expect(seen == [[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11]])
    }

    @Test("Records moved between batches keep their bytes and contexts") func movedRecordsKeepBytes() throws {
        var queue = BatchQueue(output: "o", cursor: 0, delivered: 0)
        let size = BatchSize(count: 100, bytes: 50)
        for sequence in UInt64(1)...8 { #expect(collect(&queue, sequence, bytes: 10, upTo: size)) }
        queue.closeFront()
        // Cut twice, so that the second remainder has other bytes on both sides.
        queue.fitFront(to: BatchSize(count: 4, bytes: 50))
        queue.fitFront(to: BatchSize(count: 1, bytes: 50))
        queue.settleFront()
        queue.fitFront(to: size)
        #expect(sequences(queue.front) == [2, 3, 4, 5, 6])
        #expect(queue.front?.batch.bytes == 50 && queue.front?.batch.payload.count == 50)
        #expect(queue.front?.batch.contexts.count == 1)
        #expect(collect(&queue, 9, bytes: 10, upTo: size))
        queue.settleFront()
        #expect(sequences(queue.front) == [7, 8, 9] && queue.front?.batch.bytes == 30)
    }

    @Test(
        "A batch holds at least one record, whatever its limits",
        arguments: [BatchSize(count: 0, bytes: 0), BatchSize(count: -1, bytes: .min), BatchSize(count: 1, bytes: 1)])
    func batchHoldsOneRecord(size: BatchSize) {
        var queue = BatchQueue(output: "o", cursor: 0, delivered: 0)
        for sequence in UInt64(1)...3 { #expect(collect(&queue, sequence)) }
        for sequence in UInt64(1)...3 {
            queue.fitFront(to: size)
            #expect(sequences(queue.front) == [sequence])
            queue.settleFront()
        }
        queue.fitFront(to: size)
        #expect(queue.front == nil)
    }

    /// Random record sizes, changing limits, ended launches, resent batches and batches never sent.
    @Test("Random histories yield every record once, in batches within their limits", arguments: 0..<200)
    func everyRecordOnceAtRandom(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let records = UInt64(300)
        let largest = Int.random(in: 1...120, using: &random)
        let bytes = (0...records).map { _ in Int.random(in: 0...largest, using: &random) }
        let launches = (0...records).map { _ in Int.random(in: 0..<80, using: &random) == 0 }
        var stream = launch
        var size = BatchSize(count: 512, bytes: 1_000)
        var queue = BatchQueue(output: "o", cursor: 0, delivered: 0)
        var (next, afters, steps) = (UInt64(1), Set([UInt64(0)]), 0)
        var (seen, kept): ([UInt64], [UInt64]) = ([], [])
        while seen.count < records, steps < 10_000 {
            steps += 1
            for _ in 0..<Int.random(in: 0..<60, using: &random) where next <= records {
                if launches[Int(next)] {
                    stream = JournalStream(journal: stream.journal, epoch: next)
                }
                guard collect(&queue, next, of: stream, bytes: bytes[Int(next)], upTo: size, in: UInt8(next / 3 % 200))
                else { break }
                next += 1
            }
            queue.fitFront(to: size)
            guard let front = queue.front else { continue }
            let batch = front.batch
            let own = batch.items.map { bytes[Int($0.sequence)] }
            #expect(batch.count == 1 || batch.count <= size.count && batch.bytes <= size.bytes)
            #expect(batch.bytes == own.reduce(0, +) && batch.items.map(\.range.count) == own)
            #expect(
                batch.items.allSatisfy { item in
                    batch.payload[item.range].allSatisfy { $0 == UInt8(item.sequence % 251) }
                })
            #expect(batch.items.allSatisfy { batch.contexts[$0.context].attributes == [UInt8($0.sequence / 3 % 200)] })
            #expect(batch.contexts.count <= 150, "what is cut off leaves no contexts behind")
            #expect(afters.contains(batch.after) && batch.through == batch.items.last?.sequence)
            #expect(kept.isEmpty || sequences(front) == kept, "what is sent again is the same")
            let following = Int(batch.through) + 1
            if !front.isClosed, following < next, !launches[following] {
                #expect(
                    batch.count >= size.count || batch.bytes >= size.bytes
                        || batch.bytes + bytes[following] > size.bytes,
                    "it is as full as it may be")
            }
            queue.closeFront()
            kept = []
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4:
                afters = [batch.through]
                seen += sequences(front)
                queue.settleFront()
            case 4:
                afters.insert(batch.through)
                seen += sequences(front)
                queue.settleFront(wasSent: false)
            case 5, 6: size.count = max(1, batch.count / 2)
            case 7: size.bytes = max(1, batch.bytes / 2)
            case 8: kept = sequences(front)
            default:
                size.count = Int.random(in: 1...100, using: &random)
                size.bytes = Int.random(in: 1...2_000, using: &random)
            }
        }
        #expect(seen == Array(1...records))
    }

    @Test("Each launch gets batches of its own") func launchesDoNotShareBatches() {
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

    @Test("The parts of a cut batch settle its sequence numbers in order") func partsSettleInOrder() {
        var queue = BatchQueue(output: "o", cursor: 0, delivered: 0)
        for sequence in UInt64(1)...4 { #expect(collect(&queue, sequence, now: 9)) }
        queue.closeFront()
        queue.fitFront(to: BatchSize(count: 2, bytes: 1_000))
        #expect(sequences(queue.front) == [1, 2] && queue.front?.isClosed == true)
        #expect(Array(queue.positions) == [1, 2, 3, 4])
        queue.fitFront(to: BatchSize(count: 1, bytes: 1_000))
        queue.settleFront()
        #expect(queue.settled == 1)
        #expect(queue.isSettled(through: 1) && !queue.isSettled(through: 2))
        queue.fitFront(to: BatchSize(count: 2, bytes: 1_000))
        #expect(sequences(queue.front) == [2, 3])
        #expect((queue.front?.batch.after, queue.front?.since, queue.front?.isClosed) == (1, 9, false))
        queue.settleFront()
        queue.settleFront()
        #expect(queue.settled == 4)
    }

    @Test("Skipped records are settled once everything before them is") func skippedWaitForEarlier() {
        var queue = BatchQueue(output: "o", cursor: 0, delivered: 0)
        queue.skip(through: 3)
        #expect(queue.settled == 3)
        #expect(collect(&queue, 4))
        queue.skip(through: 9)
        #expect((queue.settled, queue.collected) == (3, 9))
        queue.settleFront()
        #expect(queue.settled == 9)
    }

    @Test("A batch starts where the last delivered one ended, across skipped records") func batchContinuesInterval() {
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

    @Test("The next batch's interval covers one that was never sent") func dropsLeaveNoGap() {
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
