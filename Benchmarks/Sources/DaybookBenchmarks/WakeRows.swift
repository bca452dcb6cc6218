import CLimit
import Daybook
import Foundation

/// Calls to an immediate output, which wake an idle pipeline.
struct WakeRows {
    private let options: BenchmarkOptions
    private let scale: Scale

    init(_ options: BenchmarkOptions, _ scale: Scale) {
        self.options = options
        self.scale = scale
    }

    func run() throws {
        let pipeline = try Pipeline(directory: options.directory.appendingPathComponent("wake")) {
            Route("**", to: NoOutput())
        }
        let log = pipeline.log("app.search")
        let count = options.isQuick ? 200 : 1000
        guard let sleeper = limit_sleeper_start() else { throw UsageError("no thread can be started") }
        defer { limit_sleeper_end(sleeper) }
        var times: [Double] = []
        var limits: [Double] = []
        for index in 0..<count {
            Thread.sleep(forTimeInterval: 0.002)
            times.append(Measurement.of(1) { _ in log.post(Sample.event(index)) }.nanoseconds)
            // In turns, each after a pause.
            Thread.sleep(forTimeInterval: 0.002)
            limits.append(Measurement.of(1) { _ in limit_sleeper_wake(sleeper) }.nanoseconds)
        }
        printFigure("C: `sem_post` to a thread that sleeps, one per 2 ms, p50", "\(limits.median.text(0)) ns")
        printFigure(
            "typed event to an immediate output that sleeps, one call per 2 ms, p50",
            "\(times.median.text(0)) ns = \((times.median / limits.median).text(2))× `sem_post`",
            target: scale.most(6000, in: .nanosecond), isMet: times.median <= scale.most(6000))
        var bursts: [Double] = []
        for _ in 0..<options.repetitions {
            Thread.sleep(forTimeInterval: 0.05)
            bursts.append(Measurement.of(2000) { for index in 0..<$0 { log.post(Sample.event(index)) } }.nanoseconds)
        }
        printFigure(
            "same in bursts of 2,000, per call", "\(bursts.median.text(0)) ns",
            target: scale.most(200, in: .nanosecond),
            isMet: bursts.median <= scale.most(200))
    }

    private struct NoOutput: Output {
        let id = "none"

        func write(_ record: Record) {}
    }
}
