import CThreads
import DaybookBase
import Dispatch

/// Runs the sends of one batch output, so that what the output logs itself, also in child tasks and in actors that it
/// calls, is known for its own and does not come back to it.
struct SendRunner: Sendable {
    /// Where sends run.
    enum Place {
        /// On a thread of the output's own. An output that blocks the thread it is called on (a semaphore, a slow file)
        /// then takes none of the few threads of all asynchronous work in the process.
        case ownThread
        /// On the threads that all asynchronous work shares: what systems can do that know no task executor.
        case sharedThreads

        /// The best that the system has.
        static var preferred: Place {
            if #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) { .ownThread } else { .sharedThreads }
        }
    }

    private let scope: CallScope
    private let start: @Sendable (_ send: @escaping @Sendable () async -> Void) -> Void

    /// - Parameters:
    ///   - label: Names the thread in debuggers.
    ///   - scope: What a send is within.
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

    /// Starts a send and returns at once.
    func run(_ send: @escaping @Sendable () async -> Void) {
        start { [scope] in await DeliveryScope.$current.withValue(scope, operation: send) }
    }
}

/// What the current task delivers for; empty outside of a delivery. Child tasks inherit it.
enum DeliveryScope {
    @TaskLocal static var current: CallScope = .none

    /// Whether the current task is an output's delivery: the requests that it makes are never recorded.
    static var isDelivering: Bool { !current.isEmpty }
}

/// One output's own thread, which exists only while there is work.
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
