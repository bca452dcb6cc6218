import Daybook
import DaybookBase
import DaybookStore
import Foundation

/// A recording: NDJSON, one record per line, or OTLP in JSON from the OpenTelemetry Collector's file exporter, one
/// request per line or per file; either may be gzip. Read in chunks, so that its size does not matter.
struct RecordFile {
    /// The most bytes of a line, or of a request over several lines.
    static let lineLimit = 16 << 20
    static let endings = [".ndjson", ".jsonl"].flatMap { [$0, $0 + ".gz"] }

    /// A path, or `-` for standard input.
    let path: String
    /// Receives what is not read.
    let warnings: Warnings

    /// Whether it can be read only once, like a pipe.
    var isReadOnce: Bool {
        var status = stat()
        return path == "-"
            || stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
                && status.st_mode & S_IFMT != S_IFDIR
    }

    /// Reads all records in order, with their places. Skips empty lines, and warns once about unknown members.
    ///
    /// - Parameters:
    ///   - defaultTime: for records without one, in nanoseconds since 1970. Default: 0.
    ///   - defaultStream: with the line number makes missing uids. Default: uids are digests of the lines.
    /// - Throws: ``InputError`` with the line number at the first invalid line, or what `body` throws.
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

/// Prints each warning once per run. Thread-safe.
final class Warnings: Sendable {
    private let console: Console
    private let told = Mutex<Set<String>>([])

    init(_ console: Console) { self.console = console }

    /// - Parameter text: one line; may contain untrusted text.
    func tell(_ text: String) {
        guard told.withLock({ $0.insert(text).inserted }) else { return }
        console.errors("warning: \(text.printable)\n")
    }
}

struct RecordPlace {
    /// From 1.
    var line: Int
    /// The record's index in the recording, from 1; a line may have several.
    var position: Int
    /// The number people know the record by: its arrival number in the store it was exported from, as the inspector
    /// shows it. Otherwise the sender's sequence number, or the line.
    var number: Int64
    /// Whether the recording itself names the record.
    var isIdentified = true
}
