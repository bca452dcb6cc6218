import CPostgreSQL
import DaybookStore

/// PostgreSQL's limit: a bare `COPY` of preformatted rows, without intervals or accounting.
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

    /// Copies each batch in its own transaction.
    func insert(_ batches: [[UInt8]]) throws {
        for batch in batches {
            try run("COPY stored_records(\(RecordColumn.names)) FROM STDIN")
            let isSent = batch.withUnsafeBytes { bytes in
                // A batch has a few MB, which fits an `int`.
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
}
