import CThreads
import DaybookBase
import Dispatch
import Foundation

/// A dedicated thread pool for tasks: what runs on it, including child tasks and actors, may block or compute without
/// starving other asynchronous work, nor wait for it.
///
/// Threads start on demand and stay until ``stop()``. Thread-safe. Without task executors, the system's shared pool is
/// used.
package final class WorkThreads: Sendable {
    private struct State {
        var jobs: [@Sendable () -> Void] = []
        var threads = 0
        var idle = 0
        var isStopped = false
    }

    /// Background priority: a third of the normal CPU share. At 15 it would be a thirtieth, and even on a busy machine
    /// such work must finish.
    package static let yieldingNiceness: Int32 = 5

    /// The current task's pool.
    @TaskLocal private static var current: WorkThreads?

    private let name: String
    private let limit: Int
    private let niceness: Int32
    private let state = Mutex(State())
    private let wakings = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - name: in debuggers and `top -H`, which shows at most 15 bytes.
    ///   - count: the most threads.
    ///   - niceness: of its threads; per thread on Linux only. Default: 0.
    package init(_ name: String, count: Int, niceness: Int32 = 0) {
        (self.name, limit, self.niceness) = (name, max(1, count), niceness)
    }

    /// Starts a task on these threads.
    @discardableResult
    package func run(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        let work = { @Sendable in await Self.$current.withValue(self, operation: work) }
        if #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) {
            return Task.detached(executorPreference: self, operation: work)
        }
        return Task.detached(operation: work)
    }

    /// Starts an unstructured task on the current task's threads.
    @discardableResult
    package static func runBeside(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        current?.run(work) ?? Task(operation: work)
    }

    /// As above, with a result.
    package static func runBeside<Value: Sendable>(
        answering work: @escaping @Sendable () async throws -> Value
    ) -> Task<Value, any Error> {
        if let current, #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) {
            return Task.detached(executorPreference: current) {
                try await Self.$current.withValue(current, operation: work)
            }
        }
        return Task(operation: work)
    }

    /// Ends idle threads now, and busy ones when they finish.
    package func stop() {
        let idle = state.withLock { state in
            state.isStopped = true
            return state.idle
        }
        for _ in 0..<idle { wakings.signal() }
    }

    /// Runs a job that does not wait for other tasks.
    package func add(_ job: @escaping @Sendable () -> Void) {
        let startsThread = state.withLock { state in
            state.jobs.append(job)
            guard state.idle < state.jobs.count, state.threads < limit else { return false }
            state.threads += 1
            state.idle += 1
            return true
        }
        if startsThread {
            Thread { self.work() }.start()
        }
        wakings.signal()
    }

    /// Raises the calling thread's niceness. Darwin's threads have none: there it gets the class of long work.
    package static func stepBack(by niceness: Int32) {
        #if canImport(Glibc)
            setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness)
        #elseif canImport(Darwin)
            pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 0)
        #else
            setpriority(PRIO_PROCESS, 0, niceness)
        #endif
    }

    /// A thread's loop: each wake-up is for a job or the end.
    private func work() {
        #if os(Linux)
            daybook_name_thread(name)
        #else
            Thread.current.name = name
        #endif
        if niceness > 0 { Self.stepBack(by: niceness) }
        var isDone = false
        while !isDone {
            wakings.wait()
            let job = state.withLock { state in
                state.idle -= 1
                return state.jobs.isEmpty ? nil : state.jobs.removeFirst()
            }
            job?()
            isDone = state.withLock { state in
                let isOver = job == nil || state.isStopped && state.jobs.isEmpty
                if isOver { state.threads -= 1 } else { state.idle += 1 }
                return isOver
            }
        }
    }
}

@available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
extension WorkThreads: TaskExecutor {
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        add { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
