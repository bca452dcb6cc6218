import Foundation

/// Copies a directory as it is at one moment, which is what a kill leaves; copies again if another thread writes
/// meanwhile.
/// - Throws: ``NeverHappened`` if it never rests, or an error of the file system.
package func snapshot(of directory: URL, to copy: URL) async throws {
    let files = FileManager.default
    try await eventually("\(directory.path) rests") {
        if files.fileExists(atPath: copy.path) { try files.removeItem(at: copy) }
        do {
            try files.copyItem(at: directory, to: copy)
        } catch CocoaError.fileNoSuchFile, CocoaError.fileReadNoSuchFile {
            return false
        }
        return files.contentsEqual(atPath: directory.path, andPath: copy.path)
    }
}
