import DaybookBase
import DaybookTools
import Foundation

/// Small text files, read and written whole; input may be gzip.
enum TextFile {
    static let limit = 16 << 20

    /// The text of a UTF-8 file.
    ///
    /// - Throws: if it is unreadable, over ``limit`` (inflated), not UTF-8, or contains merge conflict markers, except
    ///   in Markdown, whose own reader reports all of those.
    static func read(_ path: String) throws(InputError) -> String {
        let pieces = try FilePieces(of: path)
        var data = Data()
        while data.count <= limit, let piece = try pieces.next() { data += piece }
        guard data.count <= limit else { throw InputError(file: path, message: "is over \(limit) bytes") }
        guard let text = String(wellFormed: data) else {
            let lines = data.split(separator: 0x0A, omittingEmptySubsequences: false)
            let line = lines.firstIndex { String(wellFormed: $0) == nil }.map { $0 + 1 }
            throw InputError(file: path, line: line, message: "is not UTF-8 text")
        }
        if !MarkdownFile.isMarkdown(path), let line = ConflictMarkers.line(in: text.utf8) {
            throw InputError(file: path, line: line, message: ConflictMarkers.problem)
        }
        return text
    }

    /// Atomic.
    static func write(_ text: String, to path: String) throws(InputError) {
        do {
            try OwnedFile.replace(path, with: text)
        } catch {
            throw InputError(file: path, message: "cannot be written: \(error)")
        }
    }
}

struct InputError: Error, CustomStringConvertible {
    var file: String
    /// From 1; `nil` for the whole file.
    var line: Int?
    var message: String

    var description: String { (file + (line.map { ":\($0)" } ?? "") + ": " + message).printable }
}
