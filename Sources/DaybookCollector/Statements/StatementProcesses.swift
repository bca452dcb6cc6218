import DaybookBase
import DaybookStore
import DaybookTools
import Foundation

/// Runs users' statements, each in its own process, so that even the worst costs this process only a waiting thread.
///
/// The process is this program again (``StatementWorker``), with limits on memory, CPU time and file size; it is killed
/// on timeout, and where the system does not bound its memory, by a ``MemoryWatch``. A few run at once and some wait,
/// fairly by asker. Beyond that they are refused at once, as are those of an asker that would take more of the queue
/// than is left. Thread-safe.
package final class StatementProcesses: StatementRunner {
    private struct State {
        var running: [ObjectIdentifier: StatementProcess] = [:]
        /// Slots in use, including processes about to start.
        var taken = 0
        var waiting = FairQueue<Asker?, (id: Int, turn: CheckedContinuation<Result<Void, StoreError>, Never>)>()
        var nextID = 0
        var isStopped = false
        /// By outcome.
        var ended: [String: Int] = [:]
    }

    /// The default number of concurrent statements.
    package static let usualCapacity = 2
    /// The most statements in the queue.
    private static let queueLength = 16

    private let state = Mutex(State())
    private let program: String
    private let store: String
    private let capacity: Int
    private let givesWay: Bool
    private let watch: MemoryWatch?
    private let clock: any Clock<Duration>

    /// - Parameters:
    ///   - program: the executable; see ``ownProgram``.
    ///   - store: the store's address, as the program's commands take it.
    ///   - capacity: concurrent statements. Default: 2.
    ///   - givesWay: run at low priority, as required next to an ingest. Default: no.
    ///   - watch: stops processes for their memory. Default: what the system needs.
    ///   - clock: times out the wait for a slot. Processes are killed by the system's clock.
    package init(
        program: String = ownProgram, store: String, capacity: Int = usualCapacity, givesWay: Bool = false,
        watch: MemoryWatch? = .ofSystem, clock: any Clock<Duration> = ContinuousClock()
    ) {
        (self.program, self.store, self.capacity, self.clock) = (program, store, capacity, clock)
        (self.givesWay, self.watch) = (givesWay, watch)
    }

    /// This program; on Linux even if its file was replaced since the start.
    package static var ownProgram: String {
        #if os(Linux)
            "/proc/self/exe"
        #else
            Bundle.main.executablePath ?? CommandLine.arguments[0]
        #endif
    }

    package func query(_ sql: String, limits: QueryLimits) async throws -> QueryResult {
        do {
            let result = try await run(sql, limits)
            count("answered")
            return result
        } catch {
            count(Self.outcome(of: error))
            throw error
        }
    }

    private static func outcome(of error: any Error) -> String {
        switch (error as? StoreError)?.code {
        case .badStatement: "refused"
        case .limit: "stopped"
        case .unavailable: "unavailable"
        case .clock, .storage, nil: "failed"
        }
    }

    private func count(_ outcome: String) { state.withLock { $0.ended[outcome, default: 0] += 1 } }

    private func run(_ sql: String, _ limits: QueryLimits) async throws -> QueryResult {
        try await takePlace(within: limits.time)
        defer { givePlaceBack() }
        let request = StatementRequest(
            store: store, sql: sql, limits, givesWay: givesWay,
            password: ProcessInfo.processInfo.environment[StatementWorker.passwordName])
        let process = StatementProcess(program: program, request: request, limits: limits, watch: watch)
        return try await withTaskCancellationHandler {
            let isStopped = state.withLock { state in
                state.running[ObjectIdentifier(process)] = process
                return state.isStopped
            }
            defer { state.withLock { _ = $0.running.removeValue(forKey: ObjectIdentifier(process)) } }
            if isStopped { process.stop(because: .stopping) }
            return try await process.answer()
        } onCancel: {
            process.stop(because: .cancelled)
        }
    }

    /// Running and queued statements, and how many have ended by outcome: `answered`, `refused`, `stopped` at a limit,
    /// `unavailable` or `failed`.
    package var load: (running: Int, waiting: Int, ended: [String: Int]) {
        state.withLock { ($0.running.count, $0.waiting.count, $0.ended) }
    }

    /// Kills running statements, and refuses queued and new ones.
    package func stop() {
        let (running, waiting) = state.withLock { state in
            state.isStopped = true
            var waiting: [CheckedContinuation<Result<Void, StoreError>, Never>] = []
            while let next = state.waiting.takeNext() { waiting.append(next.turn) }
            return (Array(state.running.values), waiting)
        }
        for process in running { process.stop(because: .stopping) }
        for turn in waiting { turn.resume(returning: .failure(.stopping)) }
    }

    private func takePlace(within patience: Duration) async throws(StoreError) {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        let turn = await withTaskCancellationHandler {
            await withCheckedContinuation { turn in
                let answer = state.withLock { state -> Result<Void, StoreError>? in
                    if state.isStopped { return .failure(.stopping) }
                    if Task.isCancelled { return .failure(.queryCancelled) }
                    if state.taken < capacity {
                        state.taken += 1
                        return .success(())
                    }
                    let asker = Asker.current
                    let room = Self.queueLength - state.waiting.count
                    // The program's own askers, such as alerts, have a queue of their own.
                    guard room > 0, asker == nil || state.waiting.count(for: asker) < room else {
                        return .failure(.crowded)
                    }
                    state.waiting.add((id, turn), for: asker)
                    return nil
                }
                if let answer { return turn.resume(returning: answer) }
                Task {
                    try? await self.clock.sleep(for: patience)
                    self.leaveQueue(id, .crowded)
                }
            }
        } onCancel: {
            leaveQueue(id, .queryCancelled)
        }
        try turn.get()
    }

    private func leaveQueue(_ id: Int, _ error: StoreError) {
        let waiter = state.withLock { $0.waiting.remove { $0.id == id } }
        waiter?.turn.resume(returning: .failure(error))
    }

    private func givePlaceBack() {
        let next = state.withLock { state in
            if let next = state.waiting.takeNext() { return next.turn as CheckedContinuation? }
            state.taken -= 1
            return nil
        }
        next?.resume(returning: .success(()))
    }
}

extension StoreError {
    fileprivate static let crowded = StoreError(
        .unavailable, "Too many statements are running and waiting, so this one was not run. Try again in a moment.")
    static let stopping = StoreError(
        .unavailable, "The query was stopped because the collector is stopping. Try again later.")
}
