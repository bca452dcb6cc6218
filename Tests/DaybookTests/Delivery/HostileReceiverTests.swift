import DaybookTrials
import Testing

@testable import Daybook

struct HostileReceiverTests {
    private static let second: UInt64 = 1_000_000_000

    /// A receiver's answers, by the number of the request and its count of records.
    private enum Receiver: CaseIterable {
        case takesOne, takesOneAndAsksAgain, refusesByTurns, asksAtOnce, asksAtOnceByTurns, breaksByTurns, rejectsAll
        case rejectsMore, rejectsLess, redirects, anything

        func answer(_ request: Int, _ count: Int, _ random: inout SeededGenerator) -> Delivery {
            switch self {
            case .takesOne: count == 1 ? .delivered : .refused(reason: "413")
            case .takesOneAndAsksAgain:
                count > 1
                    ? .refused(reason: "413") : request % 2 == 0 ? .delivered : .retry(after: .zero, reason: "429")
            case .refusesByTurns: request % 2 == 0 ? .delivered : .refused(reason: "400")
            case .asksAtOnce: .retry(after: .zero, reason: "429")
            case .asksAtOnceByTurns: request % 5 == 0 ? .delivered : .retry(after: .zero, reason: "429")
            case .breaksByTurns: count > 1 && request % 3 != 0 ? .noAnswer(reason: "cut") : .delivered
            case .rejectsAll: .partly(rejected: count)
            case .rejectsMore: .partly(rejected: .max)
            case .rejectsLess: .partly(rejected: .min)
            case .redirects: .pause(reason: "302")
            case .anything:
                [
                    Delivery.delivered, .refused(reason: "400"), .retry(after: .zero, reason: "429"),
                    .retry(after: .seconds(-1), reason: "503"),
                    .partly(rejected: Int.random(in: -9...9, using: &random)),
                    .reject([0, -1, .max], reason: "no"), .noAnswer(reason: "cut"),
                ].randomElement(using: &random) ?? .delivered
            }
        }
    }

    /// Half an hour of an endless backlog, with occasional flushes and returns to the foreground.
    @Test("A hostile receiver gets a bounded number of requests", arguments: Receiver.allCases, 0..<3)
    private func requestsAreBounded(receiver: Receiver, seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let limits = BatchLimits(count: 100, bytes: 1 << 20)
        var machine = DeliveryMachine(limits: limits, backoff: Backoff())
        let length = 1_800
        let end = UInt64(length) * Self.second
        var (now, requests, done, set, told) = (UInt64(0), 0, 0, 0, false)
        var (nextFlush, isClamped, isWaiting) = (UInt64(0), true, true)
        while now < end {
            if now >= nextFlush {
                nextFlush = now + UInt64.random(in: 60...900, using: &random) * Self.second
                machine.flush(now: now, ignoringWaits: true)
                if Bool.random(using: &random) { machine.resume(now: now) }
            }
            let count = min(machine.size.count, 100)
            let decision = machine.poll(count: count, bytes: 100, since: 0, isComplete: true, now: now)
            guard case .send = decision else {
                guard case .wait(let until) = decision else { return }
                // A machine that asks to wait must not be free, or it would be polled again at once.
                isWaiting = isWaiting && !machine.isFree(at: now)
                now = min(until ?? nextFlush, nextFlush)
                continue
            }
            requests += 1
            now += Self.second / 100
            let answer = receiver.answer(requests, count, &random)
            switch machine.finish(answer, count: count, now: now, jitter: Double.random(in: 0..<1, using: &random)) {
            case .advance(let rejected):
                isClamped = isClamped && (0...count).contains(rejected)
                done += count
            case .setAside: set += 1
            case .keep, .cut: break
            }
            told = told || machine.isPaced(at: now) || machine.trouble != nil
        }
        #expect(isClamped)
        #expect(isWaiting)
        // One request a second, those the backoff spaces, and those for full batches.
        let bound = length + length / 4 + 60 + 4 * done / 100
        #expect(requests <= bound, "\(receiver), seed \(seed): \(requests) requests for \(done) records")
        let isFast = [.rejectsAll, .rejectsMore, .rejectsLess].contains(receiver)
        #expect(told != isFast, "\(receiver), seed \(seed)")
        #expect(done + set > 0 || receiver == .asksAtOnce || receiver == .redirects)
        guard receiver == .asksAtOnce else { return }
        #expect(requests < length / 5, "\(requests) requests that nothing came of")
    }

    @Test("A receiver that accepts only small batches is served without delay") func smallLimitIsServedFast() {
        var machine = DeliveryMachine(limits: BatchLimits(count: 100, bytes: 1 << 20), backoff: Backoff())
        var (now, done) = (UInt64(0), 0)
        while done < 10_000 {
            let count = min(machine.size.count, 100)
            switch machine.poll(count: count, bytes: 100, since: 0, isComplete: true, now: now) {
            case .wait(let until): now = until ?? .max
            case .send:
                let answer: Delivery = count > 80 ? .refused(reason: "413") : .delivered
                if case .advance = machine.finish(answer, count: count, now: now, jitter: 0.5) { done += count }
            }
        }
        #expect(now < 60 * Self.second, "\(now / Self.second) s")
    }
}
