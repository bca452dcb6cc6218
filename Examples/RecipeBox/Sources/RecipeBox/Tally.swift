import Foundation
import Synchronization

/// Counts log calls in a file, which survives `kill -9`: each call appends a byte, so the file's length is the count.
final class Tally: Sendable {
    private let file: Mutex<FileHandle>

    /// Continues the count of the file at `path`.
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
