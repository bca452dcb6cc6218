import DaybookStore

/// The tables of a store in a ClickHouse database, and their version. They are described in docs/guides/stores.md.
struct ClickHouseSchema {
    /// Raised with every change of the tables.
    static let version: Int64 = 2

    let dialect: ClickHouseDialect
    private let tables: ClickHouseTables

    init(_ address: ClickHouseAddress, _ dialect: ClickHouseDialect) {
        tables = ClickHouseTables(address)
        self.dialect = dialect
    }

    /// What makes the tables and views of a node, by name and in this order.
    var makers: [(name: String, statement: String)] {
        let makers: [(String, String?)] = [
            (
                "daybook_schema",
                "CREATE TABLE IF NOT EXISTS daybook_schema(version Int64) ENGINE = MergeTree ORDER BY version"
            ),
            ("stored_records", records),
            ("all_stored_records", tables.distributed("stored_records")),
            ("claims", claims), ("all_claims", tables.distributed("claims")),
            ("contests", contests), ("all_contests", tables.distributed("contests")),
            ("tag_counts", tagCounts), ("all_tag_counts", tables.distributed("tag_counts")),
            ("tag_counter", tagCounter), ("event_views", eventViews),
        ]
        return makers.compactMap { name, statement in statement.map { (name, $0) } }
            + ClickHouseViewSchema(tables).makers
    }

    private var contests: String {
        """
        CREATE TABLE IF NOT EXISTS contests(
            stream String, sequence Int64, uid String, id Int64, commit String)
        ENGINE = MergeTree ORDER BY (stream, sequence, id)\(durable)
        """
    }

    private var tagCounts: String {
        """
        CREATE TABLE IF NOT EXISTS tag_counts(
            tag_name String, tag_kind String, app_version String, first_seen AggregateFunction(min, Int64),
            last_seen AggregateFunction(max, Int64))
        ENGINE = AggregatingMergeTree ORDER BY (tag_name, tag_kind, app_version)\(durable)
        """
    }

    private var tagCounter: String {
        """
        CREATE MATERIALIZED VIEW IF NOT EXISTS tag_counter TO tag_counts AS SELECT
            tag AS tag_name, toString(kind) AS tag_kind, ifNull(version, '') AS app_version,
            minState(time) AS first_seen, maxState(time) AS last_seen
        FROM stored_records WHERE kind IN ('message', 'error', 'event')
        GROUP BY tag_name, tag_kind, app_version
        """
    }

    private var eventViews: String {
        """
        CREATE TABLE IF NOT EXISTS event_views(name String, statement String, number Int64)
        ENGINE = ReplacingMergeTree ORDER BY (name, number)\(durable)
        """
    }

    /// What came, in the order of its arrival numbers, each row once or, after a collector's death, twice.
    private var records: String {
        """
        CREATE TABLE IF NOT EXISTS stored_records(
            id Int64, uid String, time Int64, kind \(dialect.fewTexts), level Int16, tag \(dialect.fewTexts),
            message Nullable(String), module \(dialect.fewOptionalTexts), attributes \(dialect.longText),
            context \(dialect.longText), session \(dialect.fewOptionalTexts), installation \(dialect.fewOptionalTexts),
            trace_id Nullable(String), span_id Nullable(String), parent_span_id Nullable(String),
            duration Nullable(Int64), file \(dialect.fewOptionalTexts), function \(dialect.fewOptionalTexts),
            line Nullable(Int64), version \(dialect.fewOptionalTexts), device \(dialect.fewOptionalTexts)\(indexes))
        ENGINE = MergeTree PARTITION BY intDiv(id, 100000000) ORDER BY id\(durable)
        """
    }

    /// What each commit is about to store of a stream (`done` 0), and what it has stored and settled (`done` 1), or that it
    /// was given up (`done` 2).
    private var claims: String {
        let index = dialect == .today ? ", INDEX by_time at TYPE minmax, INDEX by_id last_id TYPE minmax" : ""
        return """
            CREATE TABLE IF NOT EXISTS claims(
                commit String, part UInt32, stream String, lower Int64, upper Int64, afters Array(Int64), throughs Array(Int64),
                sequences Array(Int64), first_id Int64, last_id Int64, received Int64, kept Int64,
                told_sender Nullable(String), told_installation Nullable(String), told_version Nullable(String),
                reasons Array(String), lost Array(Int64), done UInt8, at DateTime DEFAULT now()\(index))
            ENGINE = ReplacingMergeTree(done) ORDER BY (stream, lower, commit, part)\(durable)
            """
    }

