public import Daybook

/// What ``PerformanceOutput`` calls: Firebase Performance's `Trace` has these methods as they are.
public protocol PerformanceTrace {
    func setValue(_ value: String, forAttribute attribute: String)
    func setValue(_ value: Int64, forMetric metric: String)
    func stop()
}

/// Sends finished measurements to Firebase Performance as custom traces.
///
/// ```swift
/// import FirebasePerformance
/// extension Trace: @retroactive PerformanceTrace {}
///
/// Route("**", to: PerformanceOutput { Performance.startTrace(name: $0) })
/// ```
///
/// Firebase's traces can only be started and stopped now, and a record comes when its measurement has ended: the duration
/// travels as the metric `duration_ms`, a failure as the metric `failed`, and the first five attributes as attributes.
/// Names and values are cut to Firebase's limits (its documentation, *Add custom attributes and metrics*).
public struct PerformanceOutput: Output {
    private static let maximumName = 100
    private static let maximumAttributes = 5
    private static let maximumKey = 40
    private static let maximumValue = 100

    public let id: String
    private let start: @Sendable (String) -> (any PerformanceTrace)?

    /// An output.
    /// - Parameters:
    ///   - id: Its name in ledgers; unique in a pipeline. Default: `firebase-performance`.
    ///   - start: Starts a trace with a name; `nil` where Firebase is not running.
    public init(id: String = "firebase-performance", _ start: @escaping @Sendable (String) -> (any PerformanceTrace)?) {
        self.id = id
        self.start = start
    }

    public func write(_ record: Record) {
        guard record.kind == .span || record.kind == .request, let duration = record.duration,
            let name = Self.traceName(record.message ?? record.tag), let trace = start(name)
        else { return }
        for element in record.attributes.elements.prefix(Self.maximumAttributes) {
            trace.setValue(
                String("\(element.value.foundation)".prefix(Self.maximumValue)),
                forAttribute: Self.attributeName(element.key))
        }
        trace.setValue(duration / 1_000_000, forMetric: "duration_ms")
        if record.failure != nil { trace.setValue(1, forMetric: "failed") }
        trace.stop()
    }

    /// A name that Firebase takes: no white space around it, no underscore before it, at most 100 characters.
    static func traceName(_ name: String) -> String? {
        let start = name.drop { $0.isWhitespace || $0 == "_" }
        var trimmed = start.prefix(maximumName)
        while trimmed.last?.isWhitespace == true { trimmed.removeLast() }
        return trimmed.isEmpty ? nil : String(trimmed)
    }

    /// A key that Firebase takes: letters, digits and underscores, a letter first, at most 40.
    static func attributeName(_ key: String) -> String {
        let plain = key.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
        let named = plain.first?.isLetter == true ? plain : ["a", "_"] + plain
        return String(named.prefix(maximumKey))
    }
}
