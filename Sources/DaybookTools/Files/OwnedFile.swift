import DaybookBase
import Foundation

/// A file that people own: they edit it, link to it and keep it under version control. This is the only way in which a
/// program here changes one; `scripts/check-architecture` looks for others.
///
/// A link stays one: its target is written, which keeps its owner and its mode. The new text stands beside the target
/// until it is on the disk and takes the name, so that whoever reads, and whatever a crash leaves, is the old text or the
/// new. One edit of a folder runs at a time (``FolderTurn``).
package enum OwnedFile {
    /// Bytes of a file.
    package static let longest = 16 << 20

    /// What an edit is made over.
    package enum Seen: Sendable {
        /// Whatever is there: for what only adds, and for what nobody has seen.
        case anything
        /// The text of this version; `nil` for a file that is not there yet.
        case version(String?)
    }

    /// Where a change stands, for tests that end one there.
    package enum Step: CaseIterable, Sendable { case begun, written, synced, checked, renamed }

    /// What tells a text from a later one.
    package static func version(of bytes: [UInt8]) -> String { Digest.text(of: bytes, seed: 0) }

    /// A file's bytes; `nil` where there is none.
    /// - Throws: ``Problem`` for what cannot be read, is no file (a pipe would wait for ever) or is longer than `limit`.
    package static func read(_ path: String, limit: Int = longest) throws(Problem) -> [UInt8]? {
        let bytes: [UInt8]
        do throws(RegularFile.Failure) {
            bytes = try RegularFile.bytes(of: path, limit: limit)
        } catch {
            if error.isMissing { return nil }
            throw Problem(.storage, "\(path) cannot be read: \(error)")
        }
        guard bytes.count <= limit else {
            throw Problem(.storage, "\(path) cannot be read: it has more than \(limit) bytes")
        }
        return bytes
    }

    /// The text of a file's bytes.
    /// - Throws: ``Problem`` for what is not UTF-8, which would come back as something else.
    package static func text(_ bytes: [UInt8], of path: String) throws(Problem) -> String {
        guard let text = String(wellFormed: bytes) else {
            throw Problem(.storage, "\(path) is not UTF-8; save it as UTF-8 first.")
        }
        return text
    }

    /// Lets `body` change a file's bytes, `nil` for no file, and writes what it made of them. Where it throws or changes
    /// nothing, nothing is written.
    /// - Parameters:
    ///   - mode: of a file that is made.
    ///   - makesFolder: whether a folder that is missing is made.
    /// - Throws: ``Problem``, or what `body` throws, and then the file is as it was.
    package static func edit<Answer: Sendable>(
        _ path: String, over seen: Seen = .anything, mode: mode_t = 0o644, makesFolder: Bool = false,
        reached: (Step) throws -> Void = { _ in }, _ body: (inout [UInt8]?) throws -> Answer
    ) throws -> Answer {
        try turn(of: path, makesFolder: makesFolder) { turn in
            try turn.edit(path, over: seen, mode: mode, reached: reached, body)
        }
    }

    /// Calls `body` with the turn of the folder that a file is in.
    static func turn<Answer: Sendable>(
        of path: String, makesFolder: Bool, _ body: (FolderTurn) throws -> Answer
    ) throws -> Answer {
        if makesFolder {
            do {
                try FileManager.default.createDirectory(atPath: parent(of: path), withIntermediateDirectories: true)
            } catch {
                throw Problem(.storage, "\(path) is not written: \(error.localizedDescription)")
            }
        }
        return try FolderTurn.take(in: parent(of: target(of: path)), body)
    }

    /// Writes a whole text over whatever is there, unless it is there already.
    /// - Throws: as ``edit(_:over:mode:makesFolder:reached:_:)``.
    package static func replace(
        _ path: String, with text: String, mode: mode_t = 0o644, makesFolder: Bool = false
    ) throws {
        try edit(path, mode: mode, makesFolder: makesFolder) { $0 = Array(text.utf8) }
    }

    static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The file that a path leads to, behind all links; it need not be there.
    static func target(of path: String) throws(Problem) -> String {
        if let target = realPath(path) { return target }
        guard errno == ENOENT else { throw .system("\(path) cannot be reached") }
        var status = stat()
        guard lstat(path, &status) != 0 else {
            throw Problem(.storage, "\(path) is a link to a file that is not there; make that one, or remove the link")
        }
        guard let folder = realPath(parent(of: path)) else { throw .system("\(path) cannot be reached") }
        return (folder == "/" ? "" : folder) + "/" + (path.split(separator: "/").last ?? "")
    }

    private static func realPath(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }

    /// Why a file is not read or written.
    package struct Problem: Error, Sendable, CustomStringConvertible {
        package enum Kind: Sendable {
            /// Somebody else has changed the file.
            case conflict
            /// There is nothing to take back.
            case missing
            /// Others hold the folder for too long.
            case busy
            /// What the system says.
            case storage
        }

        package var kind: Kind
        package var message: String
        package var description: String { message }

        package init(_ kind: Kind, _ message: String) { (self.kind, self.message) = (kind, message) }

        /// - Parameter code: of the system's refusal.
        static func system(_ message: String, code: Int32 = errno) -> Problem {
            Problem(.storage, "\(message): \(String(cString: strerror(code)))")
        }

        /// - Parameters:
        ///   - isThere: whether the file is there now.
        ///   - wasThere: whether it was when it was seen.
        static func conflict(_ path: String, isThere: Bool, wasThere: Bool) -> Problem {
            Problem(
                .conflict,
                !isThere
                    ? "\(path) is gone. Nothing was written."
                    : wasThere
                        ? "\(path) was changed by somebody else meanwhile. Nothing was written."
                        : "\(path) already exists. Nothing was written: choose another name.")
        }
    }
}
