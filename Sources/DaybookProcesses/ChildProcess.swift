import DaybookBase
import Dispatch
import Foundation

#if os(macOS) || os(Linux)
    import CSpawn

    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Musl)
        import Musl
    #elseif canImport(Android)
        import Android
    #else
        import Glibc
    #endif

    /// A program started by this process.
    ///
    /// It inherits its three standard streams and no other descriptors. (On Linux, Foundation's `Process` detects the
    /// end by a socket that the program holds open. Another program started at the same moment may inherit that socket;
    /// the first one then seems to run as long as the second: swift-corelibs-foundation, issue 4795.)
    ///
    /// Thread-safe.
    package final class ChildProcess: Sendable {
        /// The source or target of a standard stream.
        package enum Stream {
            /// This process's.
            case inherited
            /// `/dev/null`.
            case null
            case file(FileHandle)
            /// The other end of the pipe; closed here once the program has it.
            case pipe(Pipe)
        }

        /// How a program ended.
        package enum End: Equatable, Sendable {
            case exited(status: Int32)
            case killed(signal: Int32)

            /// The exit status, or the signal's number.
            package var status: Int32 {
                switch self {
                case .exited(let status): status
                case .killed(let signal): signal
                }
            }
        }

        /// Why a program could not be started.
        package struct NotStarted: Error, CustomStringConvertible {
            /// The `errno`.
            package let code: Int32
            fileprivate let program: String

            package var description: String {
                "\(program) could not be started: \(String(cString: strerror(code)))"
            }
        }

        private final class Shared: Sendable {
            let end = Mutex<End?>(nil)
            let group = DispatchGroup()
        }

        package let identifier: pid_t
        private let shared = Shared()

        /// Starts a program.
        /// - Parameters:
        ///   - environment: Its whole environment; `nil`: this process's.
        ///   - folder: Its working directory; `nil`: this process's.
        ///   - ownGroup: Whether it leads a process group, which a terminal's signals to this process do not reach.
        /// - Throws: ``NotStarted``.
        package init(
            _ program: URL, _ arguments: [String] = [], environment: [String: String]? = nil, in folder: URL? = nil,
            ownGroup: Bool = false, input: Stream = .null, output: Stream = .inherited, errors: Stream = .inherited
        ) throws(NotStarted) {
            var flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
            #if canImport(Darwin)
                var actions: posix_spawn_file_actions_t?
                var attributes: posix_spawnattr_t?
                flags |= POSIX_SPAWN_CLOEXEC_DEFAULT
            #else
                var actions = posix_spawn_file_actions_t()
                var attributes = posix_spawnattr_t()
            #endif
            // Group 0 is the process's own.
            if ownGroup { flags |= POSIX_SPAWN_SETPGROUP }
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            posix_spawnattr_init(&attributes)
            defer { posix_spawnattr_destroy(&attributes) }
            if let folder { daybook_spawn_in_folder(&actions, folder.path) }
            let streams = [
                (input, STDIN_FILENO, O_RDONLY), (output, STDOUT_FILENO, O_WRONLY), (errors, STDERR_FILENO, O_WRONLY),
            ]
            for (stream, number, mode) in streams {
                switch stream {
                case .inherited: posix_spawn_file_actions_adddup2(&actions, number, number)
                case .null: posix_spawn_file_actions_addopen(&actions, number, "/dev/null", mode, 0)
                case .file(let file): posix_spawn_file_actions_adddup2(&actions, file.fileDescriptor, number)
                case .pipe(let pipe):
                    posix_spawn_file_actions_adddup2(&actions, Self.end(of: pipe, mode).fileDescriptor, number)
                }
            }
            #if !canImport(Darwin)
                daybook_spawn_without_descriptors(&actions)
            #endif
            // Signals blocked or ignored by this process should not be by the program.
            var signals = sigset_t()
            sigemptyset(&signals)
            posix_spawnattr_setsigmask(&attributes, &signals)
            for signal in [SIGINT, SIGTERM, SIGPIPE, SIGALRM, SIGXCPU, SIGXFSZ] { sigaddset(&signals, signal) }
            posix_spawnattr_setsigdefault(&attributes, &signals)
            posix_spawnattr_setflags(&attributes, Int16(flags))
            let words = Self.strings([program.path] + arguments)
            let variables = Self.strings(
                (environment ?? ProcessInfo.processInfo.environment).map { "\($0.key)=\($0.value)" })
            defer { for string in words + variables { free(string) } }
            var identifier: pid_t = 0
            let code = posix_spawn(&identifier, program.path, &actions, &attributes, words, variables)
            for case (.pipe(let pipe), _, let mode) in streams { try? Self.end(of: pipe, mode).close() }
            guard code == 0 else {
                throw NotStarted(code: code, program: program.path)
            }
            self.identifier = identifier
            watch()
        }

        /// The program's end of a pipe.
        private static func end(of pipe: Pipe, _ mode: Int32) -> FileHandle {
            mode == O_RDONLY ? pipe.fileHandleForReading : pipe.fileHandleForWriting
        }

        /// C strings with a terminating `NULL`; the caller frees them.
        private static func strings(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
            texts.map { strdup($0) } + [nil]
        }

        private func watch() {
            let (shared, identifier) = (shared, identifier)
            shared.group.enter()
            Thread.detachNewThread {
                var information = siginfo_t()
                // WNOWAIT keeps the PID reserved until it is reaped under the lock, so that no other process gets a
                // signal.
                while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
                shared.end.withLock { end in
                    var status: Int32 = 0
                    waitpid(identifier, &status, 0)
                    // As in <sys/wait.h>: the signal in seven bits, the exit status in the byte above.
                    let signal = status & 0x7F
                    end = signal == 0 ? .exited(status: (status >> 8) & 0xFF) : .killed(signal: signal)
                }
                shared.group.leave()
            }
        }

        /// `nil` while it runs.
        package var end: End? { shared.end.withLock { $0 } }

        /// Blocks until it has ended.
        @discardableResult
        package func wait() -> End {
            while true {
                if let end { return end }
                shared.group.wait()
            }
        }

        /// Blocks until it has ended, or for so many seconds.
        /// - Returns: How it ended; `nil` if it still runs.
        package func wait(seconds: Double) -> End? {
            _ = shared.group.wait(timeout: .now() + seconds)
            return end
        }

        /// Sends it a signal, unless it has ended.
        package func send(_ signal: Int32) {
            shared.end.withLock { if $0 == nil { _ = kill(identifier, signal) } }
        }
    }
#endif
