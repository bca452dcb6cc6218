import DaybookBase
import Dispatch
import Foundation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Where a command writes: results to `output`, errors and progress to `errors`.
struct Console: Sendable {
    /// Takes text as it is, line ends included.
    var output: @Sendable (String) -> Void
    /// Takes text as it is, line ends included.
    var errors: @Sendable (String) -> Void
    /// Whether somebody watches `errors` on a terminal and `output` goes elsewhere, so that a line that changes helps.
    var showsProgress = false

    /// The process's own streams. A result that cannot be written ends the process: nobody would learn of it otherwise.
    /// What cannot be told on standard error is left, so that a collector outlives a full disk under its log.
    static let standard = Console(
        output: { text in
            guard let failure = write(text, to: STDOUT_FILENO) else { return }
            // Whoever read has had enough, as `head` has.
            guard failure != EPIPE else { exit(128 + SIGPIPE) }
            _ = write(
                "error: standard output cannot be written: \(String(cString: strerror(failure)))\n", to: STDERR_FILENO)
            exit(ExitCode.badInput.rawValue)
        },
        errors: { _ = write($0, to: STDERR_FILENO) },
        showsProgress: isatty(STDERR_FILENO) == 1 && isatty(STDOUT_FILENO) == 0)

    /// What stood in the way, as a number of `errno`; `nil` where all is written. Not through `FileHandle`, which ends the
    /// process by a trap.
    private static func write(_ text: String, to descriptor: Int32) -> Int32? {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                // Somebody has set the stream not to wait.
                var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&ready, 1, -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return nil
    }
}

/// `write(2)`, which the type's own hides.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}

/// How far a long command has come: one line that changes, at most five times a second.
struct ProgressLine {
    private let console: Console
    private var last: ContinuousClock.Instant?

    init(_ console: Console) { self.console = console }

    /// Shows a text instead of the one before.
    mutating func show(_ text: @autoclosure () -> String) {
        let now = ContinuousClock.now
        guard console.showsProgress, last.map({ now - $0 > .milliseconds(200) }) ?? true else { return }
        last = now
        console.errors("\r\u{1B}[K\(text())")
    }

    /// Takes the line away.
    mutating func end() {
        if last != nil { console.errors("\r\u{1B}[K") }
        last = nil
    }
}

/// How a command ended, as scripts see it.
enum ExitCode: Int32 {
    /// Done; the answer, where one was asked for, is yes.
    case done = 0
    /// Done; the answer is no.
    case no = 1
    /// The input or the command line cannot be used, or nothing could be judged.
    case badInput = 2
}

/// The signals that ask a process to end, SIGINT and SIGTERM, and SIGHUP where its terminal goes, from the moment this is made.
/// The first is waited for; one more ends the process at once. What would end it without a word is ignored: SIGHUP of others,
/// SIGUSR1, SIGUSR2, SIGPIPE, SIGALRM, and what a limit of the shell sends.
///
/// Not a signal source of Dispatch: it hears a signal only some time after it was resumed, and one that comes before is
/// lost, or ends the process.
struct TerminationSignal {
    private static let ignored = [
        SIGHUP, SIGUSR1, SIGUSR2, SIGPIPE, SIGALRM, SIGVTALRM, SIGPROF, SIGXFSZ, SIGTTIN, SIGTTOU,
    ]

    private let pipe: (read: Int32, write: Int32)

    /// One at a time in a process.
    /// - Throws: `POSIXError` where the process has no descriptor left.
    init() throws {
        var ends: [Int32] = [-1, -1]
        guard systemPipe(&ends) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EMFILE) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        pipe = (ends[0], ends[1])
        terminationPipe.store(Int(pipe.write), ordering: .relaxed)
        for number in Self.ignored { signal(number, SIG_IGN) }
        let ofTerminal = isatty(STDIN_FILENO) == 1 ? [SIGHUP] : []
        for number in [SIGINT, SIGTERM] + ofTerminal {
            // What runs here may only do what a signal handler may: write, and change the signal's action.
            signal(number) { number in
                let code = errno
                var byte: UInt8 = 0
                _ = systemWrite(Int32(terminationPipe.load(ordering: .relaxed)), &byte, 1)
                signal(number, SIG_DFL)
                errno = code
            }
        }
    }

    /// Returns when the first came, at once if it did already.
    func wait() async {
        let source = DispatchSource.makeReadSource(fileDescriptor: pipe.read)
        await withCheckedContinuation { continuation in
            source.setEventHandler {
                source.cancel()
                continuation.resume()
            }
            source.resume()
        }
    }
}

/// Where a signal's handler, which cannot capture anything, writes. Made before the first handler is set.
private let terminationPipe = Atomic(-1)

/// `pipe(2)`, which the member hides.
private func systemPipe(_ ends: inout [Int32]) -> Int32 { pipe(&ends) }
