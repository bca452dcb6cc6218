import CPostgreSQL
import DaybookStore
import Foundation

/// Confined to one thread at a time.
final class PostgreSQLConnection {
    private let handle: OpaquePointer

    /// Blocks for at most ten seconds.
    init(_ address: PostgreSQLAddress) throws(PostgreSQLError) {
        // Parameters in the address come later and win; libpq ignores empty values.
        let settings = [
            ("application_name", "daybook"), ("connect_timeout", "10"), ("keepalives_idle", "30"),
            ("tcp_user_timeout", "30000"), ("dbname", address.server), ("client_encoding", "UTF8"),
            ("user", address.user ?? ""), ("password", address.password ?? ""),
        ]
        let names = settings.map { UnsafePointer<CChar>(strdup($0.0)) } + [nil]
        let values = settings.map { UnsafePointer<CChar>(strdup($0.1)) } + [nil]
        defer { for text in names + values { free(UnsafeMutablePointer(mutating: text)) } }
        guard let opened = PQconnectdbParams(names, values, 1) else {
            throw PostgreSQLError(state: "", message: "There is no memory for a connection.")
        }
        handle = opened
        PQsetNoticeProcessor(handle, { _, _ in }, nil)
        guard PQstatus(handle) == CONNECTION_OK else { throw lost() }
        // The idle timeout keeps a frozen collector from blocking others' appends. A stricter `synchronous_commit` than
        // `on` is kept. JIT compilation takes longer than our queries.
        try run(
            """
            SET standard_conforming_strings = on; SET timezone = 'UTC'; SET datestyle = 'ISO, YMD';
            SET intervalstyle = 'iso_8601'; SET extra_float_digits = 1; SET bytea_output = 'hex';
            SET client_min_messages = warning; SET idle_in_transaction_session_timeout = '30s';
            SET jit = off;
            SELECT set_config('synchronous_commit', 'on', false)
            WHERE current_setting('synchronous_commit') IN ('off', 'local')
            """)
    }

    deinit { PQfinish(handle) }

    /// Whether a statement can be run.
    var isUsable: Bool { PQstatus(handle) == CONNECTION_OK && PQtransactionStatus(handle) == PQTRANS_IDLE }

    /// Cancels the running statement from another thread.
    var stopper: PostgreSQLStopper? { PQgetCancel(handle).map(PostgreSQLStopper.init) }

    /// Runs statements, separated by semicolons.
    /// - Returns: a result for each.
    /// - Throws: the first statement's ``PostgreSQLError``; later ones did not run.
    @discardableResult
    func run(_ sql: String) throws(PostgreSQLError) -> [PostgreSQLResult] {
        guard PQsendQuery(handle, sql) == 1 else { throw lost() }
        var results: [PostgreSQLResult] = []
        try forEachResult { results.append($0) }
        return results
    }

    /// Runs one statement and streams its rows; the server refuses more than one.
    /// - Parameter each: gets a result of at most one row; returns whether to continue.
    func stream(_ sql: String, _ each: (PostgreSQLResult) -> Bool) throws(PostgreSQLError) {
        guard PQsendQueryParams(handle, sql, 0, nil, nil, nil, nil, 0) == 1 else { throw lost() }
        PQsetSingleRowMode(handle)
        var isWanted = true
        var isStopped = false
        do throws(PostgreSQLError) {
            try forEachResult { result in
                if isWanted {
                    isWanted = each(result)
                } else if !isStopped, result.count > 0 {
                    // Cancel only while rows are coming, never the connection's next statement.
                    isStopped = true
                    stopper?.stop()
                }
            }
        } catch {
            // Our own cancellation.
            guard isStopped, error.isStopped else { throw error }
        }
    }

