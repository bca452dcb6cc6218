import Daybook
import DaybookMetrics
import DaybookTesting
import Foundation
import Metrics
import Testing

struct DaybookMetricsTests {
    /// A pipeline that collects, and metrics that write to it.
    private struct Fixture {
        let directory: TemporaryDirectory
        let output = CollectingOutput()
        let pipeline: Pipeline<EmptyContext>
        let metrics: DaybookMetrics

        init() throws {
            directory = try TemporaryDirectory()
            pipeline = try Pipeline(directory: directory.url) { [output] in Route("**", to: output) }
            metrics = DaybookMetrics(log: pipeline.log("metrics"))
        }

        func records() async -> [Record] {
            await pipeline.shutdown(deadline: .seconds(5))
            directory.remove()
            return output.records
        }
    }

    @Test("Counters report their increase and their total") func countersReportIncrease() async throws {
        let fixture = try Fixture()
        let counter = Counter(label: "requests", dimensions: [("route", "/"), ("a", "b")], factory: fixture.metrics)
        counter.increment()
        counter.increment(by: 2)
        // Equal label, kind and dimensions share numbers, in any order.
        Counter(label: "requests", dimensions: [("a", "b"), ("route", "/")], factory: fixture.metrics).increment()
        FloatingPointCounter(label: "bytes", factory: fixture.metrics).increment(by: 0.25)
        fixture.metrics.record()
        counter.increment(by: 5)
        fixture.metrics.record()
        fixture.metrics.record()
        counter.reset()
        fixture.metrics.record()
        let records = await fixture.records()
        #expect(records.map(\.message) == ["bytes", "requests", "requests", "requests"])
        #expect(records.allSatisfy { $0.tag == "metrics" && $0.kind == .message && $0.level == .info })
        #expect(records[0].attributes == ["metric": "counter of fractions", "increase": 0.25, "total": 0.25])
        #expect(
            records[1].attributes == ["metric": "counter", "increase": 4, "total": 4, "a": "b", "route": "/"])
        #expect(
            records[2].attributes == ["metric": "counter", "increase": 5, "total": 9, "a": "b", "route": "/"])
        #expect(
            records[3].attributes == ["metric": "counter", "increase": 0, "total": 0, "a": "b", "route": "/"])
    }

    @Test("Meters and gauges report their value") func metersReportValue() async throws {
        let fixture = try Fixture()
        let meter = Meter(label: "connections", factory: fixture.metrics)
        meter.set(3)
        meter.increment(by: 2.5)
        meter.decrement(by: 1)
        Gauge(label: "load", factory: fixture.metrics).record(0.75)
        fixture.metrics.record()
        let records = await fixture.records()
        #expect(records.map(\.message) == ["connections", "load"])
        #expect(records[0].attributes == ["metric": "meter", "value": 4.5])
        #expect(records[1].attributes == ["metric": "gauge", "value": 0.75])
    }

    @Test("Recorders and timers report count, sum and bounds") func recordersReportSum() async throws {
        let fixture = try Fixture()
        let recorder = Recorder(label: "sizes", factory: fixture.metrics)
        for size in [3, -1, 2] { recorder.record(size) }
        Metrics.Timer(label: "wait", dimensions: [("count", "x")], factory: fixture.metrics).recordMilliseconds(2)
        fixture.metrics.record()
        recorder.record(1.5)
        fixture.metrics.record()
        let records = await fixture.records()
        #expect(records.map(\.message) == ["sizes", "wait", "sizes"])
        #expect(
            records[0].attributes == ["metric": "recorder", "count": 3, "sum": 4, "min": -1, "max": 3, "last": 2])
        #expect(
            records[1].attributes == [
                "metric": "timer", "count": 1, "sum": 2_000_000, "min": 2_000_000, "max": 2_000_000,
                "last": 2_000_000, "dimension.count": "x",
            ])
        #expect(records[2].attributes["count"] == 1 && records[2].attributes["min"] == 1.5)
    }

    @Test("A destroyed metric is reported once more") func reportsDestroyedMetric() async throws {
        let fixture = try Fixture()
        let counter = Counter(label: "a", factory: fixture.metrics)
        counter.increment()
        counter.destroy()
        fixture.metrics.record()
        counter.increment()
        fixture.metrics.record()
        Counter(label: "a", factory: fixture.metrics).increment()
        fixture.metrics.record()
        let records = await fixture.records()
        #expect(records.map { $0.attributes["total"] } == [1, 1])
    }

    @Test("Metrics over the limit are left out, and reported once") func boundsMetrics() async throws {
        let fixture = try Fixture()
        for number in 0..<DaybookMetrics.mostMetrics + 2 {
            Counter(label: "n", dimensions: [("user", "\(number)")], factory: fixture.metrics).increment()
        }
        let records = await fixture.records()
        #expect(records.count == 1 && records.first?.level == .warning)
        #expect(records.first?.message?.hasPrefix("More than 10000 metrics") == true)
    }

    @Test("Concurrent increments lose nothing") func incrementsFromThreads() async throws {
        let fixture = try Fixture()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<1_000 { Counter(label: "n", factory: fixture.metrics).increment() }
                    fixture.metrics.record()
                }
            }
        }
        fixture.metrics.record()
        let records = await fixture.records()
        func numbers(_ name: String) -> [Int64] {
            records.compactMap { if case .int(let number)? = $0.attributes[name] { number } else { nil } }
        }
        #expect(numbers("increase").reduce(0, +) == 8_000)
        #expect(numbers("total").max() == 8_000)
    }

    @Test("The reporting loop records once more when it is cancelled") func cancelledRunRecords() async throws {
        let fixture = try Fixture()
        let counter = Counter(label: "n", factory: fixture.metrics)
        counter.increment()
        let running = Task { await fixture.metrics.run(every: .seconds(600)) }
        running.cancel()
        await running.value
        let records = await fixture.records()
        #expect(records.map { $0.attributes["total"] } == [1])
    }

    @Test("The metrics system is bootstrapped") func bootstrapsMetrics() throws {
        // Possible only once in a process.
        MetricsSystem.bootstrap(DaybookMetrics())
        #expect(MetricsSystem.factory is DaybookMetrics)
    }
}
