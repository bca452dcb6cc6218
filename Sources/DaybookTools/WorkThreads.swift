import CThreads
import DaybookBase
import Dispatch
import Foundation

/// Threads for tasks that share nothing with others: what runs on them, child tasks and actors included, may block or compute
/// without taking one of the few threads of all other asynchronous work, and waits for none of those.
///
/// A thread starts when it is first needed and stays until ``stop()``. Safe to share between threads. On systems that know no
/// task executor the work runs on the threads that all share.
package final class WorkThreads: Sendable {
    private struct State {
        var jobs: [@Sendable () -> Void] = []
        var threads = 0
        var idle = 0
        var isStopped = false
    }

    /// For work that steps back where processors are short. It has a third of what other work has: at 15 it would be a
    /// thirtieth, and on a machine that is busy for long such work shall end too.
    package static let yieldingNiceness: Int32 = 5

    /// Whose the present task is.
    @TaskLocal private static var current: WorkThreads?

    private let name: String
    private let limit: Int
    private let niceness: Int32
    private let state = Mutex(State())
    private let wakings = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - name: in debuggers and `top -H`; at most 15 bytes there.
    ///   - count: threads at most.
    ///   - niceness: how far they step back where processors are short; Linux alone has it for a thread. Default: 0.
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

    /// Starts a task that nobody waits for as a child, on the threads of the present one.
    @discardableResult
    package static func runBeside(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        current?.run(work) ?? Task(operation: work)
    }

    /// The same with an answer.
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

    /// Ends the threads that have nothing to do, and the others when they are done.
    package func stop() {
        let idle = state.withLock { state in
            state.isStopped = true
            return state.idle
        }
        for _ in 0..<idle { wakings.signal() }
    }

    /// Does a piece of work that does not wait for other tasks on one of these threads.
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

    /// Lets the thread that calls step back where processors are short; Linux alone has that for a thread.
    package static func stepBack(by niceness: Int32) {
        #if os(Linux)
            setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness)
        #endif
    }

    /// What a thread does: each waking is for a job, or for the end.
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
