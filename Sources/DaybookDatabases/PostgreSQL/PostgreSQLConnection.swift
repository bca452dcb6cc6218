import CPostgreSQL
import DaybookStore

/// One connection to a server. Belongs to one thread at a time.
final class PostgreSQLConnection {
    private let handle: OpaquePointer

    /// Connects; blocks for at most ten seconds.
    /// - Throws: ``PostgreSQLError``.
    init(_ address: PostgreSQLAddress) throws(PostgreSQLError) {
        // What the address says comes later and wins.
        // libpq passes over an empty text.
        let settings = [
            ("application_name", "daybook"), ("connect_timeout", "10"), ("keepalives_idle", "30"),
            ("tcp_user_timeout", "30000"), ("dbname", address.server), ("client_encoding", "UTF8"),
            ("user", address.user ?? ""), ("password", address.password ?? ""),
        ]
        let opened = Self.withCStrings(settings.map(\.0)) { names in
            Self.withCStrings(settings.map(\.1)) { values in PQconnectdbParams(names, values, 1) }
        }
        guard let opened else { throw PostgreSQLError(state: "", message: "There is no memory for a connection.") }
        handle = opened
        PQsetNoticeProcessor(handle, { _, _ in }, nil)
        guard PQstatus(handle) == CONNECTION_OK else { throw lost() }
        // A frozen collector must not keep the others from appending. Whoever has asked for more than `on` keeps it. To
        // compile a question takes longer than to answer it.
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

    /// Whether a new statement can be run.
    var isUsable: Bool { PQstatus(handle) == CONNECTION_OK && PQtransactionStatus(handle) == PQTRANS_IDLE }

    /// What stops a running statement from another thread.
    var stopper: PostgreSQLStopper? { PQgetCancel(handle).map(PostgreSQLStopper.init) }

    /// Runs statements, separated by semicolons.
    /// - Returns: a result for each.
    /// - Throws: ``PostgreSQLError`` of the first that failed; those behind it did not run.
    @discardableResult
    func run(_ sql: String) throws(PostgreSQLError) -> [PostgreSQLResult] {
        guard PQsendQuery(handle, sql) == 1 else { throw lost() }
        var results: [PostgreSQLResult] = []
        try forEachResult { results.append($0) }
        return results
    }

    /// Runs one statement and gives its rows one by one; more than one statement is refused by the server.
    /// - Parameter each: given a result of no row or one; returns whether to go on.
    /// - Throws: ``PostgreSQLError``.
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
                    // Only where more comes: a statement that has ended must not have the next one stopped.
                    isStopped = true
                    stopper?.stop()
                }
            }
        } catch {
            // We stopped it ourselves.
            guard isStopped, error.isStopped else { throw error }
        }
    }

    /// Sends the bytes of a `COPY … FROM STDIN`.
    /// - Returns: how many rows the server has taken.
    /// - Throws: ``PostgreSQLError``.
    func copy(_ sql: String, _ bytes: [UInt8]) throws(PostgreSQLError) -> Int {
        let start = PQexec(handle, sql).map(PostgreSQLResult.init)
        guard let start, start.status == PGRES_COPY_IN else { throw start?.error ?? lost() }
        let isSent = bytes.withUnsafeBytes { buffer in
            // libpq takes an `int`; a piece of a MiB also keeps its own buffer small.
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

    /// Ends a transaction without effect, and gives back what was locked for the session. Where that fails too, the
    /// connection is no longer usable, and the server undoes the transaction with it.
    func rollBack() { _ = try? run("ROLLBACK; SELECT pg_advisory_unlock_all()") }

    /// Takes all results; the connection is then free for the next statement.
    private func forEachResult(_ body: (PostgreSQLResult) -> Void) throws(PostgreSQLError) {
        var failure: PostgreSQLError?
        while let result = PQgetResult(handle).map(PostgreSQLResult.init) {
            switch result.status {
            case PGRES_FATAL_ERROR, PGRES_BAD_RESPONSE, PGRES_NONFATAL_ERROR:
                failure = failure ?? (PQstatus(handle) == CONNECTION_OK ? result.error : lost(result.error.state))
            case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
                // Taking results would never end; the console lets no COPY through, and nothing else begins one here.
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
        // None of them is known where the address itself is wrong.
        let place = database.isEmpty ? "" : " at \(host.joined(separator: ":")), database \(database),"
        let reason = String(cString: PQerrorMessage(handle)).split { $0.isNewline || $0 == "\t" }.joined(separator: " ")
        return PostgreSQLError(
            state: state.hasPrefix("57P") ? state : "",
            message: "PostgreSQL\(place) cannot be reached: \(reason)")
    }

    private static func withCStrings<Value>(
        _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Value
    ) -> Value {
        // One block of zero-terminated texts; the pointers are used only while `body` runs.
        let bytes = texts.flatMap { Array($0.utf8CString) }
        return bytes.withUnsafeBufferPointer { buffer in
            var offset = 0
            var pointers: [UnsafePointer<CChar>?] = texts.map { text in
                defer { offset += text.utf8CString.count }
                return buffer.baseAddress.map { $0 + offset }
            }
            pointers.append(nil)
            return pointers.withUnsafeBufferPointer { list in
                // An array with an element has an address.
                body(list.baseAddress.unsafelyUnwrapped)
            }
        }
    }
}

/// Stops the running statement of a connection.
///
/// Unchecked because libpq documents `PQcancel` as safe on any thread; the handle is immutable and freed at the end.
final class PostgreSQLStopper: @unchecked Sendable {
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) { self.handle = handle }

    deinit { PQfreeCancel(handle) }

    /// Blocks until the server has got the request.
    func stop() {
        var reason = [CChar](repeating: 0, count: 256)
        _ = PQcancel(handle, &reason, Int32(reason.count))
    }
}

/// The rows of one statement, in the text format. Belongs to one thread at a time.
final class PostgreSQLResult: AnsweredRows {
    private let handle: OpaquePointer

    /// Takes a result that libpq has given, and frees it at the end.
    init(_ handle: OpaquePointer) { self.handle = handle }

    deinit { PQclear(handle) }

    var status: ExecStatusType { PQresultStatus(handle) }
    var count: Int { Int(PQntuples(handle)) }
    var columns: [String] { (0..<PQnfields(handle)).map { String(cString: PQfname(handle, $0)) } }

    /// How many rows the statement has read or changed.
    var changes: Int { Int(String(cString: PQcmdTuples(handle))) ?? 0 }

    /// The type of a column: PostgreSQL's object identifier.
    func type(_ column: Int) -> UInt32 { PQftype(handle, Int32(column)) }

    /// `nil` for NULL.
    func text(_ row: Int, _ column: Int) -> String? {
        guard PQgetisnull(handle, Int32(row), Int32(column)) == 0 else { return nil }
        return bytes(row, column) { String(streamSafe: $0) }
    }

    func json(_ row: Int, _ column: Int) -> String { bytes(row, column, PostgreSQLJSON.text) }

    /// The result keeps the bytes until it is freed, so they are there while `body` runs.
    func bytes<Value>(_ row: Int, _ column: Int, _ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        let count = Int(PQgetlength(handle, Int32(row), Int32(column)))
        return body(UnsafeRawBufferPointer(start: PQgetvalue(handle, Int32(row), Int32(column)), count: count))
    }

    /// What the server says where the statement failed.
    var error: PostgreSQLError {
        func field(_ letter: Character) -> String? {
            PQresultErrorField(handle, Int32(letter.asciiValue ?? 0)).map { String(cString: $0) }
        }
        let message = "PostgreSQL: " + (field("M") ?? String(cString: PQresultErrorMessage(handle)))
        return PostgreSQLError(
            state: field("C") ?? "", message: message, position: field("P").flatMap { Int($0) }, hint: field("H"))
    }
}

/// What the server, or the way to it, said.
struct PostgreSQLError: Error {
    /// Five characters; empty where the connection failed. Source: PostgreSQL, *Appendix A, Error Codes*.
    var state: String
    /// Which character of the statement it is about, from 1.
    var position: Int?
    private let text: String
    private let hint: String?
    /// What we have found ourselves, as it is to be told.
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

    /// Whether the connection is gone: what was under way may have happened or not. A statement with `$1` is no protocol
    /// violation (08P01) of the connection's.
    var isLoss: Bool { state.isEmpty || state.hasPrefix("08") && state != "08P01" || state.hasPrefix("57P") }
    /// Whether the statement was stopped, by its timeout or by us.
    var isStopped: Bool { state == "57014" }

    /// As an answer where the statement is ours: what is wrong with it is wrong with the store.
    var ofStore: StoreError {
        let error = ofStatement
        return own == nil && error.code == .badStatement ? StoreError(.storage, message) : error
    }

    /// As an answer to whoever wrote the statement.
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
