import DaybookBase
import Testing

@testable import DaybookCollector

@Suite struct MemoryWatchTests {
    @Test("A process is stopped at the first reading over its bound") func stopsOverBound() {
        let readings = Mutex([10, 99, 100, 101, 5])
        var watch = MemoryWatch(most: 100) { process in
            #expect(process == 7)
            return readings.withLock { $0.removeFirst() }
        }
        let start = ContinuousClock.now
        let verdicts = (0..<5).map { watch.verdict(on: 7, at: start + MemoryWatch.interval * $0) }
        #expect(verdicts == [.goOn, .goOn, .goOn, .stop, .goOn])
    }

    @Test("Memory is read once in an interval") func readsOncePerInterval() {
        let count = Mutex(0)
        var watch = MemoryWatch(most: 0) { _ in
            count.withLock { $0 += 1 }
            return 1
        }
        let start = ContinuousClock.now
        #expect(watch.verdict(on: 1, at: start) == .stop)
        #expect(watch.verdict(on: 1, at: start + MemoryWatch.interval / 2) == .goOn)
        #expect(watch.verdict(on: 1, at: start + MemoryWatch.interval) == .stop)
        #expect(count.withLock { $0 } == 2)
    }

    @Test("A process that has ended is not stopped") func ignoresEndedProcess() {
        var watch = MemoryWatch(most: 0) { _ in nil }
        #expect(watch.verdict(on: 1, at: .now) == .goOn)
    }
}
