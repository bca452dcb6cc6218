import DaybookBase
import DaybookStore
import Foundation

/// The tables of a ClickHouse store, and their version; see docs/guides/stores.md.
struct ClickHouseSchema {
    /// Increased with every schema change.
    static let version: Int64 = 6

    let dialect: ClickHouseDialect
    private let tables: ClickHouseTables

    init(_ address: ClickHouseAddress, _ dialect: ClickHouseDialect) {
        tables = ClickHouseTables(address)
        self.dialect = dialect
    }

    /// The DDL for a node's tables and views, in this order.
    var makers: [(name: String, statement: String)] { tableMakers + overviewMakers }

    /// DDL for tables with rows, and for the view that fills one of them.
    private var tableMakers: [(name: String, statement: String)] {
        [
            (
                "daybook_schema",
                "CREATE TABLE IF NOT EXISTS daybook_schema(version Int64) ENGINE = MergeTree ORDER BY version"
            ),
            ("stored_records", records), ("claims", claims), ("contests", contests), ("tag_counts", tagCounts),
            ("tag_counter", tagCounter), ("event_views", eventViews),
        ]
    }

    /// DDL for tables and views without rows of their own.
    private var overviewMakers: [(name: String, statement: String)] {
        ["stored_records", "claims", "contests", "tag_counts"].compactMap { name in
            tables.distributed(name).map { ("all_\(name)", $0) }
        } + ClickHouseViewSchema(tables).makers
    }

    private var contests: String {
        """
        CREATE TABLE IF NOT EXISTS contests(
            stream String, sequence Int64, uid String, id Int64, commit String)
        ENGINE = \(tables.engine("MergeTree", of: "contests")) ORDER BY (stream, sequence, id)\(durable)
        """
    }

    private var tagCounts: String {
        """
        CREATE TABLE IF NOT EXISTS tag_counts(
            tag_name String, tag_kind String, app_version String, first_seen AggregateFunction(min, Int64),
            last_seen AggregateFunction(max, Int64))
        ENGINE = \(tables.engine("AggregatingMergeTree", of: "tag_counts"))
        ORDER BY (tag_name, tag_kind, app_version)\(durable)
        """
    }

