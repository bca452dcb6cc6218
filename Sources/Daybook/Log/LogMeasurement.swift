import CThreads
import DaybookBase

/// Something that takes time, from its start to its `end`; becomes an OpenTelemetry span.
///
/// May end in another method, task or thread than it started in. Only the first end counts. A measurement that never
/// ends is recorded as unfinished by the next launch, unless it started before a pipeline was installed. Safe to share
/// between threads.
public final class LogMeasurement: Sendable {
    /// What identifies the span; `context.traceParent` carries it to a server.
    public let context: SpanContext
    /// What is measured.
    public let name: String

    let tag: String
    let level: Level
    let isRequest: Bool
    let parentSpanID: UInt64?
    let site: CallSite?
    private let start: Int64
    private let startMonotonic: UInt64
    private let isEnded = Atomic<Bool>(false)
    private let isStarted = Atomic<Bool>(false)
    private let core: PipelineCore?

    init(
        _ name: String, tag: String, level: Level, isRequest: Bool = false, parent: SpanContext?, site: CallSite?,
        at time: Int64? = nil, core: PipelineCore?
    ) {
        self.name = name
        self.tag = tag
        self.level = level
        self.isRequest = isRequest
        self.site = site
        self.core = core
        context = SpanContext.make(parent: parent)
        parentSpanID = parent?.span
        let clock = core?.clock ?? .system
        start = time ?? clock.wall()
        startMonotonic = clock.monotonic()
        if let core { isStarted.store(core.record(start: head(end: nil, failure: nil)), ordering: .relaxed) }
    }

    /// Ends the measurement successfully.
    public func end(_ attributes: Attributes = [:]) { end(attributes, failure: nil) }

    /// Ends the measurement with an error.
    public func end(throwing error: any Error, _ attributes: Attributes = [:]) {
        let description = ErrorDescription(error)
        var attributes = attributes
        attributes.elements += description.attributes.elements
        end(attributes, failure: description.message)
    }

    /// Ends the measurement with what is known by now.
    /// - Parameters:
    ///   - failure: Why it failed, empty without a reason; `nil` if it succeeded.
    ///   - name: Replaces the name from the start, for example by a request's route.
    ///   - level: Replaces the level from the start.
    ///   - time: When it ended, in nanoseconds since 1970, if another clock timed it. Default: now, by the monotonic
    ///     clock.
    public func end(
        _ attributes: Attributes, failure: String?, name: String? = nil, level: Level? = nil, at time: Int64? = nil
    ) {
        guard isEnded.compareExchange(expected: false, desired: true).exchanged else { return }
        // A jump of the wall clock must not make the duration negative.
        let duration =
            time.map { max($0.subtractingReportingOverflow(start).partialValue, 0) }
            ?? Int64(clamping: (core?.clock ?? .system).monotonic() &- startMonotonic)
        let (name, level) = (name ?? self.name, level ?? self.level)
        guard let core else { return endEarly(name, duration, attributes, failure, level) }
        var head = head(end: start &+ duration, failure: failure)
        (head.name, head.level) = (name, level)
        core.record(end: head, attributes, isStarted: isStarted.load(ordering: .relaxed))
    }

    /// Records a measurement that started before a pipeline was installed.
    private func endEarly(
        _ name: String, _ duration: Int64, _ attributes: Attributes, _ failure: String?, _ level: Level
    ) {
        var record = Record(
            time: start, kind: isRequest ? .request : .span, level: level, tag: tag, message: name,
            attributes: attributes)
        record.span = context
        record.parentSpanID = parentSpanID
        record.duration = duration
        record.failure = failure
        record.place(at: site)
        Log(tag).forward(record)
    }

    private func head(end: Int64?, failure: String?) -> SpanEncoder.Head {
        SpanEncoder.Head(
            name: name, tag: tag, level: level, isRequest: isRequest, context: context, parentSpanID: parentSpanID,
            start: start, end: end, failure: failure, site: site)
    }
}

extension SpanContext {
    /// The current task's span, inherited by child tasks.
    @TaskLocal static var currentInTask: SpanContext?

    /// The span that a record logged now belongs to: the measurement around the current task's work, or a span of
    /// another library (see ``TaskSpan``).
    public static var current: SpanContext? {
        daybook_tasks_carry_span() ? TaskSpan.innermost(TaskSpan.followed) : nil
    }

    func whileCurrent<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        daybook_let_tasks_carry_span()
        return try await Self.$currentInTask.withValue(self, operation: body, isolation: isolation)
    }

    package func whileCurrent<Result>(_ body: () throws -> Result) rethrows -> Result {
        daybook_let_tasks_carry_span()
        return try Self.$currentInTask.withValue(self, operation: body)
    }

    /// A new span: within `parent`'s trace, or the root of a new one.
    static func make(parent: SpanContext?) -> SpanContext {
        SpanContext(
            traceHigh: parent?.traceHigh ?? Identifiers.next(), traceLow: parent?.traceLow ?? Identifiers.next(),
            span: Identifiers.next())
    }
}

/// Unique identifiers: a seed per process and a counter, mixed. No lock, no system call.
enum Identifiers {
    private static let seed = UInt64.random(in: 1 ... .max)
    private static let counter = Atomic<UInt64>(0)

    /// Never zero. SplitMix64's finaliser is a bijection, so no number repeats within a process.
    static func next() -> UInt64 {
        let count = counter.add(1, ordering: .relaxed)
        var mixed = seed &+ count &* 0x9e37_79b9_7f4a_7c15
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        mixed ^= mixed >> 31
        return mixed == 0 ? seed : mixed
    }
}
