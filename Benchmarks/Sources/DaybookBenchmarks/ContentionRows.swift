import Daybook
import Foundation
import Synchronization

/// Two threads that log to one pipeline at the same time.
struct ContentionRows {
    private let options: BenchmarkOptions

    init(_ options: BenchmarkOptions) { self.options = options }

    func run() throws {
        let pipeline = try Pipeline(directory: options.directory.appendingPathComponent("threads")) {
            Route("**", to: DiscardingOutput())
        }
        let log = pipeline.log("app.search")
        let count = options.isQuick ? 50_000 : 200_000
        _ = Self.nanosecondsPerCall(log, threads: 2, count: count / 10)
        var single: [Double] = []
        var ratios: [Double] = []
        var double: [Double] = []
        for _ in 0..<options.repetitions {
            let one = Self.nanosecondsPerCall(log, threads: 1, count: count)
            let two = Self.nanosecondsPerCall(log, threads: 2, count: count)
            single.append(one)
            double.append(two)
            ratios.append(two / one)
        }
        printFigure("typed event on a thread of its own", "\(single.median.text(1)) ns")
        printFigure(
            "typed event, two threads on one pipeline, per call and thread",
            "\(double.median.text(1)) ns = \(ratios.median.text(2))× one thread", target: "≤ 2.2×",
            isMet: ratios.median <= 2.2)
    }

    /// A million calls from two threads: more than the ring holds, and faster than a file is created.
    func runBurst() async throws {
        var options = PipelineOptions()
        options.report = { _ in }
        options.journal.capBytes = 1 << 30
        let pipeline = try Pipeline(
            directory: self.options.directory.appendingPathComponent("burst"), options: options
        ) {
            Route("**", to: RefusingOutput("otlp"))
        }
        let count = self.options.isQuick ? 100_000 : 1_000_000
        let time = Self.nanosecondsPerCall(pipeline.log("app.search"), threads: 2, count: count / 2)
        let ledger = await pipeline.ledgers()["otlp"]
        await pipeline.shutdown(deadline: .zero)
        let lost = ledger?.dropped.values.reduce(0, +) ?? 0
        printFigure(
            "a burst of \(count) events on two threads, none delivered",
            "\((time * Double(count / 2) / 1e6).text(0)) ms, \(lost) dropped", target: "none dropped", isMet: lost == 0)
    }

    /// From the first thread's start to the last one's end, per call of one thread.
    private static func nanosecondsPerCall(_ log: Log, threads: Int, count: Int) -> Double {
        let gate = Gate()
        let done = DispatchSemaphore(value: 0)
        let visit = Sample.visit
        for _ in 0..<threads {
            let thread = Thread {
                gate.ready.wrappingAdd(1, ordering: .sequentiallyConsistent)
                while !gate.isOpen.load(ordering: .acquiring) {}
                for index in 0..<count {
                    log.post(
                        RecipeSearch.search(
                            keyword: Sample.keyword, recipeId: Int64(index), position: 7, isCold: true, visit: visit))
                }
                done.signal()
            }
            thread.start()
        }
        while gate.ready.load(ordering: .acquiring) < threads { Thread.sleep(forTimeInterval: 0.000_1) }
        let start = ContinuousClock.now
        gate.isOpen.store(true, ordering: .releasing)
        for _ in 0..<threads { done.wait() }
        return (ContinuousClock.now - start).nanoseconds / Double(count)
    }

    /// Holds threads back until all are ready.
    private final class Gate: Sendable {
        let ready = Atomic<Int>(0)
        let isOpen = Atomic<Bool>(false)
    }
}
