import Daybook
import DaybookBase
import DaybookStore
import Foundation

/// A recording: NDJSON, one record a line, or OTLP in JSON as the OpenTelemetry Collector's file exporter writes it, one
/// request a line or one in the whole file; either may be gzip. Read in pieces, so that its size does not matter.
struct RecordFile {
    /// The most bytes of one line, and of a request over many lines.
    static let lineLimit = 16 << 20
    /// How the names of recordings end.
    static let endings = [".ndjson", ".jsonl"].flatMap { [$0, $0 + ".gz"] }

    /// A path, or `-` for standard input.
    let path: String
    /// Takes what was not read.
    let warnings: Warnings

    /// Whether what was read is gone, as with a pipe.
    var isReadOnce: Bool {
        var status = stat()
        return path == "-"
            || stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
                && status.st_mode & S_IFMT != S_IFDIR
    }

    /// Reads all records in order, each with its place; empty lines are passed over, and of what no record has there is
    /// one warning.
    ///
    /// - Parameters:
    ///   - defaultTime: of a record without one, in nanoseconds since 1970. Default: 0.
    ///   - defaultStream: names records without a uid, with the line's number. Default: a digest of the line does.
    /// - Throws: ``InputError`` with the line's number at the first line that is no record, or what `body` throws.
    func forEachRecord(
        defaultTime: Int64 = 0, defaultStream: String? = nil, _ body: (RecordRow, RecordPlace) async throws -> Void
    ) async throws {
        var reading = RecordingReader(path: path, time: defaultTime, stream: defaultStream)
        defer { if let text = reading.warning { warnings.tell(text) } }
        try await forEachLine { line, text in
            for (row, place) in try reading.records(of: text, line: line) { try await body(row, place) }
        }
        for (row, place) in try reading.end() { try await body(row, place) }
    }

    private func forEachLine(_ body: (Int, Data) async throws -> Void) async throws {
        let pieces = try FilePieces(of: path, readsStandardInput: true)
        var rest = Data()
        var line = 0
        while let piece = try pieces.next() {
            var start = piece.startIndex
            while let end = piece[start...].firstIndex(of: 0x0A) {
                line += 1
                try await body(line, rest + piece[start..<end])
                rest.removeAll(keepingCapacity: true)
                start = end + 1
            }
            rest += piece[start...]
            guard rest.count <= Self.lineLimit else {
                throw InputError(file: path, line: line + 1, message: "the line is over \(Self.lineLimit) bytes")
            }
        }
        if !rest.isEmpty { try await body(line + 1, rest) }
    }
}

/// Warnings of a run, each told once, however often what it is about is read. Safe to share between threads.
final class Warnings: Sendable {
    private let console: Console
    private let told = Mutex<Set<String>>([])

    init(_ console: Console) { self.console = console }

    /// - Parameter text: one line; it may hold what others have written.
    func tell(_ text: String) {
        guard told.withLock({ $0.insert(text).inserted }) else { return }
        console.errors("warning: \(text.printable)\n")
    }
}

/// Where a record stands in a recording.
struct RecordPlace {
    /// From 1.
    var line: Int
    /// Which record of the recording it is, from 1; several of a request stand in one line.
    var position: Int
    /// The number by which people meet the record: that of its arrival in the store that it was exported from, which
    /// the inspector shows too. In a recording that no store has seen, the sender's sequence, or else the line.
    var number: Int64
    /// Whether the recording names the record, so that it is known elsewhere too.
    var isIdentified = true
}
