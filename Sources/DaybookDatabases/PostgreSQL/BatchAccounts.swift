import DaybookBase
import DaybookStore
import DaybookTools

/// What a commit's batches add to the accounts. Pure.
struct BatchAccounts {
    struct Account {
        var sender: String?
        var installation: String?
        var version: String?
        var stored: Int64 = 0
        var duplicates: Int64 = 0
    }

    struct LossKey: Hashable {
        var sender: String
        var reason: String
    }

    private(set) var tags = TagCounts()
    private(set) var sessions: [String: SessionSummary] = [:]
    private(set) var streams: [String: Account] = [:]
    private(set) var losses: [LossKey: Int64] = [:]
    /// The loss reasons of each sender that the store has.
    var reasons: [String: Set<String>] = [:]
    private var contexts = ContextFieldsCache()

    mutating func add(_ row: RecordRow, arrived: Int64) {
        let fields = contexts.fields(of: row.context)
        if let session = row.session {
            sessions[session, default: SessionSummary(emptyFor: session)].add(
                time: PlausibleTime.counted(row.time, arrived: arrived), level: Int64(row.level),
                installation: row.installation, fields: fields)
        }
        // The table stores an absent version as an empty text; merge both here, too.
        tags.add(
            row, version: (fields.version ?? "").cut(toUTF8Bytes: PostgreSQLSchema.keyBytes), arrived: arrived)
    }

    /// Counts the result of a batch with an origin.
    mutating func add(_ batch: RecordBatch, _ result: AppendResult, of origin: RecordBatch.Origin) {
        let identity = StreamIdentity(batch)
        var account = streams[origin.stream] ?? Account()
        account.sender = account.sender ?? batch.losses?.sender
        account.installation = account.installation ?? identity.installation
        account.version = account.version ?? identity.version
        account.stored += Int64(result.stored)
        account.duplicates += Int64(result.duplicates)
        streams[origin.stream] = account
        guard let report = batch.losses else { return }
        for (reason, count) in report.kept(besides: &reasons[report.sender, default: []]) {
            let key = LossKey(sender: report.sender, reason: reason.cut(toUTF8Bytes: PostgreSQLSchema.keyBytes))
            losses[key] = max(losses[key] ?? count, count)
        }
    }
}

extension RecordRow {
    /// The row with index key texts cut to their limit.
    var cutToKeys: RecordRow {
        let limit = PostgreSQLSchema.keyBytes
        guard tag.utf8.count > limit || (session?.utf8.count ?? 0) > limit else { return self }
        var row = self
        row.tag = tag.cut(toUTF8Bytes: limit)
        row.session = session?.cut(toUTF8Bytes: limit)
        return row
    }
}

extension RecordFilter {
    /// The filter with session and tag cut like those of stored rows; patterns stay.
    var cutToKeys: RecordFilter {
        mapped { term in
            guard case .field(let field, .text(let text)) = term, field == .tag || field == .session else {
                return term
            }
            return .field(field, .text(text.cut(toUTF8Bytes: PostgreSQLSchema.keyBytes)))
        }
    }
}

/// Statements that update the accounts.
enum PostgreSQLAccounts {
    private typealias Literal = PostgreSQLLiteral

    static func replacing(_ old: IntervalSet, with new: IntervalSet, of stream: String) -> [PostgreSQLChange] {
        let gone = old.intervals(notIn: new).map { "\($0.after)" }
        let added = new.intervals(notIn: old)
            .map { "(\(Literal.text(stream)), \($0.after), \($0.through))" }
        var statements: [PostgreSQLChange] = []
        if !gone.isEmpty {
            let list = gone.joined(separator: ",")
            statements.append(
                PostgreSQLChange(
                    "DELETE FROM streams WHERE stream = \(Literal.text(stream)) AND after IN (\(list))",
                    rows: gone.count))
        }
        if !added.isEmpty {
            statements.append(
                PostgreSQLChange("INSERT INTO streams VALUES \(added.joined(separator: ","))", rows: added.count))
        }
        return statements
    }

    static func statements(for accounts: BatchAccounts) -> [PostgreSQLChange] {
        [tags(accounts), sessions(accounts), ledger(accounts), losses(accounts)].compactMap { $0 }
    }

    /// Adds to a count; clamps first, so that the sum cannot overflow.
    private static func grown(_ table: String, _ column: String) -> String {
        "\(column) = least(greatest(\(table).\(column), 0), \(StoredNumber.largest)) + excluded.\(column)"
    }

    /// ``PlausibleTime/first(_:_:)``.
    private static func first(_ table: String) -> String {
        let earliest = PlausibleTime.earliest
        return """
            first_time = CASE WHEN (\(table).first_time < \(earliest)) = (excluded.first_time < \(earliest))
                THEN least(\(table).first_time, excluded.first_time)
                ELSE greatest(\(table).first_time, excluded.first_time) END
            """
    }

