import Daybook
import DaybookOTLP
import Foundation

/// The memory of an app that logs now and then. Measured first, while the process is young.
struct IdleRows {
    private let growth: Int

    /// Opens a pipeline as an app would, delivers a few records, and waits until all is quiet.
    init(_ options: BenchmarkOptions) async throws {
        // One-time allocations of Foundation and the runtime are the app's in any case.
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
