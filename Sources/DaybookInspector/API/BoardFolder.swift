import DaybookAPI
import DaybookBase
import DaybookTools
import Foundation

/// A folder of boards. Files are read at each request, so that changes show without a restart.
package final class BoardFolder: Sendable {
    /// Most files; others are ignored.
    private static let mostFiles = 200

    /// The folder; created with the first board if missing.
    package let path: String
    private let edits = OwnedFileEdits()

    package init(_ path: String) { self.path = path }

    /// Every Markdown file by name, with all problems and the version of its text.
    /// - Throws: ``Failure`` if the folder or a file cannot be read; a missing folder has no boards.
    package func read() throws(Failure) -> [(board: Board, problems: [Diagnostic], version: String)] {
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: path).filter(MarkdownFile.isMarkdown).sorted()
        } catch {
            throw Failure(message: "\(path) cannot be read: \(error.fileReason)")
        }
        var boards: [(Board, [Diagnostic], String)] = []
        for name in names.prefix(Self.mostFiles) {
            let file = "\(path)/\(name)"
            guard let bytes = try Self.bytes(of: file) else { continue }
            var (board, problems) = BoardParser.parse(String(decoding: bytes, as: UTF8.self), file: file)
            if let first = boards.first(where: { $0.0.id == board.id }) {
                problems.append(
                    .error(
                        SourceLocation(file: file, line: 1, column: 1),
                        "the id `\(board.id)` is taken by \(first.0.file)"))
            }
            boards.append((board, problems, OwnedFile.version(of: bytes)))
        }
        return boards
    }

    /// Appends a statement to a board, which is created if missing. Concurrent changes by others are kept.
    /// - Parameters:
    ///   - title: For a new board; `nil` for the id. An existing board must have this title.
    ///   - seen: The text that the statement is added to.
    /// - Returns: The file, and the version of its text.
    /// - Throws: ``Failure`` or ``OwnedFile/Problem``; then the file is unchanged.
    func add(
        _ block: String, to id: String, title: String?, over seen: OwnedFile.Seen
    ) throws -> (file: String, version: String) {
        let file = try file(of: id)
        let (_, version) = try edits.edit(file, over: seen, makesFolder: true) { before in
            var text = before ?? "# \(MarkdownText.heading(title ?? id))\n"
            let (board, problems) = BoardParser.parse(text, file: file)
            if let problem = problems.first {
                throw Failure(message: "The board has a mistake; fix it first: \(problem)")
            }
            if before != nil, let title, title != board.title {
                throw Failure(message: "\(file) is the board “\(board.title)”, not “\(title)”: leave the title out.")
            }
            if text.utf8.last != UInt8(ascii: "\n") { text += "\n" }
            text += "\n" + block
            if let problem = BoardParser.parse(text, file: file).problems.first {
                throw Failure(message: "The block cannot be added: \(problem)")
            }
            return (text, ())
        }
        return (file, version)
    }

    /// Undoes the last addition to a board: restores the file's bytes, or deletes a file that it created.
    /// - Parameter version: The addition's version; `nil` for the last one, by anyone.
    /// - Returns: The file, and the version of its text; `nil` if deleted.
    /// - Throws: ``Failure`` or ``OwnedFile/Problem`` if nothing was added, or the file has changed since.
    func undo(_ id: String, over version: String?) throws -> (file: String, version: String?) {
        let file = try file(of: id)
        return (file, try edits.undo(file, over: version) { _ in }.version)
    }

    var isWritable: Bool {
        var path = path
        // A missing folder is created in its parent.
        if !FileManager.default.fileExists(atPath: path) { path = (path as NSString).deletingLastPathComponent }
        return FileManager.default.isWritableFile(atPath: path.isEmpty ? "." : path)
    }

    /// - Throws: ``Failure`` for an invalid id.
    package func file(of id: String) throws(Failure) -> String {
        // The id becomes a file name, which must not lead out of the folder.
        guard !id.isEmpty, id.utf8.count <= 100, id.first != ".",
            id.unicodeScalars.allSatisfy({
                $0.properties.isAlphabetic || $0.properties.numericType != nil || "_-. ".unicodeScalars.contains($0)
            })
        else {
            throw Failure(message: "A board's name has letters, digits, `_`, `-`, `.` and spaces, not “\(id)”.")
        }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        let name = names.sorted().first { MarkdownFile.isMarkdown($0) && MarkdownFile.stem($0) == id }
        return "\(path)/\(name ?? "\(id).md")"
    }

    private static func bytes(of file: String) throws(Failure) -> [UInt8]? {
        do {
            return try OwnedFile.read(file)
        } catch {
            throw Failure(message: error.message)
        }
    }

    package struct Failure: Error, CustomStringConvertible {
        package var message: String
        package var description: String { message }
    }
}
