import DaybookBase
import DaybookTools
import DaybookTrials
import Foundation
import Testing

@testable import DaybookHTTPServer

@Suite(.timeLimit(.minutes(5))) struct PlacesTests {
    private static func group(_ name: String) -> BodyGroup { .address(name) }

    @Test("A client takes at most half of the free places", arguments: 1...64) func clientSharesPlaces(count: Int) {
        var places = Places<Int>(count: count, queueLimit: 0)
        let first = (0..<100).count { places.enter($0, as: Self.group("a")) == .now }
        #expect(first == (count + 1) / 2)
        let second = (0..<100).count { places.enter($0, as: Self.group("b")) == .now }
        #expect(second == (count - first + 1) / 2)
    }

    @Test("Waiting requests get places in turn by client") func placesTakeTurns() {
        var places = Places<String>(count: 2, queueLimit: 8)
        #expect(places.enter("a1", as: Self.group("a")) == .now)
        for name in ["a2", "a3", "a4"] { #expect(places.enter(name, as: Self.group("a")) == .later) }
        #expect(places.enter("b1", as: Self.group("b")) == .now)
        #expect(places.enter("b2", as: Self.group("b")) == .later)
        #expect(places.leave(Self.group("a"))?.waiting == "a2")
        #expect(places.leave(Self.group("b"))?.waiting == "b2")
        #expect(places.leave(Self.group("a"))?.waiting == "a3")
    }

    @Test("One client cannot fill the queue") func clientCannotFillQueue() {
        var places = Places<Int>(count: 1, queueLimit: 8)
        #expect(places.enter(0, as: Self.group("other")) == .now)
        let waiting = (0..<100).count { places.enter($0, as: Self.group("a")) == .later }
        #expect(waiting == 4)
        #expect(places.enter(0, as: Self.group("b")) == .later)
        #expect(places.enter(0, as: Self.group("a")) == .full)
    }

    /// No place is given twice and none is lost.
    @Test("Every waiting request gets a place, whatever arrives", arguments: 0..<200) func everyWaiterHasTurn(
        seed: UInt64
    ) {
        var random = SeededGenerator(seed: seed)
        let count = Int.random(in: 1...8, using: &random)
        var places = Places<Int>(count: count, queueLimit: 20)
        var working: [(number: Int, group: BodyGroup)] = []
        var waiting: Set<Int> = []
        for number in 0..<300 {
            let group = Self.group("\(Int.random(in: 0..<4, using: &random))")
            switch places.enter(number, as: group) {
            case .now: working.append((number, group))
            case .later: waiting.insert(number)
            case .full: #expect(waiting.count >= 10)
            }
            #expect(working.count <= count)
            guard Bool.random(using: &random), !working.isEmpty else { continue }
            let done = working.remove(at: Int.random(in: 0..<working.count, using: &random))
            if let next = places.leave(done.group) {
                #expect(waiting.remove(next.waiting) != nil)
                working.append((next.waiting, next.group))
            }
        }
        while let done = working.popLast() {
            if let next = places.leave(done.group) {
                #expect(waiting.remove(next.waiting) != nil)
                working.append((next.waiting, next.group))
            }
        }
        #expect(waiting.isEmpty)
    }

    private final class Sum: Sendable {
        let count = Atomic(0)
    }

    /// So that `top -H` shows them.
    @Test("Worker threads have names that the system shows") func threadsAreNamed() async {
        let threads = WorkThreads("daybook.named", count: 1)
        await threads.run {
            #if os(Linux)
                let name = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
                #expect(name == "daybook.named\n")
            #else
                #expect(Thread.current.name == "daybook.named")
            #endif
        }.value
        threads.stop()
    }

    /// Every thread of a pool may block; other pools continue, and so do child tasks.
    @Test("Blocked threads delay only their own pool") func blockedThreadsStayApart() async {
        let (blocked, free) = (WorkThreads("blocked", count: 2), WorkThreads("free", count: 1))
        let gate = DispatchSemaphore(value: 0)
        let held = (0..<4).map { _ in blocked.run { gate.blockThread() } }
        let sum = Sum()
        await free.run {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<20 { group.addTask { _ = sum.count.add(1, ordering: .relaxed) } }
            }
            let beside: Task<Void, Never> = WorkThreads.runBeside { _ = sum.count.add(1, ordering: .relaxed) }
            await beside.value
        }.value
        #expect(sum.count.load(ordering: .relaxed) == 21)
        for _ in held { gate.signal() }
        for task in held { await task.value }
        blocked.stop()
        free.stop()
        // Work submitted after the end still runs.
        await blocked.run { _ = sum.count.add(1, ordering: .relaxed) }.value
        #expect(sum.count.load(ordering: .relaxed) == 22)
    }
}

extension DispatchSemaphore {
    /// Blocks the thread, as a handler must not.
    func blockThread() { wait() }
}
