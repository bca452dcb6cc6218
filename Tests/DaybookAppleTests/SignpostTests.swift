import Daybook
import DaybookApple
import DaybookBase
import DaybookTestTraits
import DaybookTesting
import Testing

@Suite(.temporaryDirectory) struct SignpostTests {
    private let directory = TemporaryDirectory.current

    private func measurement(start: Int64, duration: Int64) -> Record {
        var record = Record(time: start, kind: .span, level: .info, tag: "app.menu", message: "load menu")
        record.duration = duration
        return record
    }

    @Test("A signpost interval covers the time of its measurement") func intervalMatches() throws {
        // A tick is 125/3 ns on Apple's chips: 3,000 ticks are 125 µs.
        let now = SignpostInterval.Now(wall: 1_000_000_000, ticks: 50_000_000, nanosecondsPerTick: (125, 3))
        let interval = try #require(
            SignpostInterval(measurement(start: 999_000_000, duration: 875_000), now: now))
        #expect(interval.begin == 50_000_000 - 24_000)
        #expect(interval.end == 50_000_000 - 3_000)
        #expect(interval.text.contains("load menu"))
    }

    @Test("A jump of the wall clock yields no impossible times") func clockJumpIsClamped() throws {
        let now = SignpostInterval.Now(wall: 1_000_000_000, ticks: 10, nanosecondsPerTick: (1, 1))
        let old = try #require(SignpostInterval(measurement(start: 0, duration: 1), now: now))
        #expect(old.begin == 0)
        #expect(old.end == 0)
        let future = try #require(SignpostInterval(measurement(start: 2_000_000_000, duration: 1), now: now))
        #expect(future.begin == 10)
        #expect(future.end == 10)
        let extreme = try #require(
            SignpostInterval(
                measurement(start: .min, duration: .max),
                now: .init(wall: .max, ticks: 10, nanosecondsPerTick: (125, 3))))
        #expect(extreme.begin <= extreme.end)
    }

    @Test("A record without a duration yields no interval") func noDurationNoInterval() {
        let now = SignpostInterval.Now(wall: 0, ticks: 0, nanosecondsPerTick: (1, 1))
        #expect(SignpostInterval(Record(time: 0, kind: .event, level: .info, tag: "a.b"), now: now) == nil)
        #expect(SignpostInterval(Record(time: 0, kind: .span, level: .info, tag: "a.b"), now: now) == nil)
    }

    /// Collects the names that Instruments would show.
    private final class Names: Output {
        let takesStarts = true
        private let names = SignpostNames(["load menu", "menu.show"])
        private let seen = Mutex<[String]>([])
        var all: [String] { seen.withLock { $0 } }

        func start(_ record: Record) { note("begin", record) }
        func write(_ record: Record) { note("end", record) }
        private func note(_ word: String, _ record: Record) {
            seen.withLock { $0.append("\(word) \(names.name(of: record))") }
        }
    }

    @Test("An interval is named by its function or a listed name") func namedByFunction() async throws {
        let names = Names()
        let pipeline = try Pipeline(directory: directory.url) { Route("**", to: names, timing: .inline) }
        let log = pipeline.log("app")
        log.start("anything").end()
        log.start("load menu").end()
        log.error("broken")
        log.info("fine")
        log.post("menu.show")
        log.post("menu.hide")
        await pipeline.shutdown(deadline: .seconds(60))
        let function = "namedByFunction()"
        #expect(
            names.all == [
                "begin \(function)", "end \(function)", "begin load menu", "end load menu", "end Error", "end Message",
                "end menu.show", "end Event",
            ])
    }

    @Test("An interval that was never announced still has a name") func unlistedHasName() {
        var old = measurement(start: 0, duration: 1)
        #expect(SignpostNames([]).name(of: old).description == "Measurement")
        old.kind = .request
        #expect(SignpostNames([]).name(of: old).description == "Request")
    }

    @Test("Open intervals are bounded and end once under their first name") func openIntervalsBounded() {
        var open = OpenSignposts()
        #expect(open.begin(7, "a")?.description == "a")
        #expect(open.end(7)?.description == "a")
        #expect(open.end(7) == nil)
        let begun = (1...2_000).count { open.begin($0, "b") != nil }
        #expect(begun == OpenSignposts.limit)
    }
}
