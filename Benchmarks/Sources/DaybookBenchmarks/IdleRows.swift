import Daybook
import DaybookOTLP
import Foundation

/// The memory of an app that logs now and then. Runs first, in a young process.
struct IdleRows {
    private let growth: Int

    /// Opens a pipeline like an app, delivers a few records, and waits until it is idle.
    init(_ options: BenchmarkOptions) async throws {
        // One-time allocations of Foundation and the runtime are not the pipeline's.
        _ = URL(fileURLWithPath: "/")
        _ = ResidentMemory.current
        let before = ResidentMemory.current
        let output = OTLPOutput(
            endpoint: URL(fileURLWithPath: "/"), compression: .none, transport: DiscardingTransport())
        let pipeline = try Pipeline(directory: options.directory.appendingPathComponent("idle")) {
            Route("**", to: output)
        }
        let log = pipeline.log("app.search")
        for index in 0..<1000 { log.post(Sample.event(index)) }
        try await pipeline.flush(deadline: .seconds(30))
        growth = max(0, ResidentMemory.current - before)
        await pipeline.shutdown(deadline: .seconds(5))
    }

    func run() {
        printFigure(
            "memory added to the host, idle after 1,000 records", "\((Double(growth) / 1_048_576).text(1)) MiB",
            target: "≤ 3 MiB", isMet: growth <= 3 << 20)
    }
}
