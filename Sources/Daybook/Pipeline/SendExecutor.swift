import Dispatch

/// Runs the sends of one output on a thread of its own.
///
/// An output that blocks the thread it is called on (a semaphore, a slow file) would otherwise take one of the few
/// threads of all asynchronous work in the process. A thread exists only while there is work. What an output logs there,
/// also in child tasks and actors it calls, is known for its own.
final class SendExecutor: TaskExecutor {
    private let queue: DispatchQueue
    private let scope: CallScope

    /// - Parameter scope: Where its work is within.
    init(label: String, scope: CallScope) {
        queue = DispatchQueue(label: label, qos: .utility)
        self.scope = scope
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { self.scope.run { job.runSynchronously(on: self.asUnownedTaskExecutor()) } }
    }
}