    private var tagCounter: String {
        """
        CREATE MATERIALIZED VIEW IF NOT EXISTS tag_counter TO tag_counts AS SELECT
            tag AS tag_name, toString(kind) AS tag_kind, ifNull(version, '') AS app_version,
            minState(\(ClickHouseTables.countedTime)) AS first_seen, maxState(\(ClickHouseTables.countedTime)) AS last_seen
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

    /// Records by arrival number; twice if a collector died in between.
    private var records: String {
        """
        CREATE TABLE IF NOT EXISTS stored_records(
            id Int64, uid String, time Int64, kind \(dialect.fewTexts), level Int16, tag \(dialect.fewTexts),
            message Nullable(String), module \(dialect.fewOptionalTexts), attributes \(dialect.longText),
            context \(dialect.longText), session \(dialect.fewOptionalTexts), installation \(dialect.fewOptionalTexts),
            trace_id Nullable(String), span_id Nullable(String), parent_span_id Nullable(String),
            duration Nullable(Int64), file \(dialect.fewOptionalTexts), function \(dialect.fewOptionalTexts),
            line Nullable(Int64), version \(dialect.fewOptionalTexts), device \(dialect.fewOptionalTexts),
            arrived Int64\(indexes))
        ENGINE = \(tables.engine("MergeTree", of: "stored_records"))
        PARTITION BY intDiv(id, 100000000) ORDER BY id\(durable)
        """
    }

    /// What each commit is about to store of a stream (`done` 0), what it has stored and settled (`done` 1), or that it
    /// gave up (`done` 2).
    private var claims: String {
        let index = dialect == .today ? ", INDEX by_time at TYPE minmax, INDEX by_id last_id TYPE minmax" : ""
        return """
            CREATE TABLE IF NOT EXISTS claims(
                commit String, part UInt32, stream String, lower Int64, upper Int64, afters Array(Int64), throughs Array(Int64),
                sequences Array(Int64), first_id Int64, last_id Int64, received Int64, kept Int64,
                told_sender Nullable(String), told_installation Nullable(String), told_version Nullable(String),
                reasons Array(String), lost Array(Int64), done UInt8, at DateTime DEFAULT now()\(index))
            ENGINE = \(tables.engine("ReplacingMergeTree", of: "claims", version: "done"))
            ORDER BY (stream, lower, commit, part)\(durable)
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

    /// Inserts are on disk when they return.
    private var durable: String {
        dialect == .today ? " SETTINGS fsync_after_insert = 1, fsync_part_directory = 1" : ""
    }

    /// Creates missing tables, migrates older ones, and refuses newer ones.
    /// - Returns: the address with the detected cluster, the server's dialect, and the store's identity.
    /// - Throws: ``StoreError``, `unavailable`.
    static func prepare(
        _ address: ClickHouseAddress, access: StoreAccess
    ) throws(StoreError) -> (address: ClickHouseAddress, dialect: ClickHouseDialect, identity: String) {
        var tries = address.nodes.count
        while true {
            do throws(ClickHouseError) {
                return try connect(address, access)
            } catch {
                // The next attempt skips a node that died meanwhile.
                tries -= 1
                if error.isAway, tries > 0 { continue }
                throw StoreError(
                    .unavailable,
                    error.isMissing
                        ? "There is no Daybook store in \(address). Create the database on each node "
                            + "(CREATE DATABASE \(address.database)), and begin with `daybook serve`."
                        : error.message)
            }
        }
    }

    private static func connect(
        _ named: ClickHouseAddress, _ access: StoreAccess
    ) throws(ClickHouseError) -> (address: ClickHouseAddress, dialect: ClickHouseDialect, identity: String) {
        var address = named
        address.hasReplicas = try ClickHouseTopology.check(ClickHouseSession(address: address))
        let session = ClickHouseSession(address: address)
        let dialect = ClickHouseDialect(version: try session.rows("SELECT version()").rows.text(0, 0) ?? "")
        if access == .readWrite { try make(ClickHouseSchema(address, dialect), session) }
        if address.hasReplicas { try ClickHouseTopology.checkReplicas(session) }
        let found = try session.rows("SELECT max(version) FROM daybook_schema").rows.integer(0, 0)
        guard found == version else { throw refusal(of: found) }
        return (address, dialect, access == .readWrite ? try identity(session) : "")
    }

    /// The store's identity, created if there is none: the first node that has it, or is reached, passes it to the
    /// others. It is a view, because the server lets only one of several concurrent collectors create it.
    private static func identity(_ session: ClickHouseSession) throws(ClickHouseError) -> String {
        var known = ""
        let kept = { (node: ClickHouseAddress.Node) throws(ClickHouseError) in
            guard try present(on: node, session).names.contains("identity") else { return "" }
            return try session.rows("SELECT store FROM identity", on: node).text(0, 0) ?? ""
        }
        try session.onEachNode { node throws(ClickHouseError) in if known.isEmpty { known = try kept(node) } }
        try session.onEachNode { node throws(ClickHouseError) in
            if try kept(node).isEmpty {
                let identity = known.isEmpty ? StoreKey.newIdentity() : known
                try make(
                    ("identity", "CREATE VIEW IF NOT EXISTS identity AS SELECT '\(identity)' AS store"), node, session)
            }
            // Read back whichever collector's was created.
            if known.isEmpty { known = try kept(node) }
        }
        guard !known.isEmpty else {
            throw .unusable("The view `identity` in ClickHouse has no key of the store. Put it back from another node.")
        }
        return known
    }

    private static func refusal(of found: Int64) -> ClickHouseError {
        .unusable(
            "The tables in ClickHouse have version \(found), and this Daybook knows version \(version). "
                + (found < version
                    ? "Open them for writing once, with `daybook serve`, to bring them up to date."
                    : "Use the Daybook that made them, or a newer one."))
    }

    private static func make(_ schema: ClickHouseSchema, _ session: ClickHouseSession) throws(ClickHouseError) {
        // If any node is newer, change none.
        try session.onEachNode { node throws(ClickHouseError) in
            let found = try present(on: node, session).version
            if found > version { throw refusal(of: found) }
        }
        try session.onEachNode { node throws(ClickHouseError) in
            // Skip existing tables: even a no-op `CREATE` takes time.
            var (names, found) = try present(on: node, session)
            // Tables without a version are being made by another collector, or were left unfinished.
            if found > 0, found < version {
                try bringUpToDate(schema, node, session)
                names.subtract(schema.overviewMakers.map(\.name))
            }
            for maker in schema.makers where !names.contains(maker.name) {
                try make(maker, node, session)
            }
            if found < version { try session.run("INSERT INTO daybook_schema VALUES (\(version))", on: node) }
        }
    }

    /// Creates a table or view, unless another collector is doing so.
    private static func make(
        _ maker: (name: String, statement: String), _ node: ClickHouseAddress.Node, _ session: ClickHouseSession
    ) throws(ClickHouseError) {
        let end = ContinuousClock.now + patience
        while true {
            do throws(ClickHouseError) {
                return try session.run(maker.statement, on: node)
            } catch {
                guard error.isThere, ContinuousClock.now < end else { throw error }
                if try present(on: node, session).names.contains(maker.name) { return }
            }
            Thread.sleep(forTimeInterval: pause / .seconds(1))
        }
    }

    /// How long another collector may take to create a table.
    private static let patience: Duration = .seconds(10)
    private static let pause: Duration = .milliseconds(50)

    /// A node's tables and views, and their version; 0 if there are none.
    private static func present(
        on node: ClickHouseAddress.Node, _ session: ClickHouseSession
    ) throws(ClickHouseError) -> (names: Set<String>, version: Int64) {
        let rows = try session.rows("SELECT name FROM system.tables WHERE database = currentDatabase()", on: node)
        let names = Set((0..<rows.count).compactMap { rows.text($0, 0) })
        guard names.contains("daybook_schema") else { return (names, 0) }
        return (names, try session.rows("SELECT max(version) FROM daybook_schema", on: node).integer(0, 0))
    }

    /// Migrates older tables, and drops everything without rows so that it is recreated: the views `tags`, `sessions`
    /// and `repeats` counted differently, and distributed tables had another sharding key. Safe to repeat after an
    /// interruption. The view that fills `tag_counts` stays, so that it misses no arrivals: it counts the times records
    /// claim, which `tags` ignores. (The column `arrivals` of version 1 is no longer read.)
    private static func bringUpToDate(
        _ schema: ClickHouseSchema, _ node: ClickHouseAddress.Node, _ session: ClickHouseSession
    ) throws(ClickHouseError) {
        for maker in schema.overviewMakers.reversed() {
            try session.run("DROP TABLE IF EXISTS \(maker.name)", on: node)
        }
        // The uid of a stream's record is the stream and the number.
        try add(
            "uid String DEFAULT concat(stream, '-', toString(sequence)) AFTER sequence", to: "contests", node, session)
        // Existing rows arrived by now; negative, because the exact time is unknown.
        try add("arrived Int64 DEFAULT \(-PipelineClock.system.wall())", to: "stored_records", node, session)
    }

    /// Adds a missing column without touching rows.
    private static func add(
        _ column: String, to table: String, _ node: ClickHouseAddress.Node, _ session: ClickHouseSession
    ) throws(ClickHouseError) {
        let columns = try session.rows(
            "SELECT name FROM system.columns WHERE database = currentDatabase() AND table = '\(table)'", on: node)
        let names = (0..<columns.count).compactMap { columns.text($0, 0) }
        guard let name = column.split(separator: " ").first, !names.isEmpty, !names.contains(String(name)) else {
            return
        }
        try session.run("ALTER TABLE \(table) ADD COLUMN \(column)", on: node)
    }
}

/// A server's capabilities, by version.
///
/// Supported is `today` (22.3 and later). `old` covers the servers that Linux distributions package: same results,
/// slower, but without typed views.
enum ClickHouseDialect: Sendable {
    case today, old

    /// - Parameter version: such as `26.9.1.1` or `18.16.1`.
    init(version: String) {
        let numbers = version.split(separator: ".").prefix(2).map { Int($0) ?? 0 }
        self = (numbers.first ?? 0, numbers.dropFirst().first ?? 0) >= (22, 3) ? .today : .old
    }

    /// For texts with few distinct values.
    fileprivate var fewTexts: String { self == .today ? "LowCardinality(String)" : "String" }
    fileprivate var fewOptionalTexts: String {
        self == .today ? "LowCardinality(Nullable(String))" : "Nullable(String)"
    }
    fileprivate var longText: String { self == .today ? "String CODEC(ZSTD(1))" : "String" }

    /// Settings for writes: respond once the table has the rows.
    var writing: [(String, String)] { self == .today ? [("async_insert", "0")] : [] }

    /// Settings for reads: cancel when the client disconnects.
    var reading: [(String, String)] {
        self == .today ? [("cancel_http_readonly_queries_on_client_close", "1")] : []
    }
}
