import DaybookAPI
import DaybookBase
import DaybookTools
import Foundation

/// The boards of a folder: read at each question, so that a file that was changed shows without a restart, and written where
/// somebody saves a statement.
package final class BoardFolder: Sendable {
    /// Files of a folder; more are left out.
    private static let mostFiles = 200

    /// Where the files are. It need not be there yet: a folder is made for the first board.
    package let path: String
    private let edits = OwnedFileEdits()

    package init(_ path: String) { self.path = path }

    /// Every Markdown file, by name, with every problem and the version of its text.
    /// - Throws: ``Failure`` where the folder or a file cannot be read; a folder that is not there has no boards.
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

    /// Writes a statement behind the last block of a board, which is made where there is none of this id. What others have
    /// written into the file stays.
    /// - Parameters:
    ///   - title: of a board that is made; `nil` for the id. One that is there has no other.
    ///   - seen: what the statement is added to.
    /// - Returns: the file, and the version of its text.
    /// - Throws: ``Failure`` or ``OwnedFile/Problem``, and then the file is as it was.
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

    /// Takes the last addition to a board back: the file has the bytes that it had before, or is gone where it was made.
    /// - Parameter version: that the addition made; `nil` for the last one, whoever made it.
    /// - Returns: the file, and the version of its text; `nil` where it is gone.
    /// - Throws: ``Failure`` or ``OwnedFile/Problem`` where nothing was added, or somebody has changed the file since.
    func undo(_ id: String, over version: String?) throws -> (file: String, version: String?) {
        let file = try file(of: id)
        return (file, try edits.undo(file, over: version) { _ in }.version)
    }

    /// Whether statements may be written into the folder.
    var isWritable: Bool {
        var path = path
        // A folder that is not there is made in the one above.
        if !FileManager.default.fileExists(atPath: path) { path = (path as NSString).deletingLastPathComponent }
        return FileManager.default.isWritableFile(atPath: path.isEmpty ? "." : path)
    }

    /// Where the board of an id is, or would be made.
    /// - Throws: ``Failure`` where it is no board's id.
    package func file(of id: String) throws(Failure) -> String {
        // An id becomes a file's name: it must not lead anywhere else.
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

    /// A file's bytes; `nil` where there is none.
    private static func bytes(of file: String) throws(Failure) -> [UInt8]? {
        do {
            return try OwnedFile.read(file)
        } catch {
            throw Failure(message: error.message)
        }
    }

    /// Why a board is not read or written.
    package struct Failure: Error, CustomStringConvertible {
        package var message: String
        package var description: String { message }
    }
}
