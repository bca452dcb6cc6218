import DaybookCollector
import DaybookStore
import Foundation

// A reader that leaves is an error of writing, which each stream answers in its own way.
signal(SIGPIPE, SIG_IGN)
// So is a file that may not become longer (`ulimit -f`).
signal(SIGXFSZ, SIG_IGN)
// A stream that was closed before the start would be the first file or socket that is opened, and get what is printed.
for stream in STDIN_FILENO...STDERR_FILENO where fcntl(stream, F_GETFD) < 0 {
    _ = open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY)
}
// What `serve` and `query` start: a process for each statement that people write.
if CommandLine.arguments.dropFirst() == [StatementWorker.command] {
    exit(StatementWorker.run(StoreAddress.answer))
}
SQLiteStore.countNoMemory()
exit(
    await CommandLineTool(sections: CommandSection.all).run(
        Array(CommandLine.arguments.dropFirst()), console: .standard
    ).rawValue)
