import Foundation

/// A test's own directory.
public struct TemporaryDirectory: Sendable {
    /// Its path.
    public let path: String

    /// Creates a new, empty directory.
    ///
    /// ```swift
    /// let directory = try TemporaryDirectory()
    /// defer { directory.remove() }
    /// ```
    /// - Throws: An error of the file system.
    public init() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("daybook-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    /// A directory that is not yet there.
    package init(path: String) { self.path = path }

    /// Its URL.
    public var url: URL { URL(fileURLWithPath: path, isDirectory: true) }

    /// The path of a file in it.
    package func file(_ name: String) -> String { path + "/" + name }

    /// A directory in it, which is not yet there and is removed with it.
    package func subdirectory(_ name: String) -> TemporaryDirectory { TemporaryDirectory(path: file(name)) }

    /// Removes the directory and everything in it.
    public func remove() {
        // Leftovers are in the system's temporary folder, which the system cleans.
        try? FileManager.default.removeItem(atPath: path)
    }
}
