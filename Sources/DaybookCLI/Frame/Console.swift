import DaybookBase
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

/// Where a command writes: results to `output`, errors and progress to `errors`.
struct Console: Sendable {
    /// Writes text as is.
    var output: @Sendable (String) -> Void
    /// Writes text as is.
    var errors: @Sendable (String) -> Void
    /// Whether `errors` is a terminal and `output` is not, so that a progress line helps.
    var showsProgress = false

    /// The process's streams. A failed write to standard output ends the process, since the result would be lost
    /// silently. Failures on standard error are ignored, so that a collector survives a full disk under its log.
    static let standard = Console(
        output: { text in
            guard let failure = write(text, to: STDOUT_FILENO) else { return }
            // The reader has closed the pipe, as `head` does.
            guard failure != EPIPE else { exit(128 + SIGPIPE) }
            _ = write(
                "error: standard output cannot be written: \(String(cString: strerror(failure)))\n", to: STDERR_FILENO)
            exit(ExitCode.badInput.rawValue)
        },
        errors: { _ = write($0, to: STDERR_FILENO) },
        showsProgress: isatty(STDERR_FILENO) == 1 && isatty(STDOUT_FILENO) == 0)

    /// Returns `errno`, or `nil` once everything is written. Avoids `FileHandle`, which traps on errors.
    private static func write(_ text: String, to descriptor: Int32) -> Int32? {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                // Another process has made the stream nonblocking.
                var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&ready, 1, -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return nil
    }
}

/// `write(2)`, which the type's own `write` shadows.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}

/// Updated at most five times a second.
struct ProgressLine {
    private let console: Console
    private var last: ContinuousClock.Instant?

    init(_ console: Console) { self.console = console }

    mutating func show(_ text: @autoclosure () -> String) {
        let now = ContinuousClock.now
        guard console.showsProgress, last.map({ now - $0 > .milliseconds(200) }) ?? true else { return }
        last = now
        console.errors("\r\u{1B}[K\(text())")
    }

    mutating func end() {
        if last != nil { console.errors("\r\u{1B}[K") }
        last = nil
    }
}

enum ExitCode: Int32 {
    /// Success; the answer, if any, is yes.
    case done = 0
    /// Success; the answer is no.
    case no = 1
    /// Invalid input or usage, or nothing could be judged.
    case badInput = 2
}

/// Catches SIGINT, SIGTERM, and SIGHUP when the terminal closes, from its creation on. Waits for the first; the second
/// ends the process at once. Ignores signals that would end it silently: SIGHUP otherwise, SIGUSR1, SIGUSR2, SIGPIPE,
/// SIGALRM, and those of shell limits.
///
/// Not a Dispatch signal source, which takes effect only some time after it resumes; an earlier signal would be lost,
/// or kill the process.
struct TerminationSignal {
    private static let ignored = [
        SIGHUP, SIGUSR1, SIGUSR2, SIGPIPE, SIGALRM, SIGVTALRM, SIGPROF, SIGXFSZ, SIGTTIN, SIGTTOU,
    ]

    private let pipe: (read: Int32, write: Int32)

    /// Only one at a time per process.
    /// - Throws: `POSIXError` if the process is out of descriptors.
    init() throws {
        var ends: [Int32] = [-1, -1]
        guard systemPipe(&ends) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EMFILE) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        pipe = (ends[0], ends[1])
        terminationPipe.store(Int(pipe.write), ordering: .relaxed)
        for number in Self.ignored { signal(number, SIG_IGN) }
        let ofTerminal = isatty(STDIN_FILENO) == 1 ? [SIGHUP] : []
        for number in [SIGINT, SIGTERM] + ofTerminal {
            // Only async-signal-safe calls are allowed here: `write` and `signal`.
            signal(number) { number in
                let code = errno
                var byte: UInt8 = 0
                _ = systemWrite(Int32(terminationPipe.load(ordering: .relaxed)), &byte, 1)
                signal(number, SIG_DFL)
                errno = code
            }
        }
    }

    /// Returns at once if a signal has already arrived.
    func wait() async {
        let (end, _) = pipe
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var readable = pollfd(fd: end, events: Int16(POLLIN), revents: 0)
                while poll(&readable, 1, -1) < 0, errno == EINTR {}
                continuation.resume()
            }
        }
    }
}

/// The pipe that the signal handler writes to, since a handler cannot capture. Set before the first handler is
/// installed.
private let terminationPipe = Atomic(-1)

/// `pipe(2)`, which the member shadows.
private func systemPipe(_ ends: inout [Int32]) -> Int32 { pipe(&ends) }
