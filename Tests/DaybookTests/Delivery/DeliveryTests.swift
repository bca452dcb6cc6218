import DaybookBase
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

@testable import Daybook

/// Delivery must not stall, resend what arrived, lose what did not, or hold too much.
@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct DeliveryTests {
    private let directory = TemporaryDirectory.current

    /// Nothing wakes the thread by itself: no sync and no batch is due within the test.
    private let still = quietOptions {
        $0.journal.syncInterval = .seconds(36_000)
        $0.journal.syncBytes = 1 << 30
    }

    @Test("A batch that reaches its byte limit is sent at once") func fullByBytesSends() async throws {
        let output = GatedOutput()
        let pipeline = try Pipeline(directory: directory.url, options: still) {
            Route("**", to: output, batch: BatchLimits(count: 1_000_000, bytes: 5000, delay: .seconds(36_000)))
        }
        pipeline.log().number(0..<20, padding: 500)
        #expect(await output.next().count > 0)
        output.open()
        await pipeline.shutdown(deadline: .seconds(60))
        #expect(output.records.numbers == Array(0..<20))
    }

    @Test("An output waiting on its receiver delays no other output") func waitingOutputDelaysNone() async throws {
        let (slow, quick) = (GatedOutput(id: "slow"), GatedOutput(id: "quick"))
        let pipeline = try Pipeline(directory: directory.url, options: still) {
            Route("slow", to: slow, batch: BatchLimits(delay: .zero))
            Route("quick", to: quick, batch: BatchLimits(delay: .milliseconds(20)))
        }
        pipeline.log("slow").info("one")
        _ = await slow.next()
        slow.answer(.retry(after: .seconds(3600), reason: "busy"))
        // The answer is processed before this call. Then the thread sleeps with a timer an hour away.
        try await eventually("the record is accepted") { await pipeline.ledgers()["slow"]?.accepted == 1 }
        pipeline.log("quick").info("two")
        #expect(await quick.next().count == 1)
        quick.open()
        await pipeline.shutdown(deadline: .milliseconds(100))
    }

    /// As on a locked phone: the thread retries now and then and at a flush, not all the time.
    @Test("The drain thread sleeps while its files cannot be read", arguments: [EACCES, EPERM, EIO, EMFILE])
    func unreadableFilesIdle(code: Int32) async throws {
        let (files, clock) = (FaultyFileSystem(), HeldClock())
        var options = still
        options.clock = clock.clock
        options.journal.ringBytes = 64 << 10
        let output = CollectingOutput()
        let pipeline = try Pipeline(store: .directory(directory.url, files: files), options: options) {
            Route("**", to: output, batch: BatchLimits(count: 10))
        }
        await pipeline.suspend()
        // More than fits in the ring.
        pipeline.log().number(0..<1_000, padding: 500)
        files.fail([.open], code: code)
        files.forgetCalls()
        func tries() -> Int { files.calls.count { $0.failed && $0.path.hasSuffix(".segment") } }
        pipeline.resume()
        try await eventually("the files are tried") { tries() > 0 }
        // Each record alone would fill a batch, and each call runs the thread once.
        for number in 1_000..<1_200 {
            pipeline.log().number([number])
            _ = try await pipeline.quarantinedRecords(output: output.id)
        }
        #expect(tries() < 20)
        clock.advance(by: .seconds(6))
        let before = tries()
        pipeline.log().number([1_200])
        _ = try await pipeline.quarantinedRecords(output: output.id)
        try await eventually("they are tried again") { tries() > before }
        let waiting = tries()
        pipeline.resume()
        try await eventually("the app is back") { tries() > waiting }
        files.heal()
        try await pipeline.flush(deadline: .seconds(60))
        #expect(output.records.numbers == Array(0...1_200))
        await pipeline.shutdown(deadline: .seconds(60))
    }

    @Test("Batch intervals join without gaps across skipped records and halves") func intervalsHaveNoGaps() async throws
    {
        let output = GatedOutput()
        let pipeline = try Pipeline(directory: directory.url, options: quietOptions()) {
            Route("kept", to: output, batch: neverByItself)
            Route("other", to: CollectingOutput())
        }
        for round in 0..<3 {
            for number in 0..<8 {
                pipeline.log("other").info("skipped")
                pipeline.log("kept").info("m", ["n": .int(Int64(round * 8 + number))])
            }
        }
        async let flushed: Void = pipeline.flush(deadline: .seconds(60))
        var settled: UInt64 = 0
        var numbers: [Int] = []
        while numbers.count < 23 {
            let batch = await output.next()
            // A resend starts where its predecessor started, a new batch where the last settled one ended.
            #expect(batch.after == settled)
            #expect(batch.items.allSatisfy { $0.sequence > batch.after && $0.sequence <= batch.through })
            let isBad = batch.records.numbers.contains(13)
            output.answer(isBad ? .refused(reason: "thirteen") : .delivered)
            if !isBad { numbers += batch.records.numbers }
            if !isBad || batch.count == 1 { settled = batch.through }
        }
        try await flushed
        #expect(numbers == (0..<24).filter { $0 != 13 })
        let ledger = try #require(await pipeline.ledgers()["gated"])
        #expect((ledger.accepted, ledger.delivered) == (24, 23))
        #expect(ledger.dropped.isEmpty && ledger.quarantined == 1 && ledger.pending == 0)
        await pipeline.shutdown(deadline: .seconds(60))
    }

    @Test("Records for other outputs leave no gap, even across launches") func intervalsSpanLaunches() async throws {
        var ends: [UInt64] = []
        for launch in 0..<3 {
            let output = CollectingOutput(id: "kept")
            let pipeline = try Pipeline(directory: directory.url, options: quietOptions()) {
                Route("kept", to: output, batch: neverByItself)
                Route("other", to: CollectingOutput())
            }
            for _ in 0..<3 {
                pipeline.log("other").info("skipped")
                // The logged record is read and the cursor passes it before there is anything to send.
                try await pipeline.flush(deadline: .seconds(60))
                pipeline.log("kept").info("sent")
                try await pipeline.flush(deadline: .seconds(60))
            }
            pipeline.log("other").info("skipped")
            await pipeline.shutdown(deadline: .seconds(60))
            #expect(output.batches.count == 3)
            for batch in output.batches {
                if let end = ends.last { #expect(batch.after == end, "launch \(launch)") }
                ends.append(batch.through)
            }
        }
        #expect(ends.count == 9 && zip(ends, ends.dropFirst()).allSatisfy { $0.0 + 1 < $0.1 }, "\(ends)")
    }

    @Test("A flush covers only the records logged before it") func flushCoversPast() async throws {
        let output = GatedOutput()
        let pipeline = try Pipeline(directory: directory.url, options: quietOptions()) {
            Route("**", to: output, batch: neverByItself)
        }
        pipeline.log().number(0..<3)
        async let flushed: Void = pipeline.flush(deadline: .seconds(60))
        #expect(await output.next().count == 3)
        pipeline.log().number(3..<6)
        output.answer(.delivered)
        try await flushed
        // Later records wait for a full batch again, however often the thread looks.
        for _ in 0..<20 { #expect(await pipeline.ledgers()["gated"]?.pending == 3) }
        #expect(output.begunCount == 1)
        output.open()
        await pipeline.shutdown(deadline: .seconds(60))
        #expect(output.records.numbers == Array(0..<6))
    }

    @Test("A flush during a send delivers the remaining records too") func flushCoversInFlight() async throws {
        let output = GatedOutput()
        let pipeline = try Pipeline(directory: directory.url, options: quietOptions()) {
            Route("**", to: output, batch: BatchLimits(count: 2, delay: .seconds(36_000)))
        }
        pipeline.log().number(0..<2)
        let first = await output.next()
        pipeline.log().number(2..<3)
        async let flushed: Void = pipeline.flush(deadline: .seconds(60))
        output.answer(.delivered)
        let second = await output.next()
        output.answer(.delivered)
        try await flushed
        #expect(first.records.numbers + second.records.numbers == [0, 1, 2])
        await pipeline.shutdown(deadline: .seconds(60))
    }

    @Test("A flush tries a paused output once instead of waiting out its deadline") func flushTriesPausedOnce()
        async throws
    {
        let output = GatedOutput()
        let pipeline = try Pipeline(directory: directory.url, options: quietOptions()) {
            Route("**", to: output, batch: neverByItself)
        }
        pipeline.log().number(0..<3)
        for _ in 0..<2 {
            async let flushed: Void = pipeline.flush(deadline: .seconds(36_000))
            #expect(await output.next().count == 3)
            output.answer(.pause(reason: "401"))
            do {
                try await flushed
                Issue.record("nothing arrived")
            } catch let error as FlushError {
                #expect(error.ledgers["gated"]?.pending == 3)
            }
        }
        await pipeline.suspend()
        await #expect(throws: FlushError.self) { try await pipeline.flush(deadline: .seconds(36_000)) }
        output.open()
        // The answer above still needs a batch; the resumed output sends one.
        pipeline.resume()
        try await pipeline.flush(deadline: .seconds(60))
        await pipeline.shutdown(deadline: .seconds(60))
        #expect(output.records.numbers == [0, 1, 2])
    }

    @Test("A batch in flight at shutdown stays pending and is sent again") func inFlightAtShutdownResent() async throws
    {
        let output = GatedOutput(id: "collector")
        let first = try Pipeline(directory: directory.url, options: quietOptions()) {
            Route("**", to: output, batch: BatchLimits(count: 5, delay: .seconds(36_000)))
        }
        first.log().number(0..<5)
        _ = await output.next()
        await first.shutdown(deadline: .zero)
        let end = try #require(await first.ledgers()["collector"])
        #expect((end.accepted, end.delivered, end.pending) == (5, 0, 5))
        output.answer(.delivered)

        let again = CollectingOutput(id: "collector")
        let second = try Pipeline(directory: directory.url, options: quietOptions()) { Route("**", to: again) }
        try await second.flush(deadline: .seconds(60))
        await second.shutdown(deadline: .seconds(60))
        #expect(again.records.numbers == Array(0..<5))
        #expect(await second.ledgers()["collector"]?.recovered == 5)
    }

    @Test("Records logged after shutdown are dropped and counted") func countsLateRecords() async throws {
        let pipeline = try Pipeline(directory: directory.url, options: quietOptions()) {
            Route("**", to: CollectingOutput())
        }
        pipeline.log().number(0..<2)
        await pipeline.shutdown(deadline: .seconds(60))
        pipeline.log().number(2..<5)
        for _ in 0..<2 {
            let ledger = try #require(await pipeline.ledgers()["collecting"])
            #expect((ledger.accepted, ledger.delivered, ledger.pending) == (5, 2, 0))
            #expect(ledger.dropped == [.closed: 3])
        }
        await pipeline.shutdown(deadline: .seconds(60))
    }

    @Test("Pending records are sent at once after a start or a suspension") func pendingSentAtOnce() async throws {
        func pipeline(_ output: GatedOutput) throws -> Pipeline<EmptyContext> {
            try Pipeline(directory: directory.url, options: quietOptions()) {
                Route("**", to: output, batch: neverByItself)
            }
        }
        let first = try pipeline(GatedOutput())
        first.log().number(0..<2)
        await first.suspend()
        await first.shutdown(deadline: .zero)

        let output = GatedOutput()
        let second = try pipeline(output)
        #expect(await output.next().records.numbers == [0, 1])
        output.answer(.delivered)
        await second.suspend()
        second.log().number(2..<4)
        second.resume()
        #expect(await output.next().records.numbers == [2, 3])
        output.answer(.delivered)
        second.log().number(4..<5)
        for _ in 0..<20 { #expect(await second.ledgers()["gated"]?.pending ?? 0 >= 1) }
        #expect(output.begunCount == 2)
        output.open()
        await second.shutdown(deadline: .seconds(60))
        #expect(output.records.numbers == Array(0..<5))
    }

    @Test("Each short launch is sent at once as its own batch with its resource") func shortLaunchesKeepResource()
        async throws
    {
        for launch in 0..<6 {
            let options = quietOptions { $0.resource = ["service.version": .string("\(launch)")] }
            let pipeline = try Pipeline(directory: directory.url, options: options) {
                Route("**", to: GatedOutput(id: "collector"), batch: neverByItself)
            }
            pipeline.log().number(launch * 3..<launch * 3 + 3)
            await pipeline.suspend()
            await pipeline.shutdown(deadline: .zero)
        }
        let output = GatedOutput(id: "collector")
        let pipeline = try Pipeline(directory: directory.url, options: quietOptions()) {
            Route("**", to: output, batch: neverByItself)
        }
        var streams: Set<String> = []
        var resources: Set<[UInt8]> = []
        for launch in 0..<5 {
            // A batch followed by another launch's is complete, however small.
            let batch = await output.next()
            #expect(batch.records.numbers == Array(launch * 3..<launch * 3 + 3))
            #expect(Set(batch.contexts.map(\.resource)).count == 1)
            streams.insert(batch.stream)
            resources.formUnion(batch.contexts.map(\.resource))
            output.answer(.delivered)
        }
        #expect((streams.count, resources.count) == (5, 5))
        output.open()
        await pipeline.shutdown(deadline: .seconds(60))
        #expect(output.records.numbers == Array(0..<18))
    }

    @Test("A backlog with large contexts is split below the size limit") func largeContextsSplitBacklog() async throws {
        struct Large: LogContext {
            var number = 0
            func encode(into fields: inout FieldEncoder) {
                fields.add("large", String(repeating: "c", count: 12_000))
                fields.add("number", Int64(number))
            }
        }
        let output = GatedOutput()
        let pipeline = try Pipeline(directory: directory.url, context: Large(), options: quietOptions()) {
            Route("**", to: output, batch: neverByItself)
        }
        await pipeline.suspend()
        for number in 0..<300 {
            pipeline.updateContext { $0.number = number }
            pipeline.log().number(number..<number + 1)
        }
        pipeline.resume()
        async let flushed: Void = pipeline.flush(deadline: .seconds(60))
        var numbers: [Int] = []
        while numbers.count < 300 {
            let batch = await output.next()
            let size = batch.bytes + batch.items.reduce(0) { $0 + batch.contexts[$1.context].attributes.count }
            #expect(size <= BatchQueue.mostBytes + (64 << 10) + (16 << 10))
            let records = batch.records
            #expect(records.allSatisfy { $0.context["number"] == $0.attributes["n"] })
            numbers += records.numbers
            output.answer(.delivered)
        }
        try await flushed
        #expect(numbers == Array(0..<300))
        await pipeline.shutdown(deadline: .seconds(60))
    }
}