    private var indexes: String {
        guard dialect == .today else { return "" }
        return """
            ,
            INDEX by_time time TYPE minmax, INDEX by_tag tag TYPE set(1000) GRANULARITY 4,
            INDEX by_uid uid TYPE bloom_filter GRANULARITY 4, INDEX by_session session TYPE bloom_filter GRANULARITY 4,
            INDEX by_installation installation TYPE bloom_filter GRANULARITY 4,
            INDEX by_trace trace_id TYPE bloom_filter GRANULARITY 4
            """
    }

    /// An insert has reached the disk when it is answered.
    private var durable: String {
        dialect == .today ? " SETTINGS fsync_after_insert = 1, fsync_part_directory = 1" : ""
    }

    /// Makes what is missing, and refuses tables of another version.
    /// - Returns: what the servers can do.
    /// - Throws: ``StoreError``, `unavailable`.
    static func prepare(_ session: ClickHouseSession, access: StoreAccess) throws(StoreError) -> ClickHouseDialect {
        do throws(ClickHouseError) {
            let dialect = ClickHouseDialect(version: try session.rows("SELECT version()").rows.text(0, 0) ?? "")
            try checkNodes(session)
            if access == .readWrite { try make(ClickHouseSchema(session.address, dialect), session) }
            let found = try session.rows("SELECT max(version) FROM daybook_schema").rows.integer(0, 0)
            guard found == version else {
                throw unusable(
                    "The tables in ClickHouse have version \(found), and this Daybook knows version \(version). "
                        + "Use the Daybook that made them, or a newer one.")
            }
            return dialect
        } catch {
            throw StoreError(
                .unavailable,
                error.isMissing
                    ? "There is no Daybook store in \(session.address). Make the database on each node "
                        + "(CREATE DATABASE \(session.address.database)), and begin with `daybook serve`."
                    : error.message)
        }
    }

    private static func make(_ schema: ClickHouseSchema, _ session: ClickHouseSession) throws(ClickHouseError) {
        for node in session.address.nodes {
            try bringUpToDate(node, session)
            // A question for all of them: a server takes its time for each table that is to be made, and is there already.
            let found = try session.rows("SELECT name FROM system.tables WHERE database = currentDatabase()", on: node)
            let present = Set((0..<found.count).compactMap { found.text($0, 0) })
            for maker in schema.makers where !present.contains(maker.name) {
                try session.run(maker.statement, on: node)
            }
            if try session.rows("SELECT max(version) FROM daybook_schema", on: node).integer(0, 0) < version {
                try session.run("INSERT INTO daybook_schema VALUES (\(version))", on: node)
            }
        }
    }

    /// Takes away what an older version has otherwise, so that it is made anew.
    private static func bringUpToDate(_ node: ClickHouseAddress.Node, _ session: ClickHouseSession)
        throws(ClickHouseError)
    {
        guard
            try session.rows(
                "SELECT count() FROM system.tables WHERE database = currentDatabase() AND name = 'daybook_schema'",
                on: node
            ).integer(0, 0) > 0
        else { return }
        // The view counted what had arrived, and now counts what is there.
        if try session.rows("SELECT max(version) FROM daybook_schema", on: node).integer(0, 0) == 1 {
            try session.run("DROP TABLE IF EXISTS tags", on: node)
        }
    }

