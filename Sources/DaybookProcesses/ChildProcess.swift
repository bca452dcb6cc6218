import DaybookBase
import Dispatch
import Foundation

#if os(macOS) || os(Linux)
    import CSpawn

    #if canImport(Darwin)
        import Darwin
    #else
        import Glibc
    #endif

    /// A program that this process has started.
    ///
    /// It gets its three standard streams and no other descriptor. (Foundation's `Process` on Linux learns of an end by a
    /// socket that the program holds open. Another program that is started at the same moment may inherit that socket, and
    /// the first one then seems to run for as long as the second: swift-corelibs-foundation, issue 4795.)
    ///
    /// Safe to share between threads.
    package final class ChildProcess: Sendable {
        /// What one of the standard streams is.
        package enum Stream {
            /// That of this process.
            case inherited
            /// Nothing: `/dev/null`.
            case null
            case file(FileHandle)
            /// The end of the pipe that is not this process's; it is closed here once the program has it.
            case pipe(Pipe)
        }

        /// How a program ended.
        package enum End: Equatable, Sendable {
            case exited(status: Int32)
            case killed(signal: Int32)

            /// The exit status, or the number of the signal.
            package var status: Int32 {
                switch self {
                case .exited(let status): status
                case .killed(let signal): signal
                }
            }
        }

        /// Why a program could not be started.
        package struct NotStarted: Error, CustomStringConvertible {
            package let description: String
        }

        private final class Shared: Sendable {
            let end = Mutex<End?>(nil)
            let group = DispatchGroup()
        }

        /// The system's number of the process.
        package let identifier: pid_t
        private let shared = Shared()

        /// Starts a program.
        /// - Parameters:
        ///   - environment: All of its environment; `nil`: this process's.
        ///   - folder: Where it runs; `nil`: where this process does.
        /// - Throws: ``NotStarted``.
        package init(
            _ program: URL, _ arguments: [String] = [], environment: [String: String]? = nil, in folder: URL? = nil,
            input: Stream = .null, output: Stream = .inherited, errors: Stream = .inherited
        ) throws {
            #if canImport(Darwin)
                var actions: posix_spawn_file_actions_t?
                var attributes: posix_spawnattr_t?
                let flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_CLOEXEC_DEFAULT
            #else
                var actions = posix_spawn_file_actions_t()
                var attributes = posix_spawnattr_t()
                let flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
            #endif
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
            // What this process blocks or ignores is not the program's.
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
                throw NotStarted(
                    description: "\(program.path) could not be started: \(String(cString: strerror(code)))")
            }
            self.identifier = identifier
            watch()
        }

        /// The program's end of a pipe.
        private static func end(of pipe: Pipe, _ mode: Int32) -> FileHandle {
            mode == O_RDONLY ? pipe.fileHandleForReading : pipe.fileHandleForWriting
        }

        /// C strings and the `NULL` behind them, which whoever asks frees.
        private static func strings(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
            texts.map { strdup($0) } + [nil]
        }

        private func watch() {
            let (shared, identifier) = (shared, identifier)
            shared.group.enter()
            Thread.detachNewThread {
                var information = siginfo_t()
                // The number stays the program's until it is taken off under the lock, so that no other one gets a signal.
                while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
                shared.end.withLock { end in
                    var status: Int32 = 0
                    waitpid(identifier, &status, 0)
                    // As <sys/wait.h> has it: the signal in seven bits, the exit status in the byte above.
                    let signal = status & 0x7F
                    end = signal == 0 ? .exited(status: (status >> 8) & 0xFF) : .killed(signal: signal)
                }
                shared.group.leave()
            }
        }

        /// How it ended; `nil` while it runs.
        package var end: End? { shared.end.withLock { $0 } }

        /// Waits until it has ended.
        @discardableResult
        package func wait() -> End {
            while true {
                if let end { return end }
                shared.group.wait()
            }
        }

        /// Waits until it has ended, but not longer than so many seconds.
        /// - Returns: How it ended; `nil` where it still runs.
        package func wait(seconds: Double) -> End? {
            _ = shared.group.wait(timeout: .now() + seconds)
            return end
        }

        /// Sends it a signal, if it still runs.
        package func send(_ signal: Int32) {
            shared.end.withLock { if $0 == nil { _ = kill(identifier, signal) } }
        }
    }
#endif
