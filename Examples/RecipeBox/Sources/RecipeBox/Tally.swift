import Foundation
import Synchronization

/// Counts the log calls that have returned, in a file, so that the count outlives a `kill -9` of the app.
///
/// One byte is appended per call: the file's length is the count.
final class Tally: Sendable {
    private let file: Mutex<FileHandle>

    /// Goes on counting in the file at `path`.
    init(path: String) throws {
        if !FileManager.default.fileExists(atPath: path) {
            try Data().write(to: URL(fileURLWithPath: path))
        }
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try handle.seekToEnd()
        file = Mutex(handle)
    }

    func count() {
        file.withLock { file in
            do { try file.write(contentsOf: Data([0x2E])) } catch {
                FileHandle.standardError.write(Data("The tally cannot be written: \(error)\n".utf8))
            }
        }
    }
}
