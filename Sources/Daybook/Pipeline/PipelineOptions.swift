import DaybookBase
import DaybookJournal
import Foundation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What can be chosen about a pipeline; every default is sound for an app.
public struct PipelineOptions: Sendable {
    /// Sizes and times of the journal.
    public var journal = JournalOptions()
    /// How long outputs wait before they try again.
    public var backoff = Backoff()
    /// Says whether there is a network. Default: `nil`, the pipeline finds out by trying.
    public var reachability: (any Reachability)?
    /// How much is kept of what receivers refuse for good.
    public var quarantine = QuarantineLimits()
    /// How often, and at every shutdown, the ledgers are recorded: a message for each output with the tag
    /// `daybook.ledger`, which filters and routes treat as any other. At least 1 s. Default: `nil`, never.
    public var ledgerInterval: Duration?
    /// What the records come from: OpenTelemetry resource attributes such as `service.name` (default: the process's
    /// name), `service.version`, `device.model.identifier`. They win over what is filled in.
    public var resource: Attributes = [:]
    /// After this long in the background, from ``Pipeline/suspend()`` to ``Pipeline/resume()``, a new session begins.
    /// Default 30 minutes; at 0 with every return.
    public var sessionTimeout = Duration.seconds(30 * 60)
    /// Told what Daybook cannot do, each text once. Default: a line on standard error.
    public var report: @Sendable (String) -> Void = Reporter.standardError
    /// Where times come from.
    public var clock = PipelineClock.system

    /// The defaults.
    public init() {}

    /// The resource of this launch.
    func resourceAttributes(installation: String) -> Attributes {
        let version = ProcessInfo.processInfo.operatingSystemVersion
        var attributes: Attributes = [
            "service.name": .string(ProcessInfo.processInfo.processName),
            WireName.installation: .string(installation),
            "os.type": .string(Self.operatingSystem),
            "os.version": .string("\(version.majorVersion).\(version.minorVersion).\(version.patchVersion)"),
            "telemetry.sdk.name": "daybook",
            "telemetry.sdk.language": "swift",
        ]
        for entry in resource.elements { attributes[entry.key] = entry.value }
        return attributes
    }

    /// OpenTelemetry's `os.type`.
    private static var operatingSystem: String {
        #if canImport(Darwin)
            "darwin"
        #else
            "linux"
        #endif
    }
}

/// Where records wait until every output has taken them.
///
/// The journal is the same everywhere: what differs is the file system below it. So a store of one's own is a
/// `JournalFileSystem`, and the path of a log call knows nothing of it.
public struct LogStore: Sendable {
    let directory: String
    let files: any JournalFileSystem
    /// The most memory, where memory is all there is.
    let memoryBytes: Int?

    /// Files in a directory: records survive the death of the process.
    /// - Parameters:
    ///   - url: Made if it is missing. One pipeline at a time writes to it.
    ///   - files: What the files are read and written with. Default: the system's.
    public static func directory(
        _ url: URL, files: any JournalFileSystem = JournalSystem.live.files
    ) -> LogStore {
        LogStore(directory: url.path, files: files, memoryBytes: nil)
    }

    /// Memory alone: for tests, and for apps that must not write to the disk. Records are lost with the process, and each
    /// launch is an installation of its own.
    /// - Parameter bytes: About the most memory that undelivered records take; beyond it the oldest are dropped and
    ///   counted. Default: 4 MiB; at least 256 KiB.
    public static func memory(bytes: Int = 4 << 20) -> LogStore {
        LogStore(directory: "memory", files: NoFiles(), memoryBytes: max(256 << 10, bytes))
    }

    /// The journal's options with this store.
    func options(_ options: JournalOptions) -> JournalOptions {
        guard let memoryBytes else { return options }
        var options = options
        options.memoryRingBytes = memoryBytes
        return options
    }

    var system: JournalSystem {
        var system = JournalSystem.live
        system.files = files
        return system
    }
}

/// A file system that has no files and takes none: the journal then lives in memory.
private struct NoFiles: JournalFileSystem {
    private func refusal(_ operation: FileOperation, _ path: String) -> JournalFileError {
        JournalFileError(operation, path, code: EROFS)
    }

    func createDirectory(_ path: String) throws(JournalFileError) { throw refusal(.createDirectory, path) }
    func names(in directory: String) throws(JournalFileError) -> [String] { throw refusal(.list, directory) }
    func open(_ path: String, _ mode: FileMode) throws(JournalFileError) -> JournalFile { throw refusal(.open, path) }
    func close(_ file: JournalFile) {}
    func size(_ file: JournalFile) throws(JournalFileError) -> Int { throw refusal(.size, file.path) }
    func allocate(_ file: JournalFile, bytes: Int) throws(JournalFileError) { throw refusal(.allocate, file.path) }
    func truncate(_ file: JournalFile, bytes: Int) throws(JournalFileError) { throw refusal(.truncate, file.path) }
    func read(
        _ file: JournalFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(JournalFileError) -> Int { throw refusal(.read, file.path) }
    func write(
        _ file: JournalFile, _ buffer: UnsafeRawBufferPointer, at offset: Int
    ) throws(JournalFileError) -> Int { throw refusal(.write, file.path) }
    func sync(_ file: JournalFile, _ strength: SyncStrength) throws(JournalFileError) {
        throw refusal(.sync, file.path)
    }
    func syncDirectory(_ path: String) throws(JournalFileError) { throw refusal(.syncDirectory, path) }
    func rename(_ from: String, to: String) throws(JournalFileError) { throw refusal(.rename, from) }
    func remove(_ path: String) throws(JournalFileError) { throw refusal(.remove, path) }
    func map(_ file: JournalFile, bytes: Int) throws(JournalFileError) -> UnsafeMutableRawPointer {
        throw refusal(.map, file.path)
    }
    func unmap(_ base: UnsafeMutableRawPointer, bytes: Int) {}
    func lock(_ file: JournalFile) throws(JournalFileError) -> Bool { throw refusal(.lock, file.path) }
}

/// Tells the developer what Daybook cannot do: each text once.
final class Reporter: Sendable {
    private let said = Mutex<Set<String>>([])
    private let say: @Sendable (String) -> Void
    /// After so many different texts the reporter is silent: something is wrong that more lines do not explain.
    private static let maximum = 100

    init(_ say: @escaping @Sendable (String) -> Void) { self.say = say }

    func report(_ text: String) {
        let isNew = said.withLock { $0.count < Self.maximum && $0.insert(text).inserted }
        if isNew { say(text) }
    }

    /// One line on standard error.
    static let standardError: @Sendable (String) -> Void = { text in
        let line = Array("daybook: \(text)\n".utf8)
        // A failed write to standard error has nowhere to be reported.
        _ = line.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
    }
}

extension FrameFlags {
    /// How much a record of this level matters to a full journal: 0 for trace and debug, 1 for info, 2 for warning, 3 for
    /// error and fatal.
    @inline(__always)
    static func priority(of level: Level) -> FrameFlags { .priority(Int(level.rawValue >> 2) &- 1) }
}

extension JournalOptions.Policy {
    /// At the cap, new records below this level are refused and counted until an output has made room; the others take
    /// the place of the oldest segment, whatever that holds. `trace` and `debug` count alike, and so do `error` and
    /// `fatal`; below `info` nothing can be refused, so that `trace` and `debug` mean `info`.
    public static func dropBelow(_ level: Level) -> JournalOptions.Policy {
        .dropBelow(priority: max(1, Int(level.rawValue >> 2) - 1))
    }
}
