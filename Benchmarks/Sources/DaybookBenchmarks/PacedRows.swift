import Daybook
import Foundation

/// Calls as they come in an app: one at a time, with pauses in which caches cool and the drain thread works.
struct PacedRows {
    private let options: BenchmarkOptions
    private let scale: Scale

    init(_ options: BenchmarkOptions, _ scale: Scale) {
        self.options = options
        self.scale = scale
    }

    func run() throws {
        let pipeline = try Pipeline(directory: options.directory.appendingPathComponent("paced")) {
            Route("**", to: DiscardingOutput())
        }
        let log = pipeline.log("app.search")
        let count = options.isQuick ? 500 : 4000
        var times: [Double] = []
        times.reserveCapacity(count)
        for index in 0..<count {
            Thread.sleep(forTimeInterval: 0.001)
            let event = Sample.event(index)
            times.append(Measurement.of(1) { _ in log.post(event) }.nanoseconds)
        }
        let (middle, p99, p999) = (times.median, times.quantile(0.99), times.quantile(0.999))
        printFigure(
            "typed event, one call per ms, p50", "\(middle.text(0)) ns", target: scale.most(2000, in: .nanosecond),
            isMet: middle <= scale.most(2000))
        printFigure("same, p99", "\(p99.text(0)) ns")
        printFigure(
            "same, p99.9, the drain thread running", "\(p999.text(0)) ns",
            target: scale.most(20_000, in: .nanosecond), isMet: p999 <= scale.most(20_000))
    }
}
