import CThreads
import DaybookBase

/// A span of another tracing library in the current task.
///
/// The bridge of such a library creates one where a span starts, keeps it where the library keeps its task-local
/// values, and states once where that is (``follow(_:)``). What is logged and measured within the span then belongs to
/// it. Safe to share.
public struct TaskSpan: Sendable {
    /// The span.
    public let span: SpanContext
    /// The measurement around the place where this was made.
    private let around: SpanContext?

    /// Creates a span where it starts: a measurement that is open in the task now encloses it, a later one is within
    /// it.
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

    /// Sets how the current task's span of another library is found. The last `source` counts. It is called for each
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

    /// The address of a source that was retained for good when it was given, or 0: reading it needs no lock, and the object
    /// cannot go away under a reader.
    private static let slot = Atomic<UInt>(0)

    private final class Source: Sendable {
        let find: @Sendable () -> TaskSpan?
        init(find: @escaping @Sendable () -> TaskSpan?) { self.find = find }
    }
}
