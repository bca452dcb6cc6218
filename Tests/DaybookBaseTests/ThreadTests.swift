import DaybookBase
import Foundation
import Testing

struct ThreadTests {
    private enum Step: UInt8, AtomicWord, CaseIterable { case first = 3, second = 200 }

    private func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
        DispatchQueue.concurrentPerform(iterations: count, execute: body)
    }

    @Test("A mutex lets in one thread at a time") func mutexExcludes() {
        let numbers = Mutex<[Int]>([])
        onThreads(8) { thread in
            for number in 0..<2_000 { numbers.withLock { $0.append(thread * 2_000 + number) } }
        }
        #expect(numbers.withLock { Set($0) } == Set(0..<16_000))
        #expect(numbers.withLock { $0.count } == 16_000)
    }

    @Test("A mutex is unlocked after an error") func mutexUnlocksOnError() {
        struct Failure: Error {}
        let value = Mutex(1)
        #expect(throws: Failure.self) {
            try value.withLock { number in
                number = 2
                throw Failure()
            }
        }
        #expect(value.withLock { $0 } == 2)
    }

    @Test("A mutex releases its value when it is destroyed") func mutexReleasesValue() {
        final class Witness: Sendable {
            let ended: Mutex<Int>
            init(_ ended: borrowing Mutex<Int>) { self.ended = Mutex(ended.withLock { $0 }) }
        }
        weak var seen: Witness?
        do {
            let count = Mutex(1)
            let witness = Witness(count)
            seen = witness
            let holder = Mutex<Witness?>(witness)
            #expect(holder.withLock { $0 } != nil)
        }
        #expect(seen == nil)
    }

    @Test("Concurrent sums are exact") func atomicSumsAreExact() {
        let sum = Atomic<Int>(0)
        let words = Atomic<UInt64>(.max)
        onThreads(8) { _ in
            for _ in 0..<10_000 {
                sum.add(3, ordering: .relaxed)
                sum.subtract(1, ordering: .sequentiallyConsistent)
                words.add(1, ordering: .relaxed)
            }
        }
        #expect(sum.load(ordering: .relaxed) == 160_000)
        #expect(words.load(ordering: .sequentiallyConsistent) == 79_999)
    }

    @Test("Only one of many threads wins a compare-exchange") func oneThreadExchanges() {
        let isTaken = Atomic<Bool>(false)
        let takers = Atomic<Int>(0)
        onThreads(8) { _ in
            if isTaken.compareExchange(expected: false, desired: true).exchanged { takers.add(1, ordering: .relaxed) }
        }
        #expect(takers.load(ordering: .acquiring) == 1)
        let wasTaken = isTaken.exchange(false, ordering: .sequentiallyConsistent)
        #expect(wasTaken)
    }

    @Test("Narrow atomics keep their values") func narrowAtomicsWrap() {
        let byte = Atomic<UInt8>(255)
        let before = byte.exchange(0, ordering: .relaxed)
        #expect(before == 255)
        let half = Atomic<UInt32>(.max)
        let sum = half.add(1, ordering: .relaxed)
        #expect(sum == 0)
        #expect(half.load(ordering: .acquiring) == 0)
        let signed = Atomic<Int>(-1)
        #expect(signed.load(ordering: .relaxed) == -1)
        for step in Step.allCases {
            let place = Atomic(step)
            #expect(place.load(ordering: .relaxed) == step)
        }
    }

    @Test("Writes before a release are visible after the acquire") func releasePublishes() {
        for _ in 0..<200 {
            let data = Mutex(0)
            let isReady = Atomic<Bool>(false)
            onThreads(2) { thread in
                if thread == 0 {
                    data.withLock { $0 = 7 }
                    isReady.store(true, ordering: .releasing)
                } else if isReady.load(ordering: .acquiring) {
                    #expect(data.withLock { $0 } == 7)
                }
            }
        }
    }
}
