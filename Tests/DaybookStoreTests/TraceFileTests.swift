import Daybook
import DaybookStore
import DaybookTrials
import Foundation
import Testing

@Suite struct TraceFileTests {
    private struct File: Decodable {
        struct Event: Decodable, Hashable {
            var ph: String
            var pid: Int
            var tid: Int
            var ts: Double?
            var dur: Double?
            var s: String?
            var name: String
            var cat: String?
        }
        var displayTimeUnit: String
        var otherData: [String: String]
        var traceEvents: [Event]
    }

    private func span(_ name: String, _ start: Int64, _ duration: Int64, session: String? = "s") -> RecordRow {
        var row = RecordRow(uid: name, time: start, kind: .span, level: 9, tag: "app")
        row.message = name
        row.duration = duration
        row.session = session
        return row
    }

    private func file(_ rows: [RecordRow]) throws -> File {
        try JSONDecoder().decode(File.self, from: Data(TraceFile.text(of: rows).utf8))
    }

    @Test("A span becomes an interval and an event a mark") func mapsSpansAndEvents() throws {
        var event = RecordRow(
            uid: "e", time: 1_795_168_931_000_002_500, kind: .event, level: 9, tag: "feed.show",
            attributes: "{\"article_id\":7}")
        event.session = "s"
        let file = try file([event, span("load", 1_795_168_931_000_000_000, 1_234_567)])
        #expect(file.displayTimeUnit == "ms")
        #expect(file.otherData["start"] == "2026-11-20T10:02:11.000000000Z")
        let interval = try #require(file.traceEvents.first { $0.ph == "X" })
        #expect(interval == .init(ph: "X", pid: 1, tid: 2, ts: 0, dur: 1_234.567, name: "load", cat: "span"))
        let mark = try #require(file.traceEvents.first { $0.ph == "i" })
        #expect(mark == .init(ph: "i", pid: 1, tid: 1, ts: 2.5, s: "t", name: "feed.show", cat: "event"))
        #expect(file.traceEvents.filter { $0.ph == "M" }.map(\.name) == ["process_name", "thread_name", "thread_name"])
    }

    @Test("Sessions become processes in order of their start") func sessionsAreProcesses() throws {
        let file = try file([
            span("c", 30, 1, session: nil), span("b", 20, 1, session: "two"), span("a", 10, 1, session: "one"),
        ])
        let intervals = file.traceEvents.filter { $0.ph == "X" }
        #expect(intervals.map(\.name) == ["a", "b", "c"])
        #expect(intervals.map(\.pid) == [1, 3, 5])
    }

    /// Viewers require this of every lane.
    @Test("Intervals in a lane nest or do not overlap", arguments: 0..<50) func laneIntervalsNest(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let rows = (0..<200).map { number in
            span("\(number)", .random(in: 0..<1_000, using: &random), .random(in: 0..<300, using: &random))
        }
        let intervals = try file(rows).traceEvents.filter { $0.ph == "X" }
        #expect(intervals.count == rows.count)
        for lane in Dictionary(grouping: intervals, by: \.tid).values {
            for (index, first) in lane.enumerated() {
                for second in lane[(index + 1)...] {
                    let (a, b) = try (bounds(first), bounds(second))
                    let areApart = a.upperBound <= b.lowerBound || b.upperBound <= a.lowerBound
                    let isNested =
                        a.lowerBound <= b.lowerBound && b.upperBound <= a.upperBound
                        || b.lowerBound <= a.lowerBound && a.upperBound <= b.upperBound
                    #expect(areApart || isNested, "\(a) \(b)")
                }
            }
        }
    }

    private func bounds(_ event: File.Event) throws -> ClosedRange<Int> {
        let start = Int((try #require(event.ts) * 1_000).rounded())
        return start...start + Int((try #require(event.dur) * 1_000).rounded())
    }

    @Test("Consecutive spans share one lane") func sequentialSpansShareLane() throws {
        let rows = (0..<100).map { span("\($0)", Int64($0) * 10, 10) }
        #expect(Set(try file(rows).traceEvents.filter { $0.ph == "X" }.map(\.tid)) == [2])
    }

    /// The format's fields for each phase and no others; no thread is in two processes.
    @Test("Each trace event has exactly the fields of its phase") func traceEventsHaveFields() throws {
        var rows = (0..<20).map { number in
            span("\(number)", Int64(number) * 3, 10, session: "\(number % 3)")
        }
        rows.append(RecordRow(uid: "e", time: 5, kind: .event, level: 9, tag: "feed.show"))
        let fields = [
            "X": ["args", "cat", "dur", "name", "ph", "pid", "tid", "ts"],
            "i": ["args", "cat", "name", "ph", "pid", "s", "tid", "ts"],
            "M": ["args", "name", "ph", "pid", "tid"],
        ]
        guard case .object(let file) = try JSONReader.value(of: Array(TraceFile.text(of: rows).utf8)),
            case .array(let events)? = file["traceEvents"]
        else {
            Issue.record("no object with traceEvents")
            return
        }
        var processes: [Value: Value] = [:]
        var named: Set<Value> = []
        for case .object(let event) in events {
            guard case .string(let phase)? = event["ph"], let thread = event["tid"], let process = event["pid"] else {
                Issue.record("\(event)")
                continue
            }
            #expect(event.elements.map(\.key).sorted() == fields[phase])
            #expect(processes[thread] == nil || processes[thread] == process, "\(event)")
            #expect(thread != 0)
            processes[thread] = process
            if phase == "M", event["name"] == "thread_name" { named.insert(thread) }
            guard case .object(let arguments)? = event["args"] else {
                Issue.record("args is no object: \(event)")
                continue
            }
            if phase == "M" { #expect(arguments.elements.map(\.key) == ["name"]) }
        }
        #expect(events.count == 21 + 4 + processes.count)
        #expect(Set(processes.keys) == named)
    }

    @Test("A trace file masks private values") func traceMasksPrivateValues() {
        let row = RecordRow(
            uid: "e", time: 0, kind: .event, level: 9, tag: "search.run",
            attributes: "{\"keyword\":\"egg\",\"page\":1,\"daybook.private\":[\"keyword\"]}")
        let text = TraceFile.text(of: [row])
        #expect(!text.contains("egg"))
        #expect(text.contains("\"keyword\":\"[private]\",\"page\":1"))
        #expect(!text.contains("daybook.private"))
    }

    @Test("Extreme times and hostile text still give a valid file") func survivesExtremeTraces() throws {
        var event = RecordRow(uid: "e", time: .max, kind: .message, level: 0, tag: "a")
        event.message = "\"},\u{0}\u{2028}</script>\n"
        let file = try file([event, span("b", .min, .max), span("c", .max, .max), span("d", 0, -1)])
        #expect(file.traceEvents.contains { $0.name == "\"},\u{0}\u{2028}</script>\n" })
        #expect(try self.file([]).traceEvents.isEmpty)
    }
}
