import DaybookOTLP
import DaybookStore

/// Reads the NDJSON of `/v1/events`: one record a line, empty lines passed over.
enum EventLines {
    /// The most lines in one request.
    static let maximumLines = 100_000

    /// All rows, or none where a line is wrong.
    /// - Throws: ``OTLPError`` that names the line.
    static func rows(of body: [UInt8], now: Int64) throws(OTLPError) -> [RecordRow] {
        var rows: [RecordRow] = []
        var number = 0
        var rest = body[...]
        // One line at a time: millions of empty ones must not become millions of slices.
        while !rest.isEmpty {
            number += 1
            let line = rest.prefix { $0 != UInt8(ascii: "\n") }
            rest = rest.dropFirst(line.count + 1)
            if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { continue }
            guard rows.count < maximumLines else {
                throw OTLPError("More than \(maximumLines) lines in one request. Send fewer at once.", isLimit: true)
            }
            do throws(RecordLineError) {
                rows.append(try RecordLine.row(line, defaults: .init(time: now, position: number)))
            } catch {
                throw OTLPError("Line \(number): \(error.message)")
            }
        }
        return rows
    }
}
