import Foundation

struct BenchmarkOptions {
    /// For journals and rings; created for this run and removed at the end.
    let directory: URL
    /// Repetitions of each call row; the table shows medians.
    var repetitions = 9
    /// The size of the backlog to open, in bytes.
    var backlogBytes = 256 << 20
    /// From `--rivals`: a folder of programs that log the same event in other ways.
    var rivals: URL?
    /// From `--loop`: one row's calls without measurement, for a profiler that counts instructions.
    var loop: (id: String, count: Int)?

    static let usage = """
        usage: DaybookBenchmarks [--quick] [--gigabyte] [--directory DIR] [--rivals DIR] [--loop ROW COUNT]
          --quick          fewer repetitions and records: the scale, not the numbers
          --gigabyte       open a journal with 1 GiB of backlog instead of 256 MiB
          --directory DIR  where to write; default: the system's folder for temporary files
          --rivals DIR     also run the programs in DIR, in turns with ours: each is called with a count and a folder to
                           write to, logs the sample event so often, and prints lines of a name, a tab and its ns per call
          --loop ROW COUNT call one row so often and measure nothing, under a profiler
        """

    var isQuick = false

    /// - Throws: ``UsageError``.
    init(_ arguments: some Sequence<String>) throws {
        var parent = FileManager.default.temporaryDirectory
        var rest = Array(arguments)[...]
        while let word = rest.popFirst() {
            switch word {
            case "--quick":
                isQuick = true
                repetitions = 3
            case "--gigabyte":
                backlogBytes = 1 << 30
            case "--directory":
                guard let path = rest.popFirst() else { throw UsageError("--directory needs a path") }
                parent = URL(fileURLWithPath: path, isDirectory: true)
            case "--rivals":
                guard let path = rest.popFirst() else { throw UsageError("--rivals needs a folder") }
                rivals = URL(fileURLWithPath: path, isDirectory: true)
            case "--loop":
                guard let id = rest.popFirst(), let count = rest.popFirst().flatMap({ Int($0) }), count > 0 else {
                    throw UsageError("--loop needs a row and a count")
                }
                loop = (id, count)
            default:
                throw UsageError("unknown argument \(word)")
            }
        }
        directory = parent.appendingPathComponent("daybook-benchmarks-\(UUID().uuidString)", isDirectory: true)
    }
}

struct UsageError: Error {
    let text: String

    init(_ reason: String) { text = "\(reason)\n\(BenchmarkOptions.usage)" }
}
