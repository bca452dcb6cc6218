public import CoreMetrics
public import Daybook

/// Sums up the metrics of swift-metrics and records them with Daybook, one record for each metric that has changed.
///
/// ```swift
/// let metrics = DaybookMetrics()
/// MetricsSystem.bootstrap(metrics)
/// Task { await metrics.run() }
/// ```
///
/// Metrics count in memory: what was counted since the last summary is lost if the process dies. Metrics of equal kind,
/// label and dimensions share their numbers. Thread-safe.
public final class DaybookMetrics: MetricsFactory {
    /// The most metrics. Further ones are left out, and a record says so.
    public static let mostMetrics = 10_000

    private struct State {
        var metrics: [MetricKey: Metric] = [:]
        /// Destroyed metrics, until their last summary.
        var ended: [Metric] = []
        var isFull = false
    }

    private let log: Log
    private let state = Locked(State())

    /// Creates a factory.
    /// - Parameter log: Its tag is the records' tag. Default: `metrics`, to the installed pipeline.
    public init(log: Log = Log("metrics")) { self.log = log }

    /// Records a summary every `interval`, and a last one when its task is cancelled.
    /// - Parameter interval: Default: a minute.
    public func run(every interval: Duration = .seconds(60)) async {
        while (try? await Task.sleep(for: interval)) != nil { record() }
        record()
    }

    /// Records changes since the last summary, one record of level `info` for each metric.
    public func record() {
        let changed = state.withLock { state in
            defer { state.ended = [] }
            return state.ended + state.metrics.values
        }
        for (key, attributes) in changed.compactMap({ metric in metric.summary().map { (metric.key, $0) } })
            .sorted(by: { $0.0 < $1.0 })
        {
            var record = Record(time: 0, kind: .message, level: .info, tag: log.tag, message: key.label)
            record.attributes = attributes
            log.forward(record)
        }
    }

    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        metric(.counter, label, dimensions) { Counting($0) } ?? NOOPMetricsHandler.instance
    }

    public func makeFloatingPointCounter(label: String, dimensions: [(String, String)])
        -> any FloatingPointCounterHandler
    {
        metric(.floatingPointCounter, label, dimensions) { Counting($0) } ?? NOOPMetricsHandler.instance
    }

    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        metric(.meter, label, dimensions) { Metering($0) } ?? NOOPMetricsHandler.instance
    }

    public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        if !aggregate { return metric(.gauge, label, dimensions) { Metering($0) } ?? NOOPMetricsHandler.instance }
        return metric(.recorder, label, dimensions) { Recording($0) } ?? NOOPMetricsHandler.instance
    }

    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        metric(.timer, label, dimensions) { Recording($0) } ?? NOOPMetricsHandler.instance
    }

    public func destroyCounter(_ handler: any CounterHandler) { end(handler) }
    public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) { end(handler) }
    public func destroyMeter(_ handler: any MeterHandler) { end(handler) }
    public func destroyRecorder(_ handler: any RecorderHandler) { end(handler) }
    public func destroyTimer(_ handler: any TimerHandler) { end(handler) }

    /// `nil` if there are too many metrics.
    private func metric<Made: Metric>(
        _ kind: MetricKey.Kind, _ label: String, _ dimensions: [(String, String)], _ make: (MetricKey) -> Made
    ) -> Made? {
        let key = MetricKey(kind: kind, label: label, dimensions)
        let (metric, isFirstTooMany) = state.withLock { state -> (Made?, Bool) in
            // A key's kind determines the metric's type.
            if let known = state.metrics[key] as? Made { return (known, false) }
            guard state.metrics.count < Self.mostMetrics else {
                defer { state.isFull = true }
                return (nil, !state.isFull)
            }
            let made = make(key)
            state.metrics[key] = made
            return (made, false)
        }
        if isFirstTooMany {
            log.warning(
                "More than \(Self.mostMetrics) metrics: others are not recorded. Give dimensions fewer values.")
        }
        return metric
    }

    private func end(_ handler: AnyObject) {
        guard let metric = handler as? any Metric else { return }
        state.withLock { state in
            guard state.metrics[metric.key] === metric else { return }
            state.metrics[metric.key] = nil
            state.ended.append(metric)
        }
    }
}

struct MetricKey: Hashable, Comparable {
    enum Kind: String {
        case counter, meter, gauge, recorder, timer
        case floatingPointCounter = "counter of fractions"
    }

    let kind: Kind
    let label: String
    /// Sorted by name; the last of equal ones.
    let dimensions: [String: String]

    init(kind: Kind, label: String, _ dimensions: [(String, String)]) {
        self.kind = kind
        self.label = label
        self.dimensions = Dictionary(dimensions) { $1 }
    }

    static func < (left: MetricKey, right: MetricKey) -> Bool {
        func text(_ key: MetricKey) -> [String] {
            [key.label, key.kind.rawValue] + key.dimensions.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }
        }
        return text(left).lexicographicallyPrecedes(text(right))
    }

    /// The metric's identity and numbers. A dimension named like one of them gets the prefix `dimension.`.
    func attributes(_ numbers: KeyValuePairs<String, Value>) -> Attributes {
        let names = Set(numbers.map(\.key)).union(["metric"])
        return Attributes(
            [("metric", .string(kind.rawValue))] + numbers.map { ($0.key, $0.value) }
                + dimensions.sorted { $0.key < $1.key }.map {
                    (names.contains($0.key) ? "dimension.\($0.key)" : $0.key, .string($0.value))
                })
    }
}
