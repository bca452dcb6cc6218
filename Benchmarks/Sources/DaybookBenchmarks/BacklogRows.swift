import Daybook
import DaybookOTLP
import Foundation

/// A million records into a journal, out of it, and a journal that has much to deliver when it is opened.
struct BacklogRows {
    private let options: BenchmarkOptions
    private let count: Int

    init(_ options: BenchmarkOptions) {
        self.options = options
        count = options.isQuick ? 100_000 : 1_000_000
    }

    func run() async throws {
        let directory = options.directory.appendingPathComponent("million")
        try await fill(directory)
        try await drain(directory)
        try await open()
    }

    /// An output that takes nothing, so that all stays in the journal.
    private func backlog(in directory: URL, bytes: Int) throws -> Pipeline<EmptyContext> {
        var pipelineOptions = PipelineOptions()
        pipelineOptions.journal.capBytes = 2 * bytes
        pipelineOptions.report = { _ in }
        return try Pipeline(directory: directory, options: pipelineOptions) {
            Route("**", to: RefusingOutput("otlp"))
        }
    }

    private func post(_ count: Int, to log: Log) {
        let visit = Sample.visit
        for index in 0..<count {
            log.post(
                RecipeSearch.search(
                    keyword: Sample.keyword, recipeId: Int64(index), position: 7, isCold: true, visit: visit))
        }
    }

    private func fill(_ directory: URL) async throws {
        let pipeline = try backlog(in: directory, bytes: count * 256)
        let log = pipeline.log("app.search")
        let start = ContinuousClock.now
        post(count, to: log)
        let seconds = (ContinuousClock.now - start).nanoseconds / 1e9
        await pipeline.shutdown(deadline: .zero)
        printFigure(
            "fill \(count) records, none delivered", "\((seconds * 1000).text(0)) ms", target: "≤ 300 ms a million",
            isMet: seconds <= 0.3 * Double(count) / 1e6)
    }

    private func drain(_ directory: URL) async throws {
        var pipelineOptions = PipelineOptions()
        pipelineOptions.journal.capBytes = 512 * count
        let transport = DiscardingTransport()
        let output = OTLPOutput(
            endpoint: URL(fileURLWithPath: "/"), compression: .none, transport: transport)
        let memory = ResidentMemory.current
        let start = ContinuousClock.now
        let pipeline = try Pipeline(directory: directory, options: pipelineOptions) { Route("**", to: output) }
        try await pipeline.flush(deadline: .seconds(120))
        let seconds = (ContinuousClock.now - start).nanoseconds / 1e9
        let growth = max(0, transport.peakMemory.load(ordering: .relaxed) - memory) >> 20
        let delivered = await pipeline.ledgers()["otlp"]?.delivered ?? 0
        await pipeline.shutdown(deadline: .zero)
        let rate = Double(delivered) / seconds
        printFigure(
            "drain \(delivered) records as OTLP requests, discarded",
            "\((rate / 1000).text(0)) k records/s, "
                + "\(transport.bytes.load(ordering: .relaxed) >> 20) MiB of requests",
            target: "≥ 1,000 k/s", isMet: delivered == UInt64(count) && rate >= 1e6)
        printFigure("memory added meanwhile", "\(growth) MiB", target: "≤ 32 MiB", isMet: growth <= 32)
    }

    private func open() async throws {
        let bytes = options.isQuick ? options.backlogBytes / 8 : options.backlogBytes
        let directory = options.directory.appendingPathComponent("backlog")
        do {
            let pipeline = try backlog(in: directory, bytes: bytes)
            post(bytes / 256, to: pipeline.log("app.search"))
            await pipeline.shutdown(deadline: .zero)
        }
        var times: [Double] = []
        for _ in 0..<5 {
            let start = ContinuousClock.now
            let pipeline = try backlog(in: directory, bytes: bytes)
            times.append((ContinuousClock.now - start).milliseconds)
            await pipeline.shutdown(deadline: .zero)
        }
        let isWhole = options.backlogBytes >= 1 << 30 && !options.isQuick
        printFigure(
            "open a journal with \(bytes >> 20) MiB of backlog", "\(times.median.text(1)) ms",
            target: "≤ 20 ms for 1 GiB", isMet: isWhole || times.median > 20 ? times.median <= 20 : nil)
    }
}
