import DaybookBase
import DaybookTools
import Testing

@testable import DaybookStore

@Suite struct ReadAheadTests {
    private let threads = WorkThreads("test.ahead", count: 1)

    private func take(_ count: Int, of ahead: ReadAhead<Int>) throws -> [Int] {
        try (0..<count).compactMap { _ in try ahead.take() }
    }

    @Test("All elements come in order, then none") func elementsComeInOrder() throws {
        let ahead = ReadAhead<Int>(on: threads) { pass in for number in 0..<1_000 where !pass(number) { return } }
        #expect(try take(1_000, of: ahead) == Array(0..<1_000))
        #expect(try ahead.take() == nil)
        ahead.end()
    }

    @Test("An error comes behind the elements that were made before it", arguments: [0, 1, 2, 7])
    func errorComesLast(_ count: Int) throws {
        let ahead = ReadAhead<Int>(on: threads) { pass throws(StoreError) in
            for number in 0..<count where !pass(number) { return }
            throw StoreError.queryCancelled
        }
        #expect(try take(count, of: ahead) == Array(0..<count))
        #expect(throws: StoreError.queryCancelled) { try ahead.take() }
        ahead.end()
    }

    @Test("At most three elements are made ahead, and none after the end", arguments: [0, 1, 5])
    func endIsTheEnd(_ taken: Int) throws {
        let made = Atomic(0)
        let ahead = ReadAhead<Int>(on: threads) { pass in
            while true {
                let number = made.add(1, ordering: .sequentiallyConsistent)
                guard pass(number) else { return }
            }
        }
        #expect(try take(taken, of: ahead) == (0..<taken).map { $0 + 1 })
        ahead.end()
        let count = made.load(ordering: .sequentiallyConsistent)
        #expect(count <= taken + 3)
        // The thread is free again, and nothing else is made.
        let next = ReadAhead<Int>(on: threads) { pass in _ = pass(-1) }
        #expect(try next.take() == -1)
        next.end()
        #expect(made.load(ordering: .sequentiallyConsistent) == count)
    }
}
