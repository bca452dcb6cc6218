public import Daybook
public import Tracing

/// Records the spans of swift-distributed-tracing with Daybook. Traced libraries need no changes.
///
/// ```swift
/// Log.install(pipeline)
/// InstrumentationSystem.bootstrap(DaybookTracer())
/// ```
///
/// A span is a Daybook measurement: stored when it begins and ends; if a crash leaves it open, the next launch ends it.
/// Records and measurements within it belong to it. Between processes it travels as `traceparent` (W3C Trace Context).
/// Thread-safe.
public struct DaybookTracer: Tracer {
    /// The request header that carries the span.
    public static let field = "traceparent"

    private let log: Log
    private let level: Level

    /// Creates a tracer.
    /// - Parameters:
    ///   - log: Its tag is the spans' tag. Default: `trace`, to the installed pipeline.
    ///   - level: The level of spans; failed ones are `error`. Default: `info`.
    public init(log: Log = Log("trace"), level: Level = .info) {
        self.log = log
        self.level = level
        TaskSpan.follow { ServiceContext.current?.daybookSpan }
    }

    public func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> DaybookSpan {
        var context = context()
        let measurement = log.start(
            operationName, level: level, within: TaskSpan.innermost(context.daybookSpan), at: instant().time)
        context.daybookSpan = TaskSpan(measurement.context)
        return DaybookSpan(
            measurement, operationName, context, log: log,
            [
                "span.kind": kind == .internal ? nil : "\(kind)", "code.file.path": .string(fileID),
                "code.function.name": .string(function), "code.line.number": .int(Int64(clamping: line)),
            ])
    }

    /// Does nothing: the pipeline delivers finished spans from the journal.
    public func forceFlush() {}

    public func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {
        guard let text = extractor.extract(key: Self.field, from: carrier), let span = SpanContext(traceParent: text)
        else { return }
        context.daybookSpan = TaskSpan(span)
    }

    public func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let span = TaskSpan.innermost(context.daybookSpan) else { return }
        injector.inject(span.traceParent, forKey: Self.field, into: &carrier)
    }
}

extension ServiceContext {
    private enum SpanKey: ServiceContextKey {
        typealias Value = TaskSpan
        static let nameOverride: String? = "daybook-span"
    }

    var daybookSpan: TaskSpan? {
        get { self[SpanKey.self] }
        set { self[SpanKey.self] = newValue }
    }
}

extension TracerInstant {
    /// Nanoseconds since 1970.
    var time: Int64 { Int64(clamping: nanosecondsSinceEpoch) }
}
