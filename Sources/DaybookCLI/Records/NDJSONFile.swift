import Foundation

/// A recording: one JSON object a line. Read in pieces, so that its size does not matter.
struct NDJSONFile {
    /// The most bytes of one line.
    static let lineLimit = 16 << 20

    /// A path, or `-` for standard input.
    let path: String

    /// Reads all records in order; empty lines are passed over.
    ///
    /// - Throws: ``InputError`` with the line's number at the first line that is no record, or what `body` throws.
    func forEachRecord(_ body: (NDJSONRecord) throws -> Void) throws {
        let handle: FileHandle
        do {
            handle = path == "-" ? .standardInput : try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        } catch {
            throw InputError(file: path, message: "cannot be read: \(error.localizedDescription)")
        }
        let decoder = JSONDecoder()
        var rest = Data()
        var line = 0
        func read(_ text: Data) throws {
            line += 1
            if text.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { return }
            do {
                try body(NDJSONRecord(json: text, line: line, decoder: decoder))
            } catch let problem as NDJSONRecord.Problem {
                throw InputError(file: path, line: line, message: problem.message)
            }
        }
        while let piece = try next(handle) {
            var start = piece.startIndex
            while let end = piece[start...].firstIndex(of: 0x0A) {
                try read(rest + piece[start..<end])
                rest.removeAll(keepingCapacity: true)
                start = end + 1
            }
            rest += piece[start...]
            guard rest.count <= Self.lineLimit else {
                throw InputError(file: path, line: line + 1, message: "the line is over \(Self.lineLimit) bytes")
            }
        }
        if !rest.isEmpty { try read(rest) }
    }

    private func next(_ handle: FileHandle) throws -> Data? {
        do {
            return try handle.read(upToCount: 1 << 18).flatMap { $0.isEmpty ? nil : $0 }
        } catch {
            throw InputError(file: path, message: "cannot be read: \(error.localizedDescription)")
        }
    }
}
