public import Daybook
import Foundation

/// What ``PerformanceOutput`` calls. Firebase Performance's `Trace` has these methods.
public protocol PerformanceTrace {
    func setValue(_ value: String, forAttribute attribute: String)
    func setValue(_ value: Int64, forMetric metric: String)
    func stop()
}

/// Sends measurements and requests to Firebase Performance as custom traces.
///
/// ```swift
/// import FirebasePerformance
/// extension Trace: @retroactive PerformanceTrace {}
///
/// Route("**", to: PerformanceOutput { Performance.startTrace(name: $0) }, timing: .inline)
/// ```
///
/// A trace starts and stops with its measurement, so Firebase measures the same duration; route it `.inline`, or both
/// come a little late. The first five attributes become the trace's attributes, and a failure the metric `failed`.
/// Names and values are cut to Firebase's limits (its documentation, *Add custom attributes and metrics*). Thread-safe.
///
/// Measurements that began before the pipeline or in another library have no trace, since Firebase accepts no times. Of
/// more than 256 unfinished traces, the oldest are dropped.
public final class PerformanceOutput: Output {
    static let maximumOpen = 256

    public let id: String
    private let starting: @Sendable (String) -> (any PerformanceTrace)?
    private let open = Locked(OpenTraces())

    /// Creates an output.
    /// - Parameters:
    ///   - id: Its name in ledgers; unique in a pipeline. Default: `firebase-performance`.
    ///   - start: Starts a trace with a name; `nil` if Firebase is not running. Called on the thread that logs.
    public init(id: String = "firebase-performance", _ start: @escaping @Sendable (String) -> (any PerformanceTrace)?) {
        self.id = id
        starting = start
    }

    public var takesStarts: Bool { true }

    public func start(_ record: Record) {
        guard let span = record.span, let name = FirebaseText.traceName(record.message ?? record.tag),
            let trace = starting(name)
        else { return }
        open.withLock { $0.add(trace, for: span) }
    }

    public func write(_ record: Record) {
        guard let span = record.span, record.kind == .span || record.kind == .request,
            let trace = open.withLock({ $0.take(span) })
        else { return }
        for element in record.masked.attributes.elements.prefix(FirebaseText.maximumTraceAttributes) {
            trace.setValue(FirebaseText.value(of: element.value), forAttribute: FirebaseText.attributeName(element.key))
        }
        if record.failure != nil { trace.setValue(1, forMetric: "failed") }
        trace.stop()
    }
}

/// The started traces.
struct OpenTraces {
    private var traces: [SpanContext: any PerformanceTrace] = [:]
    private var order: [SpanContext] = []

    var count: Int { traces.count }

    mutating func add(_ trace: any PerformanceTrace, for span: SpanContext) {
        traces[span] = trace
        order.append(span)
        // Removing finished traces one by one would be slow.
        if order.count > 2 * PerformanceOutput.maximumOpen { order.removeAll { traces[$0] == nil } }
        while traces.count > PerformanceOutput.maximumOpen { traces[order.removeFirst()] = nil }
    }

    mutating func take(_ span: SpanContext) -> (any PerformanceTrace)? { traces.removeValue(forKey: span) }
}
