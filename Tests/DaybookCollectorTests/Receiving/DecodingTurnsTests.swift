import DaybookBase
import DaybookTools
import DaybookTrials
import Testing

@testable import DaybookCollector

@Suite(.timeLimit(.minutes(5))) struct DecodingTurnsTests {
    @Test func keysTakeTurnsAndEachKeysBodiesKeepTheirOrder() {
        var queue = FairQueue<String, Int>()
        for number in 0..<6 { queue.add(number, for: "greedy") }
        queue.add(100, for: "good")
        queue.add(200, for: "other")
        queue.add(101, for: "good")
        var taken: [Int] = []
        while let next = queue.takeNext() { taken.append(next) }
        #expect(taken == [0, 100, 200, 1, 101, 2, 3, 4, 5])
        #expect(queue.takeNext() == nil)
    }

    private final class Tally: Sendable {
        let state = Mutex((working: 0, most: 0, done: 0))
    }

    @Test func noMoreThanTheCountWorkAtOnceAndAllGetTheirTurn() async {
        let turns = DecodingTurns(count: 2)
        let tally = Tally()
        let tasks = (0..<200).map { number in
            Task {
                await turns.run(for: "key \(number % 5)", at: "\(number % 3)") {
                    tally.state.withLock { state in
                        state.working += 1
                        state.most = max(state.most, state.working)
                    }
                    tally.state.withLock { state in
                        state.working -= 1
                        state.done += 1
                    }
                }
            }
        }
        for task in tasks { await task.value }
        let (working, most, done) = tally.state.withLock { $0 }
        #expect(working == 0 && (1...2).contains(most) && done == 200)
    }
}
