import DaybookBase
import DaybookTools
import Foundation

/// Small files of text, read and written whole; what is read may be gzip.
enum TextFile {
    /// The most bytes that are read.
    static let limit = 16 << 20

    /// The text of a file in UTF-8.
    ///
    /// - Throws: if it cannot be read, is over ``limit`` (inflated), is not UTF-8, or has the markers of a merge. Markdown's
    ///   own reader tells all of those.
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

    /// Writes a file in one step: it has the old content or the new, never a part.
    static func write(_ text: String, to path: String) throws(InputError) {
        do {
            try OwnedFile.replace(path, with: text)
        } catch {
            throw InputError(file: path, message: "cannot be written: \(error)")
        }
    }
}

/// Input that cannot be used, with its place.
struct InputError: Error, CustomStringConvertible {
    var file: String
    /// From 1; `nil` where the file as a whole is meant.
    var line: Int?
    var message: String

    var description: String { (file + (line.map { ":\($0)" } ?? "") + ": " + message).printable }
}
