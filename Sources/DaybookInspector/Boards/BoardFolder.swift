import DaybookBase
import DaybookTools
import Foundation

/// The boards of a folder: read at each question, so that a file that was changed shows without a restart, and written where
/// somebody saves a statement.
package final class BoardFolder: Sendable {
    /// Files of a folder; more are left out.
    private static let mostFiles = 200

    /// What the last addition to a file made of it, so that it can be taken back.
    private struct Addition {
        /// `nil` where the file was made.
        var before: [UInt8]?
        var after: [UInt8]
    }

    /// Where the files are. It need not be there yet: a folder is made for the first board.
    package let path: String
    private let additions = Mutex<[String: Addition]>([:])

    package init(_ path: String) { self.path = path }

    /// Every Markdown file, by name, with every problem.
    /// - Throws: ``Failure`` where the folder or a file cannot be read; a folder that is not there has no boards.
    package func read() throws(Failure) -> [(board: Board, problems: [BoardProblem])] {
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: path).filter(MarkdownFile.isMarkdown).sorted()
        } catch {
            throw Failure(message: "\(path) cannot be read: \(error.fileReason)")
        }
        var boards: [(Board, [BoardProblem])] = []
        for name in names.prefix(Self.mostFiles) {
            let file = "\(path)/\(name)"
            guard let bytes = try Self.bytes(of: file) else { continue }
            var (board, problems) = BoardParser.parse(String(decoding: bytes, as: UTF8.self), file: file)
            if let first = boards.first(where: { $0.0.id == board.id }) {
                problems.append(.init(file: file, line: 1, message: "the id `\(board.id)` is taken by \(first.0.file)"))
            }
            boards.append((board, problems))
        }
        return boards
    }

    /// Writes a statement behind the last block of a board, which is made where there is none of this id. What others have
    /// written into the file stays.
    /// - Parameter title: of a board that is made; `nil` for the id. One that is there has no other.
    /// - Returns: the file.
    /// - Throws: ``Failure``, and then the file is as it was.
    func add(_ block: String, to id: String, title: String?) throws(Failure) -> String {
        let file = try file(of: id)
        let before = try Self.bytes(of: file)
        var text = before.map { String(decoding: $0, as: UTF8.self) } ?? "# \(MarkdownText.heading(title ?? id))\n"
        guard before == nil || text.utf8.elementsEqual(before ?? []) else {
            throw Failure(message: "\(file) is not UTF-8; save it as UTF-8 first.")
        }
        let (board, problems) = BoardParser.parse(text, file: file)
        if let problem = problems.first {
            throw Failure(message: "The board has a mistake; fix it first: \(problem)")
        }
        if before != nil, let title, title != board.title {
            throw Failure(message: "\(file) is the board “\(board.title)”, not “\(title)”: leave the title out.")
        }
        if !text.hasSuffix("\n") { text += "\n" }
        text += "\n" + block
        if let problem = BoardParser.parse(text, file: file).problems.first {
            throw Failure(message: "The block cannot be added: \(problem)")
        }
        let after = Array(text.utf8)
        do {
            if before == nil {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            }
            try Data(after).write(to: URL(fileURLWithPath: file), options: .atomic)
        } catch {
            throw Failure(message: "\(file) is not written: \(error.fileReason)")
        }
        additions.withLock { $0[id] = Addition(before: before, after: after) }
        return file
    }

    /// Takes the last addition to a board back: the file has the bytes that it had before, or is gone where it was made.
    /// - Returns: the file.
    /// - Throws: ``Failure`` where nothing was added, or somebody has changed the file since.
    func undo(_ id: String) throws(Failure) -> String {
        let file = try file(of: id)
        guard let addition = additions.withLock({ $0[id] }) else {
            throw Failure(message: "Nothing was added to \(file) that could be reverted.", isMissing: true)
        }
        guard try Self.bytes(of: file) == addition.after else {
            throw Failure(message: "\(file) has been changed since; remove the block by hand.")
        }
        do {
            if let before = addition.before {
                try Data(before).write(to: URL(fileURLWithPath: file), options: .atomic)
            } else {
                try FileManager.default.removeItem(atPath: file)
            }
        } catch {
            throw Failure(message: "\(file) is not written: \(error.fileReason)")
        }
        additions.withLock { $0[id] = nil }
        return file
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
        guard FileManager.default.fileExists(atPath: file) else { return nil }
        do throws(RegularFile.Failure) {
            return try RegularFile.bytes(of: file, limit: BoardParser.longestFile)
        } catch {
            throw Failure(message: "\(file) cannot be read: \(error)")
        }
    }

    /// Why a board is not read or written.
    package struct Failure: Error, CustomStringConvertible {
        package var message: String
        var isMissing = false
        package var description: String { message }
    }
}