    /// Tables are made on the nodes of the address: it has to name all of them.
    private static func checkNodes(_ session: ClickHouseSession) throws(ClickHouseError) {
        let named = session.address.nodes.count
        guard let cluster = session.address.cluster else {
            guard named > 1 else { return }
            throw unusable("The address names \(named) ClickHouse servers and no cluster. Add ?cluster=NAME.")
        }
        let answer = try session.rows(
            "SELECT count(), max(replica_num) FROM system.clusters WHERE cluster = \(ClickHouseLiteral.text(cluster))"
        ).rows
        let found = answer.integer(0, 0)
        guard found != named else {
            if answer.integer(0, 1) > 1 { try checkReplicas(session) }
            return
        }
        throw unusable(
            found == 0
                ? "The ClickHouse servers know no cluster \(cluster): it has to stand in their remote_servers."
                : "The cluster \(cluster) has \(found) nodes, and the address names \(named). Name each with its HTTP port: "
                    + "clickhouse://HOST:8123,HOST:8123/…")
    }

    /// What is written to one node has to come to the other replicas of its shard: only tables that are made for that see
    /// to it.
    private static func checkReplicas(_ session: ClickHouseSession) throws(ClickHouseError) {
        let names = ["stored_records", "claims", "contests", "tag_counts"]
        for node in session.address.nodes {
            let found = try session.rows(
                "SELECT count() FROM system.tables WHERE database = currentDatabase() "
                    + "AND name IN (\(ClickHouseLiteral.list(names))) AND engine LIKE 'Replicated%'", on: node
            ).integer(0, 0)
            guard found < names.count else { continue }
            throw unusable(
                "The cluster \(session.address.cluster ?? "") has replicas, and the tables in ClickHouse at \(node) are not "
                    + "replicated. Make \(names.joined(separator: ", ")) with Replicated engines first: see "
                    + "\"Replication\" in docs/guides/stores.md.")
        }
    }

    private static func unusable(_ message: String) -> ClickHouseError {
        ClickHouseError(reason: .refused(0), message: message)
    }
}

/// What a server can do, by its version.
///
/// The supported dialect is today's (22.3 and later). The old one is that of the servers which Linux distributions
/// package; it stores and finds the same, slower, and has no functions for the typed views.
enum ClickHouseDialect: Sendable {
    case today, old

    /// - Parameter version: such as `26.9.1.1` or `18.16.1`.
    init(version: String) {
        let numbers = version.split(separator: ".").prefix(2).map { Int($0) ?? 0 }
        self = (numbers.first ?? 0, numbers.dropFirst().first ?? 0) >= (22, 3) ? .today : .old
    }

    /// A text of which there are few different ones.
    fileprivate var fewTexts: String { self == .today ? "LowCardinality(String)" : "String" }
    fileprivate var fewOptionalTexts: String {
        self == .today ? "LowCardinality(Nullable(String))" : "Nullable(String)"
    }
    /// A long text.
    fileprivate var longText: String { self == .today ? "String CODEC(ZSTD(1))" : "String" }

    /// What each statement that writes is sent with: it is answered when the table has the rows.
    var writing: [(String, String)] { self == .today ? [("async_insert", "0")] : [] }

    /// What each question is sent with: it ends when nobody waits for it.
    var reading: [(String, String)] {
        self == .today ? [("cancel_http_readonly_queries_on_client_close", "1")] : []
    }
}

/// The names of a store's tables: of a node's own part, and of the whole.
struct ClickHouseTables: Sendable {
    /// The database's name in quotation marks.
    private let database: String
    private let cluster: String?

    init(_ address: ClickHouseAddress) {
        database = ClickHouseLiteral.text(address.database)
        cluster = address.cluster
    }

    /// All nodes' rows of a table: with a cluster a `Distributed` table, else the table itself. To be read: rows are
    /// written to a node's own table.
    func all(_ table: String) -> String { cluster == nil ? table : "all_\(table)" }

    /// Makes the `Distributed` table over a table; `nil` without a cluster. Its key says that a row can be on any node,
    /// so no question leaves nodes out (`optimize_skip_unused_shards`).
    fileprivate func distributed(_ table: String) -> String? {
        cluster.map { cluster in
            "CREATE TABLE IF NOT EXISTS all_\(table) AS \(table) ENGINE = Distributed("
                + "\(ClickHouseLiteral.text(cluster)), \(database), '\(table)', rand())"
        }
    }

    /// Which rows of `stored_records` are no repeated ones.
    static let isFirst = "id GLOBAL NOT IN (SELECT repeated FROM repeats)"
}
