import DaybookBase
import DaybookHTTP
import DaybookTools
import Foundation

/// Runs handlers: each kind of work has its own threads, so that a handler that blocks or computes for ever holds only
/// its own place, and stops neither ingest, health nor socket threads.
final class Workshop: Sendable {
    private let ingest = WorkThreads("daybook.ingest", count: ProcessInfo.processInfo.activeProcessorCount + 1)
    private let health = WorkThreads("daybook.health", count: 2)
    private let ordinary: WorkThreads
    private let streams = WorkThreads("daybook.stream", count: 4, niceness: WorkThreads.yieldingNiceness)
    private let places: Mutex<Places<HandlerWork>>

    init(_ limits: HTTPServerLimits) {
        ordinary = WorkThreads("daybook.work", count: limits.places, niceness: WorkThreads.yieldingNiceness)
        places = Mutex(Places(count: limits.places, queueLimit: limits.waitingRequests))
    }

    /// Starts a handler's work, now or when a place is free; `false` if the queue is full.
    func begin(_ work: HandlerWork, _ kind: HTTPWork, of group: BodyGroup) -> Bool {
        switch kind {
        case .ingest:
            work.start(on: ingest) {}
        case .health:
            work.start(on: health) {}
        case .bounded:
            switch places.withLock({ $0.enter(work, as: group) }) {
            case .now: start(work, group)
            case .later: break
            case .full: return false
            }
        }
        return true
    }

    /// Runs a reply's producer.
    func feed(_ stream: @escaping @Sendable () async -> Void) -> Task<Void, Never> { streams.run(stream) }

    /// Runs the server's own work, independent of handlers.
    func run(_ duty: @escaping @Sendable () async -> Void) -> Task<Void, Never> { health.run(duty) }

    /// Stops the threads once their work has ended.
    func stop() {
        for threads in [ingest, health, ordinary, streams] { threads.stop() }
    }

    private func start(_ work: HandlerWork, _ group: BodyGroup) {
        work.start(on: ordinary) { [self] in
            if let next = places.withLock({ $0.leave(group) }) { start(next.waiting, next.group) }
        }
    }
}

/// A handler's work, which may wait for a place and may be cancelled meanwhile.
final class HandlerWork: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        var isCancelled = false
    }

    private let state = Mutex(State())
    private let body: @Sendable () async -> Void

    init(_ body: @escaping @Sendable () async -> Void) { self.body = body }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }

    /// Once.
    fileprivate func start(on threads: WorkThreads, end: @escaping @Sendable () -> Void) {
        let task = threads.run { [body] in
            await body()
            end()
        }
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }
}
