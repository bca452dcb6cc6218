import DaybookBase
import DaybookStore
import Foundation

/// A recording in NDJSON, one record a line. Read in pieces, so that its size does not matter.
struct RecordFile {
    /// The most bytes of one line.
    static let lineLimit = 16 << 20

    /// A path, or `-` for standard input.
    let path: String

    /// Whether what was read is gone, as with a pipe.
    var isReadOnce: Bool {
        var status = stat()
        return path == "-"
            || stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
                && status.st_mode & S_IFMT != S_IFDIR
    }

    /// Reads all records in order, each with its place; empty lines are passed over.
    ///
    /// - Parameters:
    ///   - defaultTime: of a record without one, in nanoseconds since 1970. Default: 0.
    ///   - defaultStream: names records without a uid, with the line's number. Default: a digest of the line does.
    /// - Throws: ``InputError`` with the line's number at the first line that is no record, or what `body` throws.
    func forEachRecord(
        defaultTime: Int64 = 0, defaultStream: String? = nil, _ body: (RecordRow, RecordPlace) async throws -> Void
    ) async throws {
        let handle: FileHandle
        do {
            handle = path == "-" ? .standardInput : try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        } catch {
            throw InputError(file: path, message: "cannot be read: \(error.fileReason)")
        }
        var rest = Data()
        var line = 0
        func read(_ text: Data) async throws {
            line += 1
            if text.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { return }
            let record: (id: Int64?, row: RecordRow)
            do throws(RecordLineError) {
                record = try RecordLine.record(
                    text, defaults: .init(time: defaultTime, position: line, stream: defaultStream))
            } catch {
                throw InputError(file: path, line: line, message: error.message)
            }
            try await body(
                record.row,
                RecordPlace(
                    line: line, number: record.id ?? record.row.sequence.map { Int64(clamping: $0) } ?? Int64(line)))
        }
        while let piece = try next(handle) {
            var start = piece.startIndex
            while let end = piece[start...].firstIndex(of: 0x0A) {
                try await read(rest + piece[start..<end])
                rest.removeAll(keepingCapacity: true)
                start = end + 1
            }
            rest += piece[start...]
            guard rest.count <= Self.lineLimit else {
                throw InputError(file: path, line: line + 1, message: "the line is over \(Self.lineLimit) bytes")
            }
        }
        if !rest.isEmpty { try await read(rest) }
    }

    private func next(_ handle: FileHandle) throws -> Data? {
        do {
            return try handle.read(upToCount: 1 << 18).flatMap { $0.isEmpty ? nil : $0 }
        } catch {
            throw InputError(file: path, message: "cannot be read: \(error.fileReason)")
        }
    }
}

/// Where a record stands in a recording.
struct RecordPlace {
    /// From 1.
    var line: Int
    /// The number by which people meet the record: that of its arrival in the store that it was exported from, which
    /// the inspector shows too. In a recording that no store has seen, the sender's sequence, or else the line.
    var number: Int64
}

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
        guard let text = String(wellFormed: data) else {
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

/// Input that cannot be used, with its place.
struct InputError: Error, CustomStringConvertible {
    var file: String
    /// From 1; `nil` where the file as a whole is meant.
    var line: Int?
    var message: String

    var description: String { (file + (line.map { ":\($0)" } ?? "") + ": " + message).printable }
}
