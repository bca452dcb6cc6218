import DaybookBase
import DaybookStore
import DaybookTools
import Foundation

/// Parses the NDJSON of `/v1/events`: one record per line; skips empty lines.
enum EventLines {
    /// Per request.
    static let maximumLines = 100_000

    /// Decodes all records, or none if a line is invalid.
    /// - Throws: ``OTLPError`` with the line number.
    static func decoded(_ body: [UInt8], now: Int64) throws(OTLPError) -> DecodedBody {
        var decoded = DecodedBody()
        var batch = RecordBatch(rows: [])
        var number = 0
        var start = 0
        while start < body.count {
            number += 1
            guard number <= maximumLines else {
                throw OTLPError(
                    "More than \(maximumLines) lines in one request, empty ones included. Send fewer at once.",
                    isLimit: true)
            }
            let line = body[start..<end(of: body, from: start)]
            start = line.endIndex + 1
            if RecordLine.isBlank(line) { continue }
            do throws(RecordLineError) {
                let line = Array(line)
                let record = try RecordLine.record(
                    RecordLine.object(line, unread: &decoded.unread), of: line,
                    defaults: .init(time: now, position: number),
                    unread: &decoded.unread)
                if record.isIdentified {
                    batch.identified.append(.init(place: batch.rows.count, hasTime: record.hasTime))
                }
                batch.rows.append(record.row)
            } catch {
                let hint = RecordLine.isOpen(Array(line)) ? " `jq -c .` writes a record over many lines on one." : ""
                throw OTLPError("Line \(number): \(error.message)\(hint)")
            }
        }
        decoded.batches = [batch]
        return decoded
    }

    private static func end(of body: [UInt8], from start: Int) -> Int {
        body.withUnsafeBytes { bytes in
            // `memchr`'s result points into `bytes`, which stays valid for this closure.
            guard let base = bytes.baseAddress, let found = memchr(base + start, 0x0A, bytes.count - start) else {
                return bytes.count
            }
            return UnsafeRawPointer(found) - base
        }
    }
}
