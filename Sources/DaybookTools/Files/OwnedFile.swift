import DaybookBase
import Foundation

/// A file that people own: they edit it, link to it and keep it under version control. All changes go through here;
/// `scripts/check-architecture` checks that.
///
/// Symbolic links stay: the target is written, and keeps its owner and mode. The new text is written next to the
/// target, synced, and renamed, so that readers and crashes see the old text or the new. One edit per folder runs at a
/// time (``FolderTurn``).
package enum OwnedFile {
    /// In bytes.
    package static let longest = 16 << 20

    /// The version that an edit is based on.
    package enum Seen: Sendable {
        /// Any: for additions, and for files nobody has seen.
        case anything
        /// The text of this version; `nil` for a file that does not exist yet.
        case version(String?)
    }

    /// A step of a change, at which tests can interrupt it.
    package enum Step: CaseIterable, Sendable { case begun, written, synced, checked, renamed }

    /// Identifies a text's version.
    package static func version(of bytes: [UInt8]) -> String { Digest.text(of: bytes, seed: 0) }

    /// A file's bytes; `nil` if it does not exist.
    /// - Throws: ``Problem`` if it is unreadable, not a regular file (a pipe would block for ever) or longer than
    ///   `limit`.
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

    /// A file's bytes as text.
    /// - Throws: ``Problem`` if they are not UTF-8, since writing would change them.
    package static func text(_ bytes: [UInt8], of path: String) throws(Problem) -> String {
        guard let text = String(wellFormed: bytes) else {
            throw Problem(.storage, "\(path) is not UTF-8; save it as UTF-8 first.")
        }
        return text
    }

    /// Applies `body` to a file's bytes, `nil` for no file, and writes the result. If it throws or changes nothing,
    /// nothing is written.
    /// - Parameters:
    ///   - mode: for a new file.
    ///   - makesFolder: whether to create a missing folder.
    /// - Throws: ``Problem``, or what `body` throws; the file is then unchanged.
    package static func edit<Answer: Sendable>(
        _ path: String, over seen: Seen = .anything, mode: mode_t = 0o644, makesFolder: Bool = false,
        reached: (Step) throws -> Void = { _ in }, _ body: (inout [UInt8]?) throws -> Answer
    ) throws -> Answer {
        try turn(of: path, makesFolder: makesFolder) { turn in
            try turn.edit(path, over: seen, mode: mode, reached: reached, body)
        }
    }

    /// Calls `body` with the turn of a file's folder.
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

    /// Replaces a file's text, unless it is the same.
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

    /// Resolves all links of a path; the file need not exist.
    static func target(of path: String) throws(Problem) -> String {
        if let target = realPath(path) { return target }
        guard errno == ENOENT else { throw .system("\(path) cannot be reached") }
        var status = stat()
        if lstat(path, &status) == 0 {
            // Somebody may have made the file, or removed it again, since the first look.
            if let target = realPath(path) { return target }
            if status.st_mode & S_IFMT == S_IFREG { throw .conflict(path, isThere: false, wasThere: true) }
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

    package struct Problem: Error, Sendable, CustomStringConvertible {
        package enum Kind: Sendable {
            /// Someone else has changed the file.
            case conflict
            /// There is nothing to undo.
            case missing
            /// Others hold the folder too long.
            case busy
            /// A system error.
            case storage
        }

        package var kind: Kind
        package var message: String
        package var description: String { message }

        package init(_ kind: Kind, _ message: String) { (self.kind, self.message) = (kind, message) }

        /// - Parameter code: the `errno`.
        static func system(_ message: String, code: Int32 = errno) -> Problem {
            Problem(.storage, "\(message): \(String(cString: strerror(code)))")
        }

        /// - Parameters:
        ///   - isThere: whether the file exists now.
        ///   - wasThere: whether it existed when it was seen.
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