    /// Sends the bytes of a `COPY … FROM STDIN`.
    /// - Returns: the number of rows copied.
    func copy(_ sql: String, _ bytes: [UInt8]) throws(PostgreSQLError) -> Int {
        let start = PQexec(handle, sql).map(PostgreSQLResult.init)
        guard let start, start.status == PGRES_COPY_IN else { throw start?.error ?? lost() }
        let isSent = bytes.withUnsafeBytes { buffer in
            // libpq takes an `int`; pieces of 1 MiB also keep its buffer small.
            stride(from: 0, to: buffer.count, by: 1 << 20).allSatisfy { offset in
                let piece = UnsafeRawBufferPointer(rebasing: buffer[offset..<min(offset + 1 << 20, buffer.count)])
                return PQputCopyData(handle, piece.bindMemory(to: CChar.self).baseAddress, Int32(piece.count)) == 1
            }
        }
        guard isSent, PQputCopyEnd(handle, nil) == 1 else { throw lost() }
        var rows = 0
        try forEachResult { rows += $0.changes }
        return rows
    }

    /// Streams the rows of a `COPY … TO STDOUT (FORMAT binary)`.
    /// - Throws: what `each` throws as well; then the connection is not usable any more.
    func copy(_ sql: String, _ each: (CopiedRow) throws(PostgreSQLError) -> Void) throws(PostgreSQLError) {
        let start = PQexec(handle, sql).map(PostgreSQLResult.init)
        guard let start, start.status == PGRES_COPY_OUT else { throw start?.error ?? lost() }
        var (isFirst, isWhole) = (true, false)
        var message: UnsafeMutablePointer<CChar>?
        // The message has so many bytes, and is ours until it is freed.
        while case let count = PQgetCopyData(handle, &message, 0), count > 0 {
            defer { PQfreemem(message) }
            if let row = try CopiedRow(UnsafeRawBufferPointer(start: message, count: Int(count)), isFirst: isFirst) {
                try each(row)
            } else {
                isWhole = true
            }
            isFirst = false
        }
        try forEachResult { _ in }
        // Whatever ended it early, its rows are not all.
        if !isWhole { throw lost() }
    }

    /// Rolls back, and releases session locks. If that fails, the connection is unusable, and the server rolls back
    /// itself.
    func rollBack() { _ = try? run("ROLLBACK; SELECT pg_advisory_unlock_all()") }

    /// Takes all results, so that the connection is free again.
    private func forEachResult(_ body: (PostgreSQLResult) -> Void) throws(PostgreSQLError) {
        var failure: PostgreSQLError?
        while let result = PQgetResult(handle).map(PostgreSQLResult.init) {
            switch result.status {
            case PGRES_FATAL_ERROR, PGRES_BAD_RESPONSE, PGRES_NONFATAL_ERROR:
                failure = failure ?? (PQstatus(handle) == CONNECTION_OK ? result.error : lost(result.error.state))
            case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
                // Results of a COPY never end; the console refuses COPY, and nothing else starts one here.
                throw PostgreSQLError(state: "0A000", message: "COPY is not possible here.")
            default: body(result)
            }
        }
        if let failure { throw failure }
        if PQstatus(handle) != CONNECTION_OK { throw lost() }
    }

    private static func text(_ text: UnsafeMutablePointer<CChar>?) -> String { text.map { String(cString: $0) } ?? "" }

    private func lost(_ state: String = "") -> PostgreSQLError {
        let (host, database) = ([PQhost(handle), PQport(handle)].map { Self.text($0) }, Self.text(PQdb(handle)))
        // Unknown if the address itself is invalid.
        let place = database.isEmpty ? "" : " at \(host.joined(separator: ":")), database \(database),"
        let reason = String(cString: PQerrorMessage(handle)).split { $0.isNewline || $0 == "\t" }.joined(separator: " ")
        return PostgreSQLError(
            state: state.hasPrefix("57P") ? state : "",
            message: "PostgreSQL\(place) cannot be reached: \(reason)")
    }
}

