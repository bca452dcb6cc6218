import DaybookCollector
import Foundation

/// A file of keys that is read again when it changes, so that a revoked key opens nothing a moment later.
struct KeyFileWatch: Sendable {
    /// What tells one content of a file from the next.
    private struct Stamp: Equatable {
        var modified: Date?
        var size: Int?
        var number: Int?
    }

    let path: String
    let ring: KeyRing
    private var stamp: Stamp

    /// - Throws: ``KeyFile/Problem``.
    init(path: String) throws {
        self.path = path
        stamp = Self.stamp(of: path)
        ring = KeyRing(try KeyFile.read(path))
    }

    /// Reads the file where it changed; the keys stay as they are where it cannot be read.
    /// - Returns: whether it was read.
    /// - Throws: ``KeyFile/Problem``, once for each change.
    mutating func readIfChanged() throws -> Bool {
        let now = Self.stamp(of: path)
        guard now != stamp else { return false }
        stamp = now
        ring.replace(with: try KeyFile.read(path))
        return true
    }

    private static func stamp(of path: String) -> Stamp {
        // Of the file itself where the path is a link: a mounted secret is changed by another link's new end.
        let file = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        let attributes = (try? FileManager.default.attributesOfItem(atPath: file)) ?? [:]
        return Stamp(
            modified: attributes[.modificationDate] as? Date, size: (attributes[.size] as? NSNumber)?.intValue,
            number: (attributes[.systemFileNumber] as? NSNumber)?.intValue)
    }
}
