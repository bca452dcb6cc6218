import DaybookBase
import DaybookProcesses
import DaybookStore
import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Glibc
#endif

/// One statement in its own process: started, fed, read, and killed on timeout, for its memory, or on cancellation.
final class StatementProcess: Sendable {
    enum Reason { case late, greedy, cancelled, stopping }

    private struct State {
        var process: ChildProcess?
        var reason: Reason?
    }

    /// Time beyond the statement's own, to start, connect and stop.
    private static let grace: Duration = .seconds(1)

    private let program: String
    private let request: StatementRequest
    private let limits: QueryLimits
    private let watch: MemoryWatch?
    private let state = Mutex(State())

    init(program: String, request: StatementRequest, limits: QueryLimits, watch: MemoryWatch?) {
        (self.program, self.request, self.limits, self.watch) = (program, request, limits, watch)
    }

    /// Kills the process, or prevents its start; does nothing once it has ended.
    func stop(because reason: Reason) {
        state.withLock { state in
            state.reason = state.reason ?? reason
            state.process?.send(SIGKILL)
        }
    }

    /// Runs the process on its own thread: the pools of tasks and Dispatch are too small to block.
    /// - Throws: ``StoreError``.
    func answer() async throws(StoreError) -> QueryResult {
        try await withCheckedContinuation { done in
            Thread.detachNewThread { done.resume(returning: self.run()) }
        }.get()
    }

    private func run() -> Result<QueryResult, StoreError> {
        let (mine, its) = Self.connectedSockets()
        defer { close(mine) }
        guard mine >= 0, let message = try? request.encoded() else { return .failure(.notStarted(errno)) }
        let started = Result { () throws(ChildProcess.NotStarted) in
            try state.withLock { state throws(ChildProcess.NotStarted) in
                if state.reason == nil { state.process = try start(on: its) }
                return state.process
            }
        }
        close(its)
        switch started {
        case .failure(let failure): return .failure(.notStarted(failure.code))
        case .success(nil): return .failure(error(nil))
        case .success(let process?):
            let outcome = Self.send(message, mine) ? read(mine, of: process.identifier) : nil
            process.send(SIGKILL)
            let end = process.wait()
            return outcome ?? .failure(error(end))
        }
    }

    private func start(on socket: Int32) throws(ChildProcess.NotStarted) -> ChildProcess {
        let socket = FileHandle(fileDescriptor: socket)
        // A greedy statement may crash; its backtrace would take seconds.
        var environment = ProcessInfo.processInfo.environment.filter { Self.isOfStores($0.key) }
        environment["SWIFT_BACKTRACE"] = "enable=no"
        return try ChildProcess(
            URL(fileURLWithPath: program), [StatementWorker.command], environment: environment, ownGroup: true,
            input: .file(socket), output: .file(socket), errors: .null)
    }

    /// Whether a variable concerns database libraries, the loader or sanitizers. Others may hold the collector's
    /// secrets, such as alert addresses. The password travels with the statement.
    private static func isOfStores(_ name: String) -> Bool {
        if name == StatementWorker.passwordName { return false }
        return ["HOME", "PATH", "TMPDIR", "SQLITE_TMPDIR", "TZ", "LANG", "USER", "LOGNAME"].contains(name)
            || ["PG", "LC_", "LD_", "DYLD_", "SSL_", "ASAN_", "TSAN_"].contains { name.hasPrefix($0) }
            || name.lowercased().hasSuffix("_proxy")
    }

    /// The response; `nil` if the process ended, or was stopped, without one.
    private func read(_ socket: Int32, of process: pid_t) -> Result<QueryResult, StoreError>? {
        let deadline = ContinuousClock.now + limits.time + Self.grace
        var reader = StatementAnswerReader(limits)
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        var watch = watch
        while reader.outcome == nil {
            let now = ContinuousClock.now
            var left = deadline - now
            guard left > .zero else {
                stop(because: .late)
                return nil
            }
            if watch?.verdict(on: process, at: now) == .stop {
                stop(because: .greedy)
                return nil
            }
            if watch != nil { left = min(left, MemoryWatch.interval) }
            var ready = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            guard poll(&ready, 1, Int32(clamping: Int64(left / .milliseconds(1)) + 1)) > 0 else { continue }
            let count = recv(socket, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            do throws(StatementAnswerReader.Malformed) {
                try reader.take(buffer[..<count])
            } catch {
                return .failure(StoreError(.storage, "The query's process sent an invalid result."))
            }
        }
        return reader.outcome
    }

    /// - Parameter end: `nil` if it was not started.
    private func error(_ end: ChildProcess.End?) -> StoreError {
        switch state.withLock({ $0.reason }) {
        case .late: return .stopped(after: limits.time)
        case .greedy: return .stopped(atMemory: ProcessLimits.memory)
        case .cancelled: return .queryCancelled
        case .stopping: return .stopping
        case nil: break
        }
        switch end {
        case .killed(SIGXCPU), .killed(SIGALRM): return .stopped(after: limits.time)
        case .killed(SIGXFSZ):
            return StoreError(
                .limit,
                "The query was stopped because it took more than \(ProcessLimits.fileBytes >> 30) GiB of temporary files. Sort "
                    + "or group less at once.")
        // Running out of memory, or the OOM killer, can end it with various signals.
        case .killed: return .stopped(atMemory: ProcessLimits.memory)
        case .exited, nil:
            return StoreError(
                .storage, "The query's process ended without a result (status \(end?.status ?? 0)).")
        }
    }

    private static func connectedSockets() -> (mine: Int32, its: Int32) {
        var pair: [Int32] = [-1, -1]
        #if canImport(Darwin)
            let kind = SOCK_STREAM
        #elseif canImport(Glibc)
            let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        #else
            let kind = SOCK_STREAM | SOCK_CLOEXEC
        #endif
        guard socketpair(AF_UNIX, kind, 0, &pair) == 0 else { return (-1, -1) }
        var patience = timeval(tv_sec: 5, tv_usec: 0)
        setsockopt(pair[0], SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        #if canImport(Darwin)
            var isOn: Int32 = 1
            setsockopt(pair[0], SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<Int32>.size))
        #endif
        return (pair[0], pair[1])
    }

    /// Whether everything was sent.
    private static func send(_ bytes: [UInt8], _ socket: Int32) -> Bool {
        #if canImport(Darwin)
            let flags: Int32 = 0
        #else
            let flags = Int32(MSG_NOSIGNAL)
        #endif
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { systemSend(socket, $0.baseAddress, $0.count, flags) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}

extension StoreError {
    fileprivate static func notStarted(_ code: Int32) -> StoreError {
        StoreError(.unavailable, "The query's process could not be started: \(String(cString: strerror(code))).")
    }
}

/// `send(2)`, which the type's own `send` shadows.
private func systemSend(_ socket: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
    send(socket, bytes, count, flags)
}
