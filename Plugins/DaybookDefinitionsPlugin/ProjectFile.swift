import Foundation

/// The nearest project file at or above `root`, up to the repository's root, as for the commands.
func projectFile(above root: URL) -> URL? {
    var folder = root.standardizedFileURL
    for _ in 0..<64 {
        let file = folder.appending(path: "daybook.json")
        if FileManager.default.fileExists(atPath: file.path) { return file }
        let parent = folder.deletingLastPathComponent().standardizedFileURL
        let isRepository = FileManager.default.fileExists(atPath: folder.appending(path: ".git").path)
        if isRepository || parent.path == folder.path { return nil }
        folder = parent
    }
    return nil
}
