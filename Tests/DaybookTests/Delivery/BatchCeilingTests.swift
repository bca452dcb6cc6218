import DaybookTrials
import Testing

@testable import Daybook

struct BatchCeilingTests {
    /// Drains a backlog into a receiver that accepts at most `most` records a batch.
    private func drain(
        _ records: Int, takenAtOnce most: Int, upTo limits: BatchLimits = BatchLimits(), note: UInt32 = 0,
        bad: Set<Int> = [], refusal: Delivery = .refused(reason: "413"),
        isDown: (_ request: Int) -> Bool = { _ in false }
    ) -> (requests: Int, refused: Int, setAside: [Int], note: UInt32) {
        var machine = DeliveryMachine(limits: limits, backoff: Backoff())
        machine.ceiling = BatchCeiling(note: note)
        var (sent, requests, refused, setAside) = (0, 0, 0, [Int]())
        while sent < records {
            // Each record is 100 bytes.
            let batch = sent..<min(records, sent + min(machine.size.count, machine.size.bytes / 100))
            // Far enough apart that no backoff is pending.
            let now = UInt64(requests) << 50
            #expect(
                machine.poll(count: batch.count, bytes: batch.count * 100, since: 0, isComplete: true, now: now)
                    == .send)
            requests += 1
            let isUp = !isDown(requests)
            let isTaken = batch.count <= most && bad.isDisjoint(with: batch) && isUp
            refused += isTaken ? 0 : 1
            let answer = isTaken ? .delivered : isUp ? refusal : .noAnswer(reason: "down")
            switch machine.finish(answer, count: batch.count, now: now, jitter: 0) {
            case .advance: sent = batch.upperBound
            case .setAside:
                setAside.append(sent)
                sent += 1
            case .cut, .keep: break
            }
            guard requests < 10_000 else {
                Issue.record("no end")
                break
            }
        }
        return (requests, refused, setAside, machine.ceiling.note)
    }

    @Test("Delivers 3,000 records in 31 requests to a receiver limited to 100") func convergesOnHundred() {
        let first = drain(3_000, takenAtOnce: 100)
        #expect(first.requests == 31 && first.refused == 1)
        let second = drain(3_000, takenAtOnce: 100, note: first.note)
        #expect(second.requests <= 31 && second.refused <= 1)
        #expect(drain(3_000, takenAtOnce: 100, upTo: BatchLimits(count: 100)).refused == 0)
    }

    @Test(
        "Delivers everything to any receiver with few refusals",
        arguments: [1, 2, 5, 10, 25, 50, 99, 100, 101, 250, 499, 500, 511, 512, 1_000, 5_000])
    func fewRefusalsAtAnyLimit(most: Int) {
        let records = most * 200
        let first = drain(records, takenAtOnce: most)
        #expect(first.setAside.isEmpty)
        #expect(first.refused <= 12, "\(first)")
        // The next launch knows the limit and rarely tries larger batches.
        let second = drain(records, takenAtOnce: most, note: first.note)
        #expect(second.refused <= 2 + second.requests / 100, "\(second)")
        #expect(second.requests <= first.requests)
    }

    @Test(
        "A record the receiver rejects does not lower the batch size",
        arguments: [[0], [70], [511], [512], [3, 4, 5], [0, 700, 2_999]])
    func badRecordTeachesNoLimit(bad: [Int]) {
        let result = drain(3_000, takenAtOnce: .max, bad: Set(bad))
        #expect(result.setAside == bad)
        #expect(result.note == 0, "no limit was learned")
        #expect(result.refused <= 12 * bad.count)
        let both = drain(3_000, takenAtOnce: 100, bad: Set(bad))
        #expect(both.setAside == bad && both.requests <= 31 + 48 * bad.count, "\(both)")
    }

    @Test(
        "Dropped connections reveal the largest batch a receiver accepts",
        arguments: [1, 2, 3, 9, 10, 60, 99, 100, 101, 300, 511, 512, 1_000, 5_000])
    func brokenConnectionsTeachSize(most: Int) {
        let broken = Delivery.noAnswer(reason: "reset")
        let first = drain(max(3_000, most * 200), takenAtOnce: most, refusal: broken)
        #expect(first.setAside.isEmpty && first.refused <= 100, "\(first)")
        #expect((1...most).contains(Int(first.note >> 8)), "\(first)")
        let second = drain(3_000, takenAtOnce: most, note: first.note, refusal: broken)
        #expect(second.refused <= 6 + second.requests / 50, "\(second)")
    }

    @Test("An outage of any length leaves the batch size unchanged", arguments: 0..<100) func outageTeachesNoSize(
        seed: UInt64
    ) {
        // Outages of any length, with at least two requests in between.
        var random = SeededGenerator(seed: seed)
        var down: Set<Int> = []
        var request = 1
        while request < 200 {
            request += Int.random(in: 2...9, using: &random)
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                down.insert(request)
                request += 1
            }
        }
        let result = drain(30_000, takenAtOnce: .max, isDown: down.contains)
        #expect(result.setAside.isEmpty && result.note == 0, "\(result)")
        #expect(drain(30_000, takenAtOnce: 100, note: 100 << 8 | 255, isDown: down.contains).note >> 8 == 100)
    }

    @Test("A server that recovers for a single request leaves the size unchanged") func flappingTeachesNoSize() {
        for length in 3...20 {
            let result = drain(5_000, takenAtOnce: .max) {
                (1...length).contains($0) || (length + 2...2 * length + 1).contains($0)
            }
            #expect(result.note == 0, "\(length): \(result)")
        }
    }

    @Test("A size guessed after lost connections is remembered only once confirmed") func doubtIsNotRemembered() {
        var ceiling = BatchCeiling()
        ceiling.lose(512)
        #expect(ceiling.count == .max)
        ceiling.lose(512)
        #expect((ceiling.count, ceiling.note) == (100, 0))
        ceiling.lose(100)
        #expect((ceiling.count, ceiling.note) == (50, 0))
        ceiling.take(50)
        #expect((ceiling.count, ceiling.note) == (512, 0), "it may have been an outage")
        ceiling.lose(512)
        #expect(ceiling.count == 512)
        ceiling.lose(512)
        #expect((ceiling.count, ceiling.note) == (50, 0))
        ceiling.take(50)
        #expect((ceiling.count, ceiling.note) == (100, 0), "as after a refusal")
        for _ in 0..<5 { ceiling.take(100) }
        #expect(ceiling.note >> 8 == 100)
    }

    @Test("Tries larger batches slowly and backs off after a refused trial") func growsSlowlyAfterRefusal() {
        var ceiling = BatchCeiling()
        ceiling.refuse(512)
        for _ in 0..<6 { ceiling.take(100) }
        #expect(ceiling.count == 100)
        // Small batches prove nothing about the limit.
        for _ in 0..<1_000 { ceiling.take(99) }
        #expect(ceiling.count == 100)
        for _ in 0..<32 { ceiling.take(100) }
        #expect(ceiling.count == 125)
        ceiling.refuse(125)
        #expect(ceiling.count == 100)
        for _ in 0..<200 { ceiling.take(100) }
        #expect(ceiling.count == 100)
        for _ in 0..<60 { ceiling.take(100) }
        #expect(ceiling.count == 125)
    }

    @Test("A launch starts with the batch size the previous one learned") func ceilingSurvivesLaunch() {
        var ceiling = BatchCeiling()
        ceiling.refuse(512)
        #expect(ceiling.note == 0, "whether it was the size is not known yet")
        for _ in 0..<6 { ceiling.take(100) }
        for _ in 0..<8 { ceiling.take(100) }
        var next = BatchCeiling(note: ceiling.note)
        #expect(next.count == 100)
        for _ in 0..<24 { next.take(100) }
        #expect(next.count == 125, "the wait for a larger one goes on")
    }

    @Test("Clamps batch limits to at least one", arguments: [0, -1, .min, 1]) func clampsLimits(value: Int) {
        var limits = BatchLimits()
        (limits.count, limits.bytes) = (value, value)
        #expect((limits.count, limits.bytes, limits.backlogBytes) == (1, 1, 0))
        let given = BatchLimits(count: value, bytes: value)
        #expect((given.count, given.bytes, given.backlogBytes) == (1, 1, 0))
    }

    @Test("The batch size grows again although a transform thins the batches", arguments: [2, 3, 10, 50])
    func growsUnderTransform(factor: Int) {
        var machine = DeliveryMachine(limits: BatchLimits(), backoff: Backoff())
        func send(_ delivery: Delivery) -> DeliveryMachine.Outcome {
            let count = machine.size.count
            return machine.finish(delivery, count: count, sent: count / factor, now: 0, jitter: 0)
        }
        #expect(send(.refused(reason: "413")) == .cut)
        #expect(machine.size.count == 100)
        for _ in 0..<38 { #expect(send(.delivered) == .advance(rejected: 0)) }
        #expect(machine.size.count == 125)
        // If only one record of a batch is left, that record is at fault.
        #expect(machine.finish(.refused(reason: "bad"), count: 100, sent: 1, now: 0, jitter: 0) == .setAside)
        #expect(machine.size.count == 125)
    }

    @Test("A route's batch limits hold unless it allows a larger backlog") func routeLimitsHold() {
        func size(_ limits: BatchLimits, taken: Bool) -> (count: Int, bytes: Int) {
            var machine = DeliveryMachine(limits: limits, backoff: Backoff())
            if taken { machine.ceiling.take(10) }
            return (machine.size.count, machine.size.bytes)
        }
        for taken in [false, true] {
            #expect(size(BatchLimits(count: 10), taken: taken) == (10, 256_000))
            #expect(size(BatchLimits(bytes: 64_000), taken: taken) == (512, 64_000))
            var changed = BatchLimits()
            changed.count = 20
            #expect(size(changed, taken: taken) == (20, 256_000))
        }
        #expect(size(BatchLimits(), taken: false) == (512, 256_000))
        #expect(size(BatchLimits(delay: .seconds(1)), taken: true) == (.max, 1 << 20))
        #expect(size(BatchLimits(count: 10, backlogBytes: 500_000), taken: true) == (.max, 500_000))
    }
}
