import Foundation

/// A directory of one test's own, removed with the value.
package final class TestDirectory: Sendable {
    package let path: String

    /// In memory where the system has such a place: most tests are about what is written, not about the drive.
    package init() {
        let memory = "/dev/shm/"
        let parent = FileManager.default.isWritableFile(atPath: memory) ? memory : NSTemporaryDirectory()
        path = parent + "daybook-journal-" + UUID().uuidString
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The journal's files as they are now, by relative path: what a kill at this moment would leave.
    package func snapshot() throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            var isDirectory: ObjCBool = false
            let full = path + "/" + name
            if FileManager.default.fileExists(atPath: full, isDirectory: &isDirectory), !isDirectory.boolValue {
                files[name] = try Data(contentsOf: URL(fileURLWithPath: full))
            }
        }
        return files
    }

    /// Makes the directory hold exactly these files.
    package func restore(_ files: [String: Data]) throws {
        try? FileManager.default.removeItem(atPath: path)
        for (name, data) in files {
            let url = URL(fileURLWithPath: path + "/" + name)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try data.write(to: url)
        }
    }

    package var segments: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.filter { $0.hasSuffix(".segment") }.sorted()
    }

    /// Bytes of all segments, spares and files put aside.
    package var dataBytes: Int {
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []
        return names.filter { $0.hasSuffix(".segment") || $0.hasSuffix(".tmp") || $0.hasSuffix(".bad") }.reduce(0) {
            let attributes = try? FileManager.default.attributesOfItem(atPath: path + "/" + $1)
            return $0 + ((attributes?[.size] as? Int) ?? 0)
        }
    }
}
