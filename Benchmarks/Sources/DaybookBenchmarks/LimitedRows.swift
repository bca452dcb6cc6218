import Daybook
import DaybookOTLP
import Foundation
import Synchronization

/// Delivers 3,000 records to a server that refuses requests of over 100 without announcing it.
struct LimitedRows {
    private static let count = 3_000
    private let options: BenchmarkOptions

    init(_ options: BenchmarkOptions) { self.options = options }

    func run() async throws {
        let learning = options.directory.appendingPathComponent("limited")
        try await row("a first launch", in: learning, BatchLimits())
        try await row("the launch after it", in: learning, BatchLimits())
        let told = options.directory.appendingPathComponent("limited-told")
        try await row("BatchLimits(count: 100)", in: told, BatchLimits(count: 100))
    }

    private func row(_ name: String, in directory: URL, _ limits: BatchLimits) async throws {
        var pipelineOptions = PipelineOptions()
        pipelineOptions.report = { _ in }
        let output = LimitedOutput()
        let pipeline = try Pipeline(directory: directory, options: pipelineOptions) {
            Route("**", to: output, batch: limits)
        }
        await pipeline.suspend()
        let log = pipeline.log("app.search")
        for index in 0..<Self.count { log.post(Sample.event(index)) }
        pipeline.resume()
        try await pipeline.flush(deadline: .seconds(60))
        let delivered = await pipeline.ledgers()[output.id]?.delivered ?? 0
        await pipeline.shutdown(deadline: .zero)
        let requests = output.requests.load(ordering: .relaxed)
        printFigure(
            "\(delivered) records to a server that takes 100 at once: \(name)",
            "\(requests) requests, \(output.refused.load(ordering: .relaxed)) refused, "
                + "\(output.transport.bytes.load(ordering: .relaxed) >> 10) KiB",
            target: "≤ 31 requests", isMet: delivered == UInt64(Self.count) && requests <= 31)
    }
}

private final class LimitedOutput: BatchOutput {
    let id = "limited"
    let requests = Atomic(0)
    let refused = Atomic(0)
    let transport = DiscardingTransport()
    private let output: OTLPOutput

    init() {
        output = OTLPOutput(endpoint: URL(fileURLWithPath: "/"), compression: .none, transport: transport)
    }

    func send(_ batch: Batch) async -> Delivery {
        requests.wrappingAdd(1, ordering: .relaxed)
        let answer = await output.send(batch)
        guard batch.count > 100 else { return answer }
        refused.wrappingAdd(1, ordering: .relaxed)
        return .refused(reason: "status 413")
    }
}
