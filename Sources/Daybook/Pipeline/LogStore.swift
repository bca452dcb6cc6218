import DaybookJournal
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

/// Where records wait until every output has taken them.
///
/// Only the file system differs: a custom store is a `JournalFileSystem`, and does not affect log calls.
public struct LogStore: Sendable {
    let directory: String
    /// The directory of the file `installation`.
    let installationDirectory: String
    let files: any JournalFileSystem
    /// The limit of a memory store; `nil` for files.
    let memoryBytes: Int?

    /// Files in a directory: records survive the death of the process.
    /// - Parameters:
    ///   - url: Created if missing. One pipeline at a time writes to it.
    ///   - files: The file system for all access. Default: the system's.
    ///   - installation: The folder that identifies the installation, created if missing. Processes that share one,
    ///     such as an app group's, are one installation. Default: `url`.
    public static func directory(
        _ url: URL, files: any JournalFileSystem = JournalSystem.live.files, installation: URL? = nil
    ) -> LogStore {
        LogStore(
            directory: url.path, installationDirectory: (installation ?? url).path, files: files, memoryBytes: nil)
    }

    /// Memory only: for tests, and for apps that must not write to the disk. Records are lost with the process, and
    /// each launch is a new installation.
    /// - Parameter bytes: Approximate memory for undelivered records; beyond it the oldest are dropped and counted.
    ///   Default: 4 MiB; at least 256 KiB.
    public static func memory(bytes: Int = 4 << 20) -> LogStore {
        LogStore(directory: "memory", installationDirectory: "", files: NoFiles(), memoryBytes: max(256 << 10, bytes))
    }

    /// Opens the journal. If files cannot be written, it lives in memory, and the reporter is told.
    /// - Parameters:
    ///   - outputs: The ids of the stored outputs, by their bits.
    ///   - context: The context at the start.
    func open(outputs: [String], context: ContextBytes, options: JournalOptions, reporter: Reporter) -> Journal {
        var options = options
        if let memoryBytes { options.ringBytes = memoryBytes }
        var system = JournalSystem.live
        system.files = files
        let journal = Journal.open(
            directory: directory, outputs: outputs, context: context.encoded, options: options, system: system)
        if memoryBytes == nil, case .memory(let reason) = journal.status {
            reporter.report(
                "Records cannot be stored in \(directory): \(reason). They are kept in memory and are lost if the process "
                    + "dies before they are delivered. Make the directory writable and start again.")
        }
        return journal
    }
}

/// A file system without files: the journal then lives in memory.
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
