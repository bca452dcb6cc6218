import Synchronization

/// What identifies a span to others: W3C trace context's trace id and span id.
public struct SpanContext: Sendable, Hashable {
    let traceHigh: UInt64
    let traceLow: UInt64
    let span: UInt64

    /// 32 lower-case hexadecimal digits.
    public var traceID: String { Hex.text(traceHigh) + Hex.text(traceLow) }
    /// 16 lower-case hexadecimal digits.
    public var spanID: String { Hex.text(span) }
    /// The `traceparent` header value that carries this span to a server (W3C Trace Context, level 1).
    public var traceParent: String { "00-\(traceID)-\(spanID)-01" }

    /// The span that the current task runs in. It follows child tasks; nothing else of Daybook does.
    @TaskLocal static var currentInTask: SpanContext?

    /// Set for good by the first span that is bound to a task, so that programs without spans never read a task-local.
    static let isUsed = Atomic<Bool>(false)

    /// The measurement that a record logged now belongs to: the one around the current task's work, if any.
    public static var current: SpanContext? {
        isUsed.load(ordering: .relaxed) ? currentInTask : nil
    }

    /// Runs `body` with this span as the current one.
    func whileCurrent<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        Self.isUsed.store(true, ordering: .relaxed)
        return try await Self.$currentInTask.withValue(self, operation: body, isolation: isolation)
    }

    /// Runs `body` with this span as the current one.
    func whileCurrent<Result>(_ body: () throws -> Result) rethrows -> Result {
        Self.isUsed.store(true, ordering: .relaxed)
        return try Self.$currentInTask.withValue(self, operation: body)
    }

    /// A new span: within `parent`'s trace, or the root of a new one.
    static func make(parent: SpanContext?) -> SpanContext {
        SpanContext(
            traceHigh: parent?.traceHigh ?? Identifiers.next(), traceLow: parent?.traceLow ?? Identifiers.next(),
            span: Identifiers.next())
    }
}

/// Identifiers that do not repeat: a seed per process and a counter, mixed. No lock, no system call.
enum Identifiers {
    private static let seed = UInt64.random(in: 1 ... .max)
    private static let counter = Atomic<UInt64>(0)

    /// A number that is never zero. SplitMix64's finaliser is a bijection, so numbers of one process never repeat.
    static func next() -> UInt64 {
        let count = counter.wrappingAdd(1, ordering: .relaxed).newValue
        var mixed = seed &+ count &* 0x9e37_79b9_7f4a_7c15
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        mixed ^= mixed >> 31
        return mixed == 0 ? seed : mixed
    }
}
