import DaybookBase
import DaybookTools
import DaybookTrials
import Testing

@testable import DaybookCollector

@Suite(.timeLimit(.minutes(5))) struct DecodingTurnsTests {
    @Test("Keys take turns and each key's bodies keep their order") func keysTakeTurns() {
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

    @Test("Limits concurrent decoding and gives everyone a turn") func limitsConcurrentDecoding() async {
        let turns = DecodingTurns(room: 2)
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

    /// Random shares for random senders: never more than the room, never idle if the next share fits, and everyone gets
    /// a turn, each sender's in order of arrival.
    @Test("Shares never exceed the room and everyone gets a turn", arguments: [1, 2, 3, 4, 5] as [UInt64])
    func sharesAreFair(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let room = Int.random(in: 1...100, using: &random)
        var order = TurnOrder<Int>(room: room)
        var amounts: [Int] = []
        var senders: [String] = []
        var (waiting, holding): ([Int], [Int]) = ([], [])
        func check() {
            let used = holding.reduce(0) { $0 + min(amounts[$1], room) }
            #expect(used <= room && order.free == room - used)
            // The room is never empty while anyone waits.
            #expect(waiting.isEmpty || !holding.isEmpty)
            // None of a sender's bodies has overtaken another.
            for who in holding { #expect(!waiting.contains { $0 < who && senders[$0] == senders[who] }) }
        }
        for number in 0..<1_000 {
            amounts.append(Int.random(in: 1...(Bool.random(using: &random) ? 5 : 150), using: &random))
            let (key, address) = (
                "\(Int.random(in: 0..<4, using: &random))", "\(Int.random(in: 0..<3, using: &random))"
            )
            senders.append(key + "@" + address)
            if order.enter(number, amounts[number], key: key, address: address) {
                holding.append(number)
            } else {
                waiting.append(number)
            }
            check()
            while !holding.isEmpty, Int.random(in: 0..<3, using: &random) == 0 || number == 999 {
                let who = holding.remove(at: Int.random(in: holding.indices, using: &random))
                let ready = order.leave(amounts[who])
                waiting.removeAll(where: ready.contains)
                holding += ready
                check()
            }
        }
        #expect(waiting.isEmpty && holding.isEmpty && order.free == room)
    }

    @Test("A sender waits for at most two bodies of another") func largeShareIsNotStarved() {
        for amount in [1, 50, 100, 1_000] {
            var order = TurnOrder<String>(room: 100)
            let entered = (0...50).map { _ in order.enter("greedy", 60, key: "greedy", address: "a") }
            #expect(entered == [true] + [Bool](repeating: false, count: 50))
            let isNow = order.enter("other", amount, key: "other", address: "b")
            #expect(!isNow)
            var before = 0
            var ready: [String] = []
            while !ready.contains("other") {
                ready = order.leave(60)
                before += ready.count { $0 == "greedy" }
            }
            #expect(before <= 2)
        }
    }

    @Test("Small bodies do not wait for large ones, which wait for each other") func smallBodySkipsLarge() async {
        let room = DecodingRoom(processors: 2, memory: 100 << 20)
        let (stored, signal) = AsyncStream.makeStream(of: Void.self)
        let (began, begins) = AsyncStream.makeStream(of: Int.self)
        let large = (0..<2).map { number in
            Task {
                await room.run(70 << 20, for: "greedy", at: "\(number)", decode: { number }) { number in
                    begins.yield(number)
                    for await _ in stored { break }
                }
            }
        }
        var began1 = began.makeAsyncIterator()
        _ = await began1.next()
        for number in 0..<100 {
            let answer = await room.run(DecodingRoom.small, for: "other", at: "c", decode: { number }) { $0 }
            #expect(answer == number)
        }
        signal.yield()
        _ = await began1.next()
        signal.yield()
        for task in large { await task.value }
    }
}
