import CThreads
import DaybookBase

/// A span of another tracing library in the current task.
///
/// A library's bridge creates one where a span starts and keeps it with the library's task-local values. It tells
/// Daybook once where to find it (``follow(_:)``). What is logged and measured within the span then belongs to it. Safe
/// to share.
public struct TaskSpan: Sendable {
    /// The span.
    public let span: SpanContext
    /// The measurement that encloses the span.
    private let around: SpanContext?

    /// Creates a span where it starts: a measurement now open in the task encloses it, a later one is within it.
    ///
    /// ```swift
    /// let caller = SpanContext(traceParent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
    /// let span = caller.map { TaskSpan($0) }
    /// ```
    public init(_ span: SpanContext) {
        self.span = span
        around = SpanContext.currentInTask
    }

    /// The span that work in the current task belongs to: `other`, or a Daybook measurement within it.
    public static func innermost(_ other: TaskSpan?) -> SpanContext? {
        let own = SpanContext.currentInTask
        guard let other else { return own }
        return own == nil || own == other.around ? other.span : own
    }

    /// Sets how another library's span of the current task is found. The last `source` counts. It is called for each
    /// record, on the logging thread, so it must not log or wait.
    public static func follow(_ source: @escaping @Sendable () -> TaskSpan?) {
        slot.store(UInt(bitPattern: Unmanaged.passRetained(Source(find: source)).toOpaque()), ordering: .releasing)
        daybook_let_tasks_carry_span()
    }

    static var followed: TaskSpan? {
        UnsafeRawPointer(bitPattern: slot.load(ordering: .acquiring)).flatMap {
            Unmanaged<Source>.fromOpaque($0)._withUnsafeGuaranteedRef { $0.find() }
        }
    }

    /// Address of a source, or 0. Sources are never released: a reader needs no lock, and none is freed under it.
    private static let slot = Atomic<UInt>(0)

    private final class Source: Sendable {
        let find: @Sendable () -> TaskSpan?
        init(find: @escaping @Sendable () -> TaskSpan?) { self.find = find }
    }
}
