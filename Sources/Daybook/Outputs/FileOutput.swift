import DaybookBase
import DaybookJournal
import Foundation

/// Appends records as text to a rotated file: `app.log`, and the earlier files `app.log.1` (the newest), `app.log.2`
/// and so on.
///
/// A written line survives the death of the process; it is not synced, so a power failure may take the last seconds.
/// What cannot be written (a full disk, a directory without access) is counted in ``lostCount`` and reported once for
/// each kind of error; the next record tries again, and recreates a removed directory. Nothing is thrown to the code
/// that logs.
///
/// Several processes may write to one directory under different names. Files are readable only by their owner. Safe to
/// share between threads.
public final class FileOutput: Output {
    public let id: String
    private let format: TextFormat
    private let maximumLine: Int
    private let file: Mutex<RotatingFile>
    private let lost = Atomic<Int>(0)
    private let reported = Mutex<Set<Trouble>>([])
    private let report: @Sendable (String) -> Void
    /// A closure, because a conformance and all that it calls is linked into every program. Set by convenience
    /// initialisers, since a class's vtable lists the others.
    private let append: @Sendable (FileOutput, Record) -> Void

    /// A kind of error. Bounded: operations times error numbers.
    private struct Trouble: Hashable {
        let operation: FileOperation?
        let code: Int32
    }

    /// Creates a file output. No file is touched before the first record.
    ///
    /// ```swift
    /// Route("**", to: FileOutput(directory: folder, name: "app", format: .line), level: .info)
    /// ```
    /// - Parameters:
    ///   - directory: Where the files are; created if missing or removed.
    ///   - name: Prefix of the file names; one process at a time writes under it. Slashes, control characters and a
    ///     leading dot become `_`. Default: `app`.
    ///   - format: How a record is written. Default: one JSON object per line, which `daybook verify` can judge.
    ///   - limits: How much is kept.
    ///   - id: The output's name in ledgers; unique in a pipeline. Default: `file`.
    ///   - report: Called once for each kind of error, on the thread that writes; it must not log to this output.
    ///     Default: a line on standard error.
    public convenience init(
        directory: URL, name: String = "app", format: TextFormat = .json, limits: FileLimits = FileLimits(),
        id: String = "file", report: (@Sendable (String) -> Void)? = nil
    ) {
        self.init(
            directory: directory.path, name: name, format: format, limits: limits, id: id,
            report: report ?? Reporter.standardError, fileSystem: PosixAppendingFileSystem(),
            now: PipelineClock.system.wall)
    }

    convenience init(
        directory: String, name: String = "app", format: TextFormat, limits: FileLimits, id: String = "file",
        report: @escaping @Sendable (String) -> Void, fileSystem: any AppendingFileSystem,
        now: @escaping @Sendable () -> Int64
    ) {
        let rotation = FileRotation(name: Self.fileName(name), limits: limits)
        self.init(
            id: id, format: format, maximumLine: limits.bytes - 1,
            file: RotatingFile(directory: directory, rotation: rotation, fileSystem: fileSystem, now: now),
            report: report
        ) { $0.append($1) }
    }

    private init(
        id: String, format: TextFormat, maximumLine: Int, file: consuming sending RotatingFile,
        report: @escaping @Sendable (String) -> Void, append: @escaping @Sendable (FileOutput, Record) -> Void
    ) {
        self.id = id
        self.format = format
        self.maximumLine = maximumLine
        self.file = Mutex(file)
        self.report = report
        self.append = append
    }

    /// Records that were not written. Their lines are missing, except at most the beginning of one.
    public var lostCount: Int { lost.load(ordering: .relaxed) }

    public func write(_ record: Record) { append(self, record) }

    private func append(_ record: Record) {
        guard let line = line(of: record) else {
            return lose(
                Trouble(operation: nil, code: 0), "a record is longer than a whole file may be: log less in one record")
        }
        let failure = file.withLock { file -> JournalFileError? in
            do throws(JournalFileError) {
                try file.append(line)
                return nil
            } catch {
                return error
            }
        }
        if let failure { lose(Trouble(operation: failure.operation, code: failure.code), "\(failure)") }
    }

    /// Shortened if it would not fit into a file.
    private func line(of record: Record) -> [UInt8]? {
        let line = format.line(of: record)
        if line.count <= maximumLine { return line }
        // An escaped byte may take six, plus names and fixed parts.
        let shortened = format.line(of: record.shortened(to: maximumLine / 16))
        return shortened.count <= maximumLine ? shortened : nil
    }

    private func lose(_ trouble: Trouble, _ reason: String) {
        lost.add(1, ordering: .relaxed)
        let isNew = reported.withLock { $0.insert(trouble).inserted }
        if isNew { report("The output \"\(id)\" lost a record: \(reason). The next record tries again.") }
    }

    private static func fileName(_ name: String) -> String {
        var safe = ""
        for scalar in name.unicodeScalars {
            let isUnsafe = scalar == "/" || scalar.value < 0x20 || scalar.value == 0x7F || safe.isEmpty && scalar == "."
            safe.unicodeScalars.append(isUnsafe ? "_" : scalar)
        }
        // File systems allow 255 bytes; a suffix follows.
        return safe.isEmpty ? "app" : safe.cut(toUTF8Bytes: 200)
    }
}

/// How much a ``FileOutput`` keeps; always limited.
public struct FileLimits: Sendable, Hashable {
    /// A file that would exceed this is rotated. Default 5 MiB; from 4 KiB to 1 GiB.
    public let bytes: Int
    /// Files kept, including the current one. Default 5; from 1 to 100.
    public let files: Int
    /// A file whose last line is older is removed. A new file begins every `age ÷ files`, so a line is removed after
    /// `age` and at most that much later, provided that something is written by then. Default 7 days; from 1 minute to
    /// 10 years.
    public let age: Duration

    /// Creates limits; values are clamped to their ranges.
    ///
    /// ```swift
    /// FileOutput(directory: folder, limits: FileLimits(bytes: 1 << 20, files: 3, age: .seconds(3 * 86_400)))
    /// ```
    public init(bytes: Int = 5 << 20, files: Int = 5, age: Duration = .seconds(7 * 86_400)) {
        self.bytes = min(max(bytes, 4 << 10), 1 << 30)
        self.files = min(max(files, 1), 100)
        self.age = min(max(age, .seconds(60)), .seconds(10 * 365 * 86_400))
    }
}
