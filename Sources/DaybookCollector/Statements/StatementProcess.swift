import DaybookBase
import DaybookStore
import Foundation

#if canImport(Darwin)
    import Darwin
#else
    import CSpawn
    import Glibc
#endif

/// One statement in its own process: started, fed, read, and killed on timeout or cancellation.
final class StatementProcess: Sendable {
    enum Reason { case late, cancelled, stopping }

    private struct State {
        var identifier: pid_t?
        var reason: Reason?
    }

    /// Time beyond the statement's own, to start, connect and stop.
    private static let grace: Duration = .seconds(1)

    private let program: String
    private let request: StatementRequest
    private let limits: QueryLimits
    private let state = Mutex(State())

    init(program: String, request: StatementRequest, limits: QueryLimits) {
        (self.program, self.request, self.limits) = (program, request, limits)
    }

    /// Kills the process, or prevents its start; does nothing once it has ended.
    func stop(because reason: Reason) {
        state.withLock { state in
            state.reason = state.reason ?? reason
            // Under the lock, so that the PID is still this process's.
            if let identifier = state.identifier { kill(identifier, SIGKILL) }
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
        let failure = state.withLock { state -> Int32? in
            guard state.reason == nil else { return 0 }
            var identifier: pid_t = 0
            let code = ProcessStart.start(program, [StatementWorker.command], input: its, &identifier)
            if code == 0 { state.identifier = identifier }
            return code == 0 ? nil : code
        }
        close(its)
        if let failure { return failure == 0 ? reap(nil) : .failure(.notStarted(failure)) }
        let outcome = Self.send(message, mine) ? read(mine) : nil
        return reap(outcome)
    }

    /// The response; `nil` if the process ended, or timed out, without one.
    private func read(_ socket: Int32) -> Result<QueryResult, StoreError>? {
        let deadline = ContinuousClock.now + limits.time + Self.grace
        var reader = StatementAnswerReader(limits)
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while reader.outcome == nil {
            let left = deadline - .now
            guard left > .zero else {
                stop(because: .late)
                return nil
            }
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

    private func reap(_ outcome: Result<QueryResult, StoreError>?) -> Result<QueryResult, StoreError> {
        let (identifier, reason) = state.withLock { ($0.identifier, $0.reason) }
        guard let identifier else { return .failure(error(ofStatus: 0, reason)) }
        var status: Int32 = 0
        // A process that has already exited keeps its status.
        kill(identifier, SIGKILL)
        // WNOWAIT keeps it a zombie, so that the PID cannot be reused before the lock is held: `stop` never signals
        // another process.
        var information = siginfo_t()
        while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        state.withLock { state in
            while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
            state.identifier = nil
        }
        return outcome ?? .failure(error(ofStatus: status, reason))
    }

    private func error(ofStatus status: Int32, _ reason: Reason?) -> StoreError {
        switch reason {
        case .late: return .stopped(after: limits.time)
        case .cancelled: return .queryCancelled
        case .stopping: return .stopping
        case nil: break
        }
        let signal = status & 0x7F
        if signal == SIGXCPU || signal == SIGALRM { return .stopped(after: limits.time) }
        if signal == SIGXFSZ {
            return StoreError(
                .limit,
                "The query was stopped because it took more than \(ProcessLimits.fileBytes >> 30) GiB of temporary files. Sort "
                    + "or group less at once.")
        }
        // Running out of memory, or the OOM killer, can end it with various signals.
        if signal != 0 { return .stopped(atMemory: ProcessLimits.memory) }
        return StoreError(.storage, "The query's process ended without a result (status \(status >> 8)).")
    }
    private static func connectedSockets() -> (mine: Int32, its: Int32) {
        var pair: [Int32] = [-1, -1]
        #if canImport(Glibc)
            let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        #else
            let kind = SOCK_STREAM
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
        #if canImport(Glibc)
            let flags = Int32(MSG_NOSIGNAL)
        #else
            let flags: Int32 = 0
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

private enum ProcessStart {
    /// Starts a program in its own process group. It inherits one descriptor, as its standard input and output.
    /// - Returns: 0 or an `errno`.
    static func start(_ program: String, _ arguments: [String], input: Int32, _ identifier: inout pid_t) -> Int32 {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
            let flags =
                POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_CLOEXEC_DEFAULT
        #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
            let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, input, STDOUT_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        #if !canImport(Darwin)
            daybook_spawn_without_descriptors(&actions)
        #endif
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        // The collector ignores some of these, and ignoring is inherited.
        for signal in [SIGINT, SIGTERM, SIGPIPE, SIGALRM, SIGXCPU, SIGXFSZ] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, Int16(flags))
        // A greedy statement may crash; its backtrace would take seconds.
        var environment = ProcessInfo.processInfo.environment.filter { isOfStores($0.key) }
        environment["SWIFT_BACKTRACE"] = "enable=no"
        return withCStrings([program] + arguments) { words in
            withCStrings(environment.map { "\($0.key)=\($0.value)" }) { variables in
                posix_spawn(&identifier, program, &actions, &attributes, words, variables)
            }
        }
    }

    /// Whether a variable concerns database libraries, the loader or sanitizers. Others may hold the collector's
    /// secrets, such as alert addresses. The password travels with the statement.
    private static func isOfStores(_ name: String) -> Bool {
        if name == StatementWorker.passwordName { return false }
        return ["HOME", "PATH", "TMPDIR", "SQLITE_TMPDIR", "TZ", "LANG", "USER", "LOGNAME"].contains(name)
            || ["PG", "LC_", "LD_", "DYLD_", "SSL_", "ASAN_", "TSAN_"].contains { name.hasPrefix($0) }
            || name.lowercased().hasSuffix("_proxy")
    }

    /// Passes C strings with a terminating null pointer; valid until `body` returns.
    private static func withCStrings(
        _ texts: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32
    ) -> Int32 {
        var pointers = texts.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        return pointers.withUnsafeMutableBufferPointer { buffer in
            // The buffer holds at least the null pointer, so its address is not nil.
            body(buffer.baseAddress.unsafelyUnwrapped)
        }
    }
}
