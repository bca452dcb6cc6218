import Daybook
import Foundation
public import Tracing

/// A span that Daybook records. Thread-safe.
public final class DaybookSpan: Tracing.Span {
    private struct State {
        var name: String
        var attributes = SpanAttributes()
        var links: [String] = []
        var status: SpanStatus?
        /// The description of the last recorded error.
        var error: String?
        var isRecording = true
    }

    public let context: ServiceContext
    private let measurement: LogMeasurement
    private let log: Log
    /// Its kind, and where it was started.
    private let origin: Attributes
    private let state: Locked<State>

    init(
        _ measurement: LogMeasurement, _ name: String, _ context: ServiceContext, log: Log,
        _ origin: KeyValuePairs<String, Value?>
    ) {
        self.measurement = measurement
        self.context = context
        self.log = log
        self.origin = Attributes(origin.compactMap { name, value in value.map { (name, $0) } })
        state = Locked(State(name: name))
    }

    public var operationName: String {
        get { state.withLock { $0.name } }
        set { state.withLock { $0.name = newValue } }
    }

    public var attributes: SpanAttributes {
        get { state.withLock { $0.attributes } }
        set { state.withLock { $0.attributes = newValue } }
    }

    public var isRecording: Bool { state.withLock { $0.isRecording } }

    public func setStatus(_ status: SpanStatus) { state.withLock { $0.status = status } }

    public func addLink(_ link: SpanLink) {
        guard let span = link.context.daybookSpan?.span else { return }
        state.withLock { $0.links.append(span.traceParent) }
    }

    /// Records a message within the span, with the event's name and time.
    public func addEvent(_ event: SpanEvent) {
        record(
            Record(
                time: Int64(clamping: event.nanosecondsSinceEpoch), kind: .message, level: .info, tag: log.tag,
                message: event.name, attributes: Attributes(event.attributes)))
    }

    /// Records the error within the span. To fail the span, use ``setStatus(_:)``.
    public func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) {
        var record = Record(error: error, level: .error, tag: log.tag)
        record.time = instant().time
        record.attributes.elements += Attributes(attributes).elements
        state.withLock { $0.error = record.message }
        self.record(record)
    }

    public func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        let ended = state.withLock { state in
            defer { state.isRecording = false }
            return state
        }
        guard ended.isRecording else { return }
        var attributes = Attributes(ended.attributes)
        if !ended.links.isEmpty { attributes["span.links"] = .array(ended.links.map { .string($0) }) }
        attributes.elements += origin.elements
        let hasFailed = ended.status?.code == .error
        measurement.end(
            attributes, failure: hasFailed ? ended.status?.message ?? ended.error ?? "" : nil, name: ended.name,
            level: hasFailed ? .error : nil, at: instant().time)
    }

    private func record(_ record: Record) {
        guard isRecording else { return }
        var record = record
        record.span = measurement.context
        log.forward(record)
    }
}

/// A value behind a lock.
///
/// Sound to share: the value is only accessed with the lock held.
private final class Locked<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    func withLock<Result>(_ body: (inout Value) -> Result) -> Result { lock.withLock { body(&value) } }
}
