import DaybookBase
import DaybookStore
import DaybookTools
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

/// The statement process: reads the statement from standard input, limits its own resources, queries the store, and
/// answers on standard output.
///
/// Everything runs on the calling thread, because Dispatch's threads set their own priorities and block signals.
package enum StatementWorker {
    /// The process's only argument; not a user command.
    package static let command = "statement-worker"
    /// Where libpq looks for a password.
    static let passwordName = "PGPASSWORD"

    /// - Parameter answer: queries the store at an address.
    /// - Returns: the exit status.
    package static func run(
        _ answer: (_ store: String, _ sql: String, _ limits: QueryLimits) throws -> QueryResult
    ) -> Int32 {
        guard let request = readRequest() else { return 2 }
        ProcessLimits.apply(time: request.limits.time, givesWay: request.givesWay)
        endWithParent()
        // Safe: nothing has read the environment yet. `setenv` does not show in /proc.
        if let password = request.password { setenv(passwordName, password, 1) }
        let outcome: Result<QueryResult, StoreError>
        do {
            outcome = .success(try answer(request.store, request.sql, request.limits))
        } catch let error as StoreError {
            outcome = .failure(error.isOfMemory ? .stopped(atMemory: ProcessLimits.memory) : error)
        } catch {
            outcome = .failure(StoreError(.unavailable, "\(error)"))
        }
        return write(StatementAnswer.bytes(outcome)) ? 0 : 2
    }

    private static func readRequest() -> StatementRequest? {
        guard let head = read(4), let body = read(Int(MessageBytes.length(head[...]))) else { return nil }
        return try? JSONDecoder().decode(StatementRequest.self, from: Data(body))
    }

    private static func read(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var place = 0
        while place < count {
            let taken = bytes[place...].withUnsafeMutableBytes { recv(STDIN_FILENO, $0.baseAddress, $0.count, 0) }
            if taken < 0, errno == EINTR { continue }
            guard taken > 0 else { return nil }
            place += taken
        }
        return bytes
    }

    private static func write(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { send(STDOUT_FILENO, $0.baseAddress, $0.count, 0) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Exits with the parent, which sends nothing more: the read returns when it dies.
    private static func endWithParent() {
        Thread.detachNewThread {
            var byte: UInt8 = 0
            while recv(STDIN_FILENO, &byte, 1, 0) < 0, errno == EINTR {}
            _exit(0)
        }
    }
}

extension StoreError {
    /// Whether SQLite or libpq ran out of memory.
    fileprivate var isOfMemory: Bool {
        message.contains("out of memory") || message.contains("allocate memory") || message.contains("no memory for")
    }
}

enum ProcessLimits {
    /// Bytes of writable memory.
    static let memory = 256 << 20
    /// Bytes per temporary file, which large sorts need.
    static let fileBytes = 1 << 30
    /// Bytes for the stacks of library threads, and for the answer.
    static let ownMemory = 64 << 20
    private static let priority = WorkThreads.yieldingNiceness

    /// Limits this process.
    /// - Parameters:
    ///   - time: of the statement.
    ///   - givesWay: whether to run at low priority.
    static func apply(time: Duration, givesWay: Bool) {
        SQLiteStore.limitMemory(to: memory)
        let seconds = Int((time / .seconds(1)).rounded(.up)) + 2
        limit(RLIMIT_CPU, seconds)
        limit(RLIMIT_FSIZE, fileBytes)
        limit(RLIMIT_CORE, 0)
        #if os(Linux)
            limit(RLIMIT_DATA, presentMemory + memory + ownMemory)
            // Threads started later inherit it.
            if givesWay { WorkThreads.stepBack(by: priority) }
            // The OOM killer should choose this process first.
            try? Data("1000".utf8).write(to: URL(fileURLWithPath: "/proc/self/oom_score_adj"))
        #else
            // Its memory is bounded by `MemoryWatch`: here RLIMIT_DATA does not bound `malloc`.
            if givesWay { setpriority(PRIO_PROCESS, 0, priority) }
        #endif
        // A last resort: ends the process if its parent is gone.
        alarm(UInt32(clamping: seconds))
    }

    #if os(Linux)
        /// Bytes of data memory mapped now; terabytes under a sanitizer.
        private static var presentMemory: Int {
            let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
            return fields.count > 5 ? (Int(fields[5]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE))) : 0
        }
    #endif

    #if canImport(Glibc)
        private static func limit(_ resource: __rlimit_resource, _ most: Int) {
            var bounds = rlimit(rlim_cur: rlim_t(most), rlim_max: rlim_t(most))
            setrlimit(__rlimit_resource_t(resource.rawValue), &bounds)
        }
    #else
        private static func limit(_ resource: Int32, _ most: Int) {
            var bounds = rlimit(rlim_cur: rlim_t(most), rlim_max: rlim_t(most))
            setrlimit(resource, &bounds)
        }
    #endif
}
