import DaybookBase
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Dispatch
import Foundation
import Testing

@testable import Daybook

/// Defects of Puree-Swift, each with a test that Daybook lacks it.
@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct PureeDefectTests {
    private let directory = TemporaryDirectory.current

    /// Counts requests; down until it is brought up.
    private final class Server: BatchOutput {
        let id: String
        private let state = Mutex<(requests: Int, isUp: Bool, batches: [Batch])>((0, false, []))

        init(id: String = "server", isUp: Bool = false) {
            self.id = id
            state.withLock { $0.isUp = isUp }
        }

        func send(_ batch: Batch) async -> Delivery {
            state.withLock { state in
                state.requests += 1
                guard state.isUp else { return .retry(after: nil, reason: "down") }
                state.batches.append(batch)
                return .delivered
            }
        }

        func putUp() { state.withLock { $0.isUp = true } }
        var requests: Int { state.withLock { $0.requests } }
        var batches: [Batch] { state.withLock { $0.batches } }
        var records: [Record] { batches.flatMap(\.records) }
    }

    @Test("A record as large as the size limit is sent once") func sizeLimitSendsOnce() async throws {
        // The stored size of one such record.
        let probe = Server(id: "probe", isUp: true)
        let first = try Pipeline(directory: directory.url.appending(path: "probe"), options: quietOptions()) {
            Route("**", to: probe)
        }
        first.log().number(0..<1)
        try await first.flush(deadline: .seconds(60))
        await first.shutdown(deadline: .seconds(60))
        let size = try #require(probe.batches.first?.bytes)

        for limit in [size, size - 1, 1] {
            let server = Server(isUp: true)
            let pipeline = try Pipeline(
                directory: directory.url.appending(path: "limit-\(limit)"), options: quietOptions()
            ) {
                Route("**", to: server, batch: BatchLimits(count: 1000, bytes: limit, delay: .seconds(36_000)))
            }
            for number in 0..<5 {
                pipeline.log().number(number..<number + 1)
                try await pipeline.flush(deadline: .seconds(60))
            }
            await pipeline.shutdown(deadline: .seconds(60))
            #expect(server.records.numbers == Array(0..<5))
            #expect(server.batches.allSatisfy { $0.count > 0 })
            #expect(server.requests <= 5)
        }
    }

    @Test("A backlog over the size limit is sent completely") func backlogOverSizeDrains() async throws {
        let server = Server(isUp: true)
        let pipeline = try Pipeline(directory: directory.url, options: quietOptions()) {
            Route("**", to: server, batch: BatchLimits(count: 5, bytes: 2000, delay: .milliseconds(1)))
        }
        await pipeline.suspend()
        pipeline.log().number(0..<5000, padding: 600)
        pipeline.resume()
        // No flush: the limits alone must deliver everything.
        try await eventually("nothing is pending") { await pipeline.ledgers()["server"]?.pending == 0 }
        #expect(server.records.numbers == Array(0..<5000))
        await pipeline.shutdown(deadline: .seconds(60))
    }

    @Test("A batch that failed many times is retried in the same launch") func manyFailuresStillRetry() async throws {
        let server = Server()
        let clock = HeldClock()
        let pipeline = try Pipeline(directory: directory.url, options: quietOptions { $0.clock = clock.clock }) {
            Route("**", to: server, batch: BatchLimits(count: 10, delay: .seconds(1)))
        }
        pipeline.log().number(0..<10)
        // Far more than the three after which Puree kept a chunk until the next launch.
        try await eventually("40 attempts were made") {
            clock.advance(by: .seconds(300))
            _ = await pipeline.ledgers()
            return server.requests >= 40
        }
        server.putUp()
        try await eventually("all ten are delivered") {
            clock.advance(by: .seconds(300))
            return await pipeline.ledgers()["server"]?.delivered == 10
        }
        #expect(server.records.numbers == Array(0..<10))
        await pipeline.shutdown(deadline: .seconds(60))
    }

    @Test("A server that is down gets few requests for two hundred records") func downServerGetsFewRequests()
        async throws
    {
        let server = Server()
        let clock = HeldClock()
        let pipeline = try Pipeline(directory: directory.url, options: quietOptions { $0.clock = clock.clock }) {
            Route("**", to: server, batch: BatchLimits(count: 5, delay: .seconds(10), backlogBytes: 1 << 20))
        }
        // Two hundred records over a hundred seconds, in Puree's batches of five.
        for number in 0..<200 {
            pipeline.log().number(number..<number + 1)
            clock.advance(by: .milliseconds(500))
            _ = await pipeline.ledgers()
            // A send runs on a thread of its own, which may be later than all of this.
            if number == 4 { try await eventually("the first batch is sent") { server.requests > 0 } }
        }
        // Full jitter may draw short waits. A batch per five records would make 40 requests, with four attempts each
        // 160.
        #expect(server.requests < 40)
        server.putUp()
        try await pipeline.flush(deadline: .seconds(60))
        #expect(server.records.numbers == Array(0..<200))
        #expect(server.batches.count < 40, "a backlog goes in large batches")
        await pipeline.shutdown(deadline: .seconds(60))
    }

    @Test("Records arrive in order across failures and launches") func orderSurvivesFailures() async throws {
        let down = Server()
        let first = try Pipeline(directory: directory.url, options: quietOptions()) {
            Route("**", to: down, batch: BatchLimits(count: 7, delay: .zero))
        }
        first.log().number(0..<500)
        await first.shutdown(deadline: .milliseconds(20))
        let up = Server()
        let second = try Pipeline(directory: directory.url, options: quietOptions()) {
            Route("**", to: up, batch: BatchLimits(count: 7, delay: .zero))
        }
        second.log().number(500..<1000)
        up.putUp()
        try await eventually("all are delivered") {
            second.resume()
            return await second.ledgers()["server"]?.delivered == 1000
        }
        #expect(up.records.numbers == Array(0..<1000))
        await second.shutdown(deadline: .seconds(60))
    }

    @Test("Two outputs of one type keep their records apart") func sameTypeOutputsApart() async throws {
        let (feed, search) = (Server(id: "feed"), Server(id: "search"))
        let first = try Pipeline(directory: directory.url, options: quietOptions()) {
            Route("feed", to: feed, batch: BatchLimits(count: 10))
            Route("search", to: search)
        }
        first.log("feed").number(0..<10)
        first.log("search").number(10..<30)
        feed.putUp()
        try await eventually("the feed's records have arrived") { await first.ledgers()["feed"]?.delivered == 10 }
        await first.shutdown(deadline: .milliseconds(20))
        #expect(feed.records.numbers == Array(0..<10))

        let (feedAgain, searchAgain) = (Server(id: "feed", isUp: true), Server(id: "search", isUp: true))
        let second = try Pipeline(directory: directory.url, options: quietOptions()) {
            Route("search", to: searchAgain)
            Route("feed", to: feedAgain)
        }
        try await second.flush(deadline: .seconds(60))
        await second.shutdown(deadline: .seconds(60))
        #expect(feedAgain.records.isEmpty)
        #expect(searchAgain.records.numbers == Array(10..<30))
        // Without names they would share one ID, which is an error at the start.
        #expect(throws: PipelineError.self) {
            try Pipeline(directory: directory.url) {
                Route("feed", to: Server())
                Route("search", to: Server())
            }
        }
    }

    @Test("A truncated file loses only its end") func cutFileLosesEnd() async throws {
        let first = try Pipeline(directory: directory.url, options: quietOptions()) { Route("**", to: Server()) }
        first.log().number(0..<1000, padding: 100)
        await first.shutdown(deadline: .milliseconds(10))
        let segment = try #require(
            try FileManager.default.contentsOfDirectory(at: directory.url, includingPropertiesForKeys: [.fileSizeKey])
                .max { try $0.size < $1.size })
        let file = try FileHandle(forUpdating: segment)
        try file.truncate(atOffset: UInt64(try segment.size / 2))
        try file.close()

        let up = Server(isUp: true)
        let second = try Pipeline(directory: directory.url, options: quietOptions()) { Route("**", to: up) }
        second.log().number(1000..<1010)
        try await second.flush(deadline: .seconds(60))
        await second.shutdown(deadline: .seconds(60))
        let numbers = up.records.numbers
        let kept = numbers.count - 10
        #expect(kept > 300)
        #expect(numbers == Array(0..<kept) + Array(1000..<1010))
    }

    private final class FlushingFilter: Filter {
        let pipeline = Mutex<Pipeline<EmptyContext>?>(nil)
        let flushes = Mutex(0)

        func filter(_ record: Record, captured: Substring?, emit: (Record) -> Void) {
            if let pipeline = pipeline.withLock({ $0 }) {
                let done = DispatchSemaphore(value: 0)
                Task {
                    try? await pipeline.flush(deadline: .seconds(60))
                    done.signal()
                }
                done.wait()
                flushes.withLock { $0 += 1 }
            }
            emit(record)
        }
    }

    @Test("A filter can flush the pipeline it filters for") func filterMayFlush() async throws {
        let filter = FlushingFilter()
        let server = Server(isUp: true)
        let pipeline = try Pipeline(directory: directory.url, options: quietOptions()) {
            Filtered("**", by: filter)
            Route("**", to: server, batch: neverByItself)
        }
        filter.pipeline.withLock { $0 = pipeline }
        try await offPool { pipeline.log().number(0..<5) }
        #expect(filter.flushes.withLock { $0 } == 5)
        try await pipeline.flush(deadline: .seconds(60))
        #expect(server.records.numbers == Array(0..<5))
        filter.pipeline.withLock { $0 = nil }
        await pipeline.shutdown(deadline: .seconds(60))
    }
}

extension URL {
    fileprivate var size: Int {
        get throws { try resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0 }
    }
}
