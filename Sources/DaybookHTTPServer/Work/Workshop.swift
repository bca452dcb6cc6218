import DaybookBase
import DaybookHTTP
import DaybookTools
import Foundation

/// Where requests are answered: each kind of work on threads of its own, so that a handler that blocks or computes for ever
/// holds its own place, and neither ingest nor health nor those who serve sockets.
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

    /// Begins a handler's work, now or when there is a place for it; `false` where there will be none.
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

    /// Feeds a reply's stream.
    func feed(_ stream: @escaping @Sendable () async -> Void) -> Task<Void, Never> { streams.run(stream) }

    /// Does what the server itself has to do, whatever handlers do.
    func run(_ duty: @escaping @Sendable () async -> Void) -> Task<Void, Never> { health.run(duty) }

    /// Ends the threads. What still works there ends first.
    func stop() {
        for threads in [ingest, health, ordinary, streams] { threads.stop() }
    }

    private func start(_ work: HandlerWork, _ group: BodyGroup) {
        work.start(on: ordinary) { [self] in
            if let next = places.withLock({ $0.leave(group) }) { start(next.waiting, next.group) }
        }
    }
}

/// One handler's work, which may have to wait for its place, and may be cancelled meanwhile.
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
