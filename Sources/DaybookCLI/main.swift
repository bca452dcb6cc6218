import DaybookCollector
import DaybookStore
import Foundation

// A closed pipe should fail the write, which each stream handles.
signal(SIGPIPE, SIG_IGN)
// Likewise the file size limit (`ulimit -f`).
signal(SIGXFSZ, SIG_IGN)
// Otherwise the first file or socket opened would take a closed stream's descriptor, and receive its output.
for stream in STDIN_FILENO...STDERR_FILENO where fcntl(stream, F_GETFD) < 0 {
    _ = open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY)
}
// The statement process, started by `serve` and `query`.
if CommandLine.arguments.dropFirst() == [StatementWorker.command] {
    exit(StatementWorker.run(StoreAddress.answer))
}
SQLiteStore.countNoMemory()
exit(
    await CommandLineTool(sections: CommandSection.all).run(
        Array(CommandLine.arguments.dropFirst()), console: .standard
    ).rawValue)
