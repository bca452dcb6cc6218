import Foundation

/// A file system of its own in memory, of a given size, that can really be full. Only root may make one.
package final class TinyDisk: Sendable {
    package let path: String

    /// `nil` where this process may not mount.
    package init?(kibibytes: Int) {
        path = NSTemporaryDirectory() + "daybook-disk-" + UUID().uuidString
        guard geteuid() == 0, FileManager.default.isExecutableFile(atPath: "/bin/mount"),
            (try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)) != nil
        else { return nil }
        guard Self.run("/bin/mount", "-t", "tmpfs", "-o", "size=\(kibibytes)k", "tmpfs", path) else {
            try? FileManager.default.removeItem(atPath: path)
            return nil
        }
    }

    deinit {
        _ = Self.run("/bin/umount", "-l", path)
        rmdir(path)
    }

    /// Whether this process may mount.
    package static let isPossible = TinyDisk(kibibytes: 64) != nil

    private static func run(_ program: String, _ arguments: String...) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
