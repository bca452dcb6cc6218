import Foundation

/// A directory of a test's own.
public struct TemporaryDirectory: Sendable {
    /// Its path.
    public let path: String

    /// Makes a new, empty directory.
    /// - Throws: What the file system says.
    public init() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("daybook-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    /// Its URL.
    public var url: URL { URL(fileURLWithPath: path, isDirectory: true) }

    /// Removes it and all that is in it.
    public func remove() {
        // What cannot be removed stays in the system's temporary folder, which the system cleans.
        try? FileManager.default.removeItem(atPath: path)
    }
}
