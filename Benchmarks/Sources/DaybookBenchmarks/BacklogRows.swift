import Daybook
import DaybookHTTPServer
import DaybookOTLP
import Foundation

/// A million records into a journal and out of it, and opening a journal with a large backlog.
struct BacklogRows {
    private let options: BenchmarkOptions
    private let scale: Scale
    private let count: Int

    init(_ options: BenchmarkOptions, _ scale: Scale) {
        self.options = options
        self.scale = scale
        count = options.isQuick ? 100_000 : 1_000_000
    }

    func run() async throws {
        let directory = options.directory.appendingPathComponent("million")
        try await fill(directory)
        try await drain(directory)
        let second = options.directory.appendingPathComponent("second-million")
        let pipeline = try backlog(in: second, bytes: count * 256)
        post(count, to: pipeline.log("app.search"))
        await pipeline.shutdown(deadline: .zero)
        try await drainOverHTTP(second)
        try await open()
    }

    /// The output accepts nothing, so everything stays in the journal.
    private func backlog(in directory: URL, bytes: Int) throws -> Pipeline<EmptyContext> {
        var pipelineOptions = PipelineOptions()
        pipelineOptions.journal.capBytes = 2 * bytes
        pipelineOptions.report = { _ in }
        return try Pipeline(directory: directory, options: pipelineOptions) {
            Route("**", to: RefusingOutput("otlp"))
        }
    }

    private func post(_ count: Int, to log: Log) {
        for index in 0..<count { log.post(Sample.event(index)) }
    }

    private func fill(_ directory: URL) async throws {
        let pipeline = try backlog(in: directory, bytes: count * 256)
        let log = pipeline.log("app.search")
        let start = ContinuousClock.now
        post(count, to: log)
        let seconds = (ContinuousClock.now - start).nanoseconds / 1e9
        await pipeline.shutdown(deadline: .zero)
        printFigure(
            "fill \(count) records, none delivered", "\((seconds * 1000).text(0)) ms",
            target: scale.most(200 * Double(count), in: .millisecond),
            isMet: seconds * 1e9 <= scale.most(200) * Double(count))
    }

    private func drain(_ directory: URL) async throws {
        let transport = DiscardingTransport()
        let output = OTLPOutput(endpoint: URL(fileURLWithPath: "/"), compression: .none, transport: transport)
        let memory = ResidentMemory.current
        let (delivered, rate) = try await deliver(directory, to: output)
        let growth = max(0, transport.peakMemory.load(ordering: .relaxed) - memory) >> 20
        printFigure(
            "drain \(delivered) records as OTLP requests, discarded",
            "\((rate / 1000).text(0)) k records/s, "
                + "\(transport.bytes.load(ordering: .relaxed) >> 20) MiB of requests",
            target: scale.leastThousands(2e6), isMet: delivered == UInt64(count) && rate >= scale.least(2e6))
        printFigure("memory added meanwhile", "\(growth) MiB", target: "≤ 32 MiB", isMet: growth <= 32)
    }

    /// The same over `URLSession`, to a receiver in this process.
    private func drainOverHTTP(_ directory: URL) async throws {
        let server = HTTPServer(
            configuration: HTTPServerConfiguration(addresses: ["127.0.0.1"], port: 0), handler: DiscardingReceiver())
        let port = try server.start()
        let output = OTLPOutput(endpoint: URL(string: "http://127.0.0.1:\(port)")!, compression: .none)
        let (delivered, rate) = try await deliver(directory, to: output)
        await server.stop()
        printFigure(
            "drain \(delivered) records over URLSession to a receiver on this machine",
            "\((rate / 1000).text(0)) k records/s", target: scale.leastThousands(1e6),
            isMet: delivered == UInt64(count) && rate >= scale.least(1e6))
    }

    /// Delivers the journal; returns the number of records and the rate per second.
    private func deliver(_ directory: URL, to output: OTLPOutput) async throws -> (delivered: UInt64, rate: Double) {
        var pipelineOptions = PipelineOptions()
        pipelineOptions.journal.capBytes = 512 * count
        let start = ContinuousClock.now
        let pipeline = try Pipeline(directory: directory, options: pipelineOptions) { Route("**", to: output) }
        try await pipeline.flush(deadline: .seconds(120))
        let seconds = (ContinuousClock.now - start).nanoseconds / 1e9
        let delivered = await pipeline.ledgers()["otlp"]?.delivered ?? 0
        await pipeline.shutdown(deadline: .zero)
        return (delivered, Double(delivered) / seconds)
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
