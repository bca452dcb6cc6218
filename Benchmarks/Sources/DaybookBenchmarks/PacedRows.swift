import Daybook
import Foundation

/// Calls as in an app, with pauses in which caches cool and the drain thread works.
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
        let ring = try CRing(in: options.directory)
        let count = options.isQuick ? 500 : 4000
        var times: [Double] = []
        var limits: [Double] = []
        times.reserveCapacity(count)
        limits.reserveCapacity(count)
        for index in 0..<count {
            Thread.sleep(forTimeInterval: 0.001)
            let event = Sample.event(index)
            times.append(Measurement.of(1) { _ in log.post(event) }.nanoseconds)
            // In turns, each after a pause.
            Thread.sleep(forTimeInterval: 0.001)
            limits.append(Measurement.of(1) { _ in ring.log(1) }.nanoseconds)
        }
        let (middle, p99, p999) = (times.median, times.quantile(0.99), times.quantile(0.999))
        printFigure(
            "C into a warm mapped ring, one call per ms, p50 / p99.9",
            "\(limits.median.text(0)) / \(limits.quantile(0.999).text(0)) ns")
        printFigure(
            "typed event, one call per ms, p50",
            "\(middle.text(0)) ns = \((middle / limits.median).text(2))× the C ring's", target: "≤ 3.2×",
            isMet: middle <= 3.2 * limits.median)
        printFigure("same, p99", "\(p99.text(0)) ns")
        printFigure(
            "same, p99.9, the drain thread running", "\(p999.text(0)) ns",
            target: scale.most(10_000, in: .nanosecond), isMet: p999 <= scale.most(10_000))
    }
}
