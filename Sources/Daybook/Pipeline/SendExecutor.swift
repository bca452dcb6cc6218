import Dispatch

/// Runs the sends of one output on a thread of its own.
///
/// An output that blocks the thread it is called on (a semaphore, a slow file) would otherwise take one of the few
/// threads of all asynchronous work in the process. A thread exists only while there is work.
final class SendExecutor: TaskExecutor {
    private let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label, qos: .utility) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