/// Cancels the running statement of a connection.
///
/// Unchecked because libpq documents `PQcancel` as thread-safe; the handle is immutable and freed at the end.
final class PostgreSQLStopper: @unchecked Sendable {
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) { self.handle = handle }

    deinit { PQfreeCancel(handle) }

    /// Blocks until the server has the request.
    func stop() {
        var reason = [CChar](repeating: 0, count: 256)
        _ = PQcancel(handle, &reason, Int32(reason.count))
    }
}

/// The result of one statement, in text format. Confined to one thread at a time.
final class PostgreSQLResult: AnsweredRows {
    private let handle: OpaquePointer

    /// Takes ownership.
    init(_ handle: OpaquePointer) { self.handle = handle }

    deinit { PQclear(handle) }

    var status: ExecStatusType { PQresultStatus(handle) }
    var count: Int { Int(PQntuples(handle)) }
    var columns: [String] { (0..<PQnfields(handle)).map { String(cString: PQfname(handle, $0)) } }

    /// Rows read or changed.
    var changes: Int { Int(String(cString: PQcmdTuples(handle))) ?? 0 }

    /// The column's type OID.
    func type(_ column: Int) -> UInt32 { PQftype(handle, Int32(column)) }

    /// `nil` for NULL.
    func text(_ row: Int, _ column: Int) -> String? {
        guard PQgetisnull(handle, Int32(row), Int32(column)) == 0 else { return nil }
        return bytes(row, column) { String(streamSafe: $0) }
    }

    func json(_ row: Int, _ column: Int) -> String { bytes(row, column, PostgreSQLJSON.text) }

    /// The result owns the bytes until it is freed, so they are valid while `body` runs.
    func bytes<Value>(_ row: Int, _ column: Int, _ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        let count = Int(PQgetlength(handle, Int32(row), Int32(column)))
        return body(UnsafeRawBufferPointer(start: PQgetvalue(handle, Int32(row), Int32(column)), count: count))
    }

    var error: PostgreSQLError {
        func field(_ letter: Character) -> String? {
            PQresultErrorField(handle, Int32(letter.asciiValue ?? 0)).map { String(cString: $0) }
        }
        let message = "PostgreSQL: " + (field("M") ?? String(cString: PQresultErrorMessage(handle)))
        return PostgreSQLError(
            state: field("C") ?? "", message: message, position: field("P").flatMap { Int($0) }, hint: field("H"))
    }
}

struct PostgreSQLError: Error {
    /// SQLSTATE; empty if the connection failed. Source: PostgreSQL, *Appendix A, Error Codes*.
    var state: String
    /// The character of the statement, from 1.
    var position: Int?
    private let text: String
    private let hint: String?
    /// An error that we detected ourselves, reported as is.
    private var own: StoreError?

    init(_ own: StoreError) {
        self.init(state: "2F000", message: own.message)
        self.own = own
    }

    init(state: String, message: String, position: Int? = nil, hint: String? = nil) {
        (self.state, text, self.position, self.hint) = (state, message, position, hint)
    }

    /// One line.
    var message: String {
        let place = position.map { " (at character \($0))" } ?? ""
        return (text + place + (hint.map { ". \($0)" } ?? "")).split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    /// Whether the connection is lost, with the statement's outcome unknown. 08P01 is excluded, because a statement
    /// with `$1` also causes it.
    var isLoss: Bool { state.isEmpty || state.hasPrefix("08") && state != "08P01" || state.hasPrefix("57P") }
    /// Whether a timeout or we cancelled the statement.
    var isStopped: Bool { state == "57014" }

    /// For our own statements: a bad statement means a bad store.
    var ofStore: StoreError {
        let error = ofStatement
        return own == nil && error.code == .badStatement ? StoreError(.storage, message) : error
    }

    /// For the author of the statement.
    var ofStatement: StoreError {
        if let own { return own }
        if isLoss || state.hasPrefix("40") { return StoreError(.unavailable, message) }
        if isStopped { return StoreError(.limit, message) }
        if state.hasPrefix("53") || state.hasPrefix("58") || state.hasPrefix("XX") {
            return StoreError(.storage, message)
        }
        return StoreError(.badStatement, message)
    }
}
