import CPostgreSQL
import DaybookStore

/// PostgreSQL's limit: `COPY` of rows that are text already, and nothing around it. No intervals, no accounting.
final class RawCopy {
    struct Failure: Error, CustomStringConvertible { let description: String }

    private let connection: OpaquePointer

    init(_ address: String) throws {
        guard let connection = PQconnectdb(address) else { throw Failure(description: "no memory for a connection") }
        self.connection = connection
        guard PQstatus(connection) == CONNECTION_OK else { throw failure }
    }

    deinit { PQfinish(connection) }

    func run(_ sql: String) throws {
        let result = PQexec(connection, sql)
        defer { PQclear(result) }
        guard [PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_COPY_IN].contains(PQresultStatus(result)) else { throw failure }
    }

    /// Copies each batch in a transaction of its own.
    func insert(_ batches: [[UInt8]]) throws {
        for batch in batches {
            try run("COPY records FROM STDIN")
            let isSent = batch.withUnsafeBytes { bytes in
                // A batch has a few MB, which an `int` holds.
                PQputCopyData(connection, bytes.bindMemory(to: CChar.self).baseAddress, Int32(bytes.count)) == 1
            }
            guard isSent, PQputCopyEnd(connection, nil) == 1 else { throw failure }
            while let result = PQgetResult(connection) {
                defer { PQclear(result) }
                guard PQresultStatus(result) == PGRES_COMMAND_OK else { throw failure }
            }
        }
    }

    private var failure: Failure { Failure(description: String(cString: PQerrorMessage(connection))) }

    /// Rows in the text format of `COPY`, 4,096 in a batch, with arrival numbers from 1.
    static func batches(of rows: [RecordRow]) -> [[UInt8]] {
        stride(from: 0, to: rows.count, by: 4_096).map { start in
            var bytes: [UInt8] = []
            for (place, row) in rows[start..<min(start + 4_096, rows.count)].enumerated() {
                let texts: [String?] = [
                    String(start + place + 1), row.uid, String(row.time), row.kind.rawValue, String(row.level), row.tag,
                    row.message, row.module, row.attributes, row.context, row.session, row.installation, row.traceID,
                    row.spanID, row.parentSpanID, row.duration.map { String($0) }, row.file, row.function,
                    row.line.map { String($0) },
                ]
                for (column, text) in texts.enumerated() {
                    if column > 0 { bytes.append(UInt8(ascii: "\t")) }
                    append(text, to: &bytes)
                }
                bytes.append(UInt8(ascii: "\n"))
            }
            return bytes
        }
    }

    private static func append(_ text: String?, to bytes: inout [UInt8]) {
        guard let text else {
            bytes += Array("\\N".utf8)
            return
        }
        for unit in text.utf8 {
            switch unit {
            case UInt8(ascii: "\\"): bytes += Array("\\\\".utf8)
            case UInt8(ascii: "\t"): bytes += Array("\\t".utf8)
            case UInt8(ascii: "\n"): bytes += Array("\\n".utf8)
            case UInt8(ascii: "\r"): bytes += Array("\\r".utf8)
            default: bytes.append(unit)
            }
        }
    }
}
