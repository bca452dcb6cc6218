import CThreads
import DaybookBase
import Dispatch

/// Runs the sends of a batch output, so that what the output itself logs, also in child tasks and actors, is recognised
/// and not sent back to it.
struct SendRunner: Sendable {
    enum Place {
        /// A thread of the output's own, so that an output that blocks (a semaphore, a slow file) takes no thread of
        /// the cooperative pool.
        case ownThread
        /// The cooperative pool, for systems without task executors.
        case sharedThreads

        static var preferred: Place {
            if #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) { .ownThread } else { .sharedThreads }
        }
    }

    private let scope: CallScope
    private let start: @Sendable (_ send: @escaping @Sendable () async -> Void) -> Void

    /// - Parameters:
    ///   - label: Names the thread in debuggers.
    ///   - scope: The scope of the sends.
    init(label: String, scope: CallScope, place: Place) {
        if #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *), place == .ownThread {
            let executor = SendExecutor(label: label, scope: scope)
            start = { send in Task.detached(executorPreference: executor, priority: .utility, operation: send) }
        } else {
            daybook_let_tasks_carry_scope()
            start = { send in Task.detached(priority: .utility, operation: send) }
        }
        self.scope = scope
    }

    func run(_ send: @escaping @Sendable () async -> Void) {
        start { [scope] in await DeliveryScope.$current.withValue(scope, operation: send) }
    }
}

/// What the current task delivers for; empty outside of a delivery. Child tasks inherit it.
enum DeliveryScope {
    @TaskLocal static var current: CallScope = .none

    /// Whether the current task is an output's delivery, whose requests are never recorded.
    static var isDelivering: Bool { !current.isEmpty }
}

/// One output's thread, which exists only while there is work.
@available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
private final class SendExecutor: TaskExecutor {
    private let queue: DispatchQueue
    private let scope: CallScope

    init(label: String, scope: CallScope) {
        queue = DispatchQueue(label: label, qos: .utility)
        self.scope = scope
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { self.scope.run { job.runSynchronously(on: self.asUnownedTaskExecutor()) } }
    }
}
