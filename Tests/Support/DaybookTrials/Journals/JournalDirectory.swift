import DaybookJournal
import DaybookTesting
import Foundation

/// A directory that holds a journal.
extension TemporaryDirectory {
    /// One that is not yet there, in memory where possible: most trials concern what is written, not the drive.
    package static func inMemory() -> TemporaryDirectory {
        let memory = "/dev/shm/"
        let parent = FileManager.default.isWritableFile(atPath: memory) ? memory : NSTemporaryDirectory()
        return TemporaryDirectory(path: parent + "daybook-" + UUID().uuidString)
    }

    /// The journal's files now, by relative path: what a kill at this moment would leave.
    package func snapshot() throws -> [String: Data] {
        var files: [String: Data] = [:]
        // Rings come before the listing of the rest: what moves from a ring to a segment meanwhile is then in both.
        for isRing in [true, false] {
            for name in try FileManager.default.subpathsOfDirectory(atPath: path)
            where name.hasSuffix("ring") == isRing {
                var isDirectory: ObjCBool = false
                let full = file(name)
                if FileManager.default.fileExists(atPath: full, isDirectory: &isDirectory), !isDirectory.boolValue {
                    files[name] = try Data(contentsOf: URL(fileURLWithPath: full))
                }
            }
        }
        return files
    }

    /// Makes the directory hold exactly these files.
    package func restore(_ files: [String: Data]) throws {
        try? FileManager.default.removeItem(atPath: path)
        for (name, data) in files {
            let url = URL(fileURLWithPath: file(name))
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try data.write(to: url)
        }
    }

    package var segments: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.filter { $0.hasSuffix(".segment") }.sorted()
    }

    /// Bytes of all segments and files set aside.
    package var dataBytes: Int {
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []
        return names.filter { $0.hasSuffix(".segment") || $0.hasSuffix(".tmp") || $0.hasSuffix(".bad") }.reduce(0) {
            let attributes = try? FileManager.default.attributesOfItem(atPath: file($1))
            return $0 + ((attributes?[.size] as? Int) ?? 0)
        }
    }
}

/// A copy of a frame's content.
package struct Seen: Equatable, Sendable {
    package var sequence: UInt64
    package var mask: UInt64
    package var payload: [UInt8]
    package var context: [UInt8]
    package var contextUnknown: Bool
    package var stream: JournalStream

    package init(
        sequence: UInt64, mask: UInt64, payload: [UInt8], context: [UInt8], contextUnknown: Bool, stream: JournalStream
    ) {
        self.sequence = sequence
        self.mask = mask
        self.payload = payload
        self.context = context
        self.contextUnknown = contextUnknown
        self.stream = stream
    }

    package var text: String { String(decoding: payload, as: UTF8.self) }
    package var contextText: String { String(decoding: context, as: UTF8.self) }
}

extension Journal {
    /// All frames after a sequence, for one output or for all.
    package func all(after sequence: UInt64 = 0, output: Int? = nil) -> [Seen] {
        var seen: [Seen] = []
        var position = sequence
        while true {
            let progress = read(after: position, output: output, limitFrames: 1000) { frame in
                seen.append(
                    Seen(
                        sequence: frame.sequence, mask: frame.mask, payload: Array(frame.payload),
                        context: frame.context.bytes, contextUnknown: frame.contextUnknown, stream: frame.stream))
                return true
            }
            // Frames left out are visited again.
            if progress.reachedEnd { return seen }
            seen.removeAll { $0.sequence > progress.through }
            position = progress.through
        }
    }

    /// Appends a record. If background work is due, writes the log, as the background would.
    @discardableResult
    package func log(_ text: String, mask: UInt64 = 1) -> Appended {
        let appended = append(mask: mask, flags: .record, payload: Array(text.utf8))
        if appended.attention.contains(.workDue) { writeLog() }
        return appended
    }
}

/// Small segments and a small ring, so that little data fills several and wraps.
package func smallOptions(cap: Int = 1 << 20) -> JournalOptions {
    var options = JournalOptions()
    options.ringBytes = 256 << 10
    options.segmentBytes = 64 << 10
    options.capBytes = cap
    options.maximumFrameBytes = 16 << 10
    return options
}