    private static func tags(_ accounts: BatchAccounts) -> PostgreSQLChange? {
        insertion(
            "tags",
            accounts.tags.summaries.map { tag in
                [
                    Literal.text(tag.tag), Literal.text(tag.kind), Literal.text(tag.version ?? ""), "\(tag.count)",
                    Literal.integer(tag.firstTime), Literal.integer(tag.lastTime),
                ]
            },
            "(tag, kind, version) DO UPDATE SET \(tagGrowth)")
    }

    private static let tagGrowth = """
        \(grown("tags", "count")),
        \(first("tags")),
        last_time = greatest(tags.last_time, excluded.last_time)
        """

    /// Reduces the table `tags` to its limit.
    static func folding(_ names: NameBound) -> [String] {
        NameFolding.statements(
            names, sum: "least(sum(count), \(StoredNumber.largest))::bigint", growth: tagGrowth)
    }

    private static func sessions(_ accounts: BatchAccounts) -> PostgreSQLChange? {
        // Of records with equal times, the last arrival wins.
        let latest = ["installation", "version", "device"].map { column in
            "\(column) = CASE WHEN excluded.last_time >= sessions.last_time THEN excluded.\(column) "
                + "ELSE sessions.\(column) END"
        }
        return insertion(
            "sessions",
            accounts.sessions.values.map { session in
                [
                    Literal.text(session.session), Literal.text(session.installation), Literal.text(session.version),
                    Literal.text(session.device), "\(session.count)", "\(session.errors)",
                    Literal.integer(session.firstTime), Literal.integer(session.lastTime),
                ]
            },
            """
            (session) DO UPDATE SET \(latest.joined(separator: ", ")), \(grown("sessions", "count")),
            \(grown("sessions", "errors")),
            \(first("sessions")),
            last_time = greatest(sessions.last_time, excluded.last_time)
            """)
    }

    private static func ledger(_ accounts: BatchAccounts) -> PostgreSQLChange? {
        insertion(
            "ledger",
            accounts.streams.map { stream, account in
                [
                    Literal.text(stream), Literal.text(account.sender), Literal.text(account.installation),
                    Literal.text(account.version), "\(account.stored)", "\(account.duplicates)",
                ]
            },
            """
            (stream) DO UPDATE SET sender = coalesce(ledger.sender, excluded.sender),
            installation = coalesce(ledger.installation, excluded.installation),
            version = coalesce(ledger.version, excluded.version), \(grown("ledger", "stored")),
            \(grown("ledger", "duplicates"))
            """)
    }

    private static func losses(_ accounts: BatchAccounts) -> PostgreSQLChange? {
        insertion(
            "losses",
            accounts.losses.map { [Literal.text($0.key.sender), Literal.text($0.key.reason), "\($0.value)"] },
            "(sender, reason) DO UPDATE SET count = greatest(losses.count, excluded.count)")
    }

    private static func insertion(_ table: String, _ rows: [[String]], _ conflict: String) -> PostgreSQLChange? {
        if rows.isEmpty { return nil }
        let list = rows.map { "(" + $0.joined(separator: ",") + ")" }.joined(separator: ",")
        return PostgreSQLChange("INSERT INTO \(table) VALUES \(list) ON CONFLICT \(conflict)", rows: rows.count)
    }

    /// Recomputes sessions from their remaining records.
    static func summing(sessions: Set<String>) -> [String] {
        if sessions.isEmpty { return [] }
        let list = Literal.list(sessions.sorted())
        func latest(_ value: String) -> String { "(array_agg(\(value) ORDER BY counted DESC, id DESC))[1]" }
        let device =
            "coalesce(daybook_text(context, 'device.model.name'), daybook_text(context, 'device.model.identifier'))"
        return [
            "DELETE FROM sessions WHERE session IN (\(list))",
            """
            INSERT INTO sessions SELECT session, \(latest("installation")), \(latest("daybook_version(context)")),
                \(latest(device)), count(*), count(*) FILTER (WHERE level >= 17),
                coalesce(min(counted) FILTER (WHERE counted >= \(PlausibleTime.earliest)), min(counted)), max(counted)
            FROM (
                SELECT r.*, \(counted) AS counted
                FROM records AS r
                LEFT JOIN LATERAL (
                    SELECT time FROM arrival_times WHERE id <= r.id ORDER BY id DESC LIMIT 1) AS mark ON TRUE
                CROSS JOIN (SELECT min(time) AS time FROM arrival_times) AS first
                WHERE r.session IN (\(list))) AS counted_records
            GROUP BY session
            """,
        ]
    }

    /// ``PlausibleTime/counted(_:arrived:)`` of a record `r`, by its `mark` or the `first` one.
    private static let counted = """
        CASE WHEN coalesce(mark.time, first.time) >= \(PlausibleTime.earliest)
            AND r.time >= coalesce(mark.time, first.time) + \(PlausibleTime.tolerance)
            THEN coalesce(mark.time, first.time) ELSE r.time END
        """
}
