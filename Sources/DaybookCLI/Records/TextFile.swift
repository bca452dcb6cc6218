import DaybookStore
import Foundation

/// Small files of text, read and written whole.
enum TextFile {
    /// The most bytes that are read.
    static let limit = 16 << 20

    /// The text of a file in UTF-8.
    ///
    /// - Throws: if it cannot be read, is over ``limit``, or is not UTF-8.
    static func read(_ path: String) throws(InputError) -> String {
        let data: Data
        do {
            let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            data = try handle.read(upToCount: limit + 1) ?? Data()
            try handle.close()
        } catch {
            throw InputError(file: path, message: "cannot be read: \(error.fileReason)")
        }
        guard data.count <= limit else { throw InputError(file: path, message: "is over \(limit) bytes") }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw InputError(file: path, message: "is not UTF-8 text")
        }
        return text
    }

    /// Writes a file in one step: it has the old content or the new, never a part.
    static func write(_ text: String, to path: String) throws(InputError) {
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw InputError(file: path, message: "cannot be written: \(error.fileReason)")
        }
    }
}
