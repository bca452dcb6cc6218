#if os(Linux) || os(macOS)
    import DaybookTestTraits
    import DaybookTesting
    import DaybookTrials
    import Foundation
    import Testing

    @testable import Daybook

    /// A forked child has copies of the pipeline's memory and shares the journal's files. It must record nothing, wait
    /// for nothing and leave the parent's data intact.
    @Suite(.serialized, .timeLimit(.minutes(5)), .temporaryDirectory) struct ForkTests {
        /// `fork(2)`, which Swift marks unavailable. The child makes only log calls and calls `_exit`.
        private func fork() throws -> pid_t {
            let symbol = try #require(dlsym(nil, "fork"))
            return unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)()
        }

        /// Runs `body` in a child that is killed if it blocks.
        private func inChild(_ body: () -> Void) throws {
            let child = try fork()
            if child == 0 {
                alarm(60)
                body()
                _exit(0)
            }
            #expect(child > 0)
            var status: Int32 = 0
            while waitpid(child, &status, 0) == -1, errno == EINTR {}
            #expect(status == 0, "the child ended with the status \(status)")
        }

        /// Everything an app may call in a child without knowing that it is one.
        private func use(_ pipeline: Pipeline<EmptyContext>, _ span: LogMeasurement?, round: Int) {
            let log = pipeline.log("app")
            for number in 0..<200 {
                log.post("child.event", ["round": round, "number": number])
                log.info("child")
                log.fatal("child")
            }
            span?.end()
            try? pipeline.setEnabled(true, output: "out")
            _ = pipeline.isEnabled(output: "out")
            pipeline.updateContext { _ in }
            pipeline.resume()
            log.post("child.event")
        }

        @Test("Forked children record nothing and leave the parent's records alone") func forkedChildIsSilent()
            async throws
        {
            let output = CollectingOutput(id: "out")
            let pipeline = try Pipeline(directory: TemporaryDirectory.current.url, options: quietOptions()) {
                Route("**", to: output)
            }
            let log = pipeline.log("app")
            // The runtime builds types at first use, under locks that a child may find held: make every call once
            // before.
            let first = try Pipeline(store: .memory(), options: quietOptions()) { Route("**", to: output) }
            use(first, first.log("app").start("child.span"), round: 0)
            await first.shutdown(deadline: .seconds(60))
            let before = output.records.count
            // Other threads log meanwhile, so that each fork interrupts a log call at another point.
            let others = (0..<3).map { thread in
                Task.detached {
                    for number in 0..<2_000 { log.post("parent.event", ["thread": thread, "number": number]) }
                }
            }
            for round in 0..<20 {
                let span = log.start("parent.span")
                try inChild { use(pipeline, span, round: round) }
                span.end()
            }
            for other in others { await other.value }
            try await pipeline.flush(deadline: .seconds(60))
            let records = output.records.dropFirst(before)
            #expect(records.count { $0.tag == "parent.event" } == 6_000)
            #expect(records.count { $0.message == "parent.span" } == 20)
            #expect(!records.contains { $0.tag.hasPrefix("child") || $0.message == "child" })
            #expect(await pipeline.ledgers()["out"]?.lost == 0)
            await pipeline.shutdown(deadline: .seconds(60))
        }
    }
#endif
