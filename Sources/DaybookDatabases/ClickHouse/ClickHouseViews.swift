import DaybookStore
import DaybookTools

/// The views that every store has: `records`, and the accounts of its streams.
///
/// Aliases must differ from the columns read: ClickHouse substitutes one for the other.
struct ClickHouseViewSchema {
    private let tables: ClickHouseTables

    init(_ tables: ClickHouseTables) { self.tables = tables }

    var makers: [(name: String, statement: String)] {
        [
            ("repeats", repeats),
            ("records", records),
            ("settled_blocks", settledBlocks),
            ("streams", streams),
            ("stream_gaps", streamGaps),
            ("ledger", ledger),
            ("losses", losses),
            ("completeness", completeness),
            ("tags", tags),
            ("sessions", sessions),
        ].map { name, query in (name, "CREATE VIEW IF NOT EXISTS \(name) AS \(query)") }
    }

    private var records: String {
        "SELECT \(RecordColumn.names) FROM \(tables.all("stored_records")) WHERE \(ClickHouseTables.isFirst)"
    }

    /// Duplicate rows: all but the one with the smallest number. Looks rows up by number and uid, since numbers of a
    /// commit that gave way may be another record's.
    private var repeats: String {
        """
        SELECT arrayJoin(arraySlice(arraySort(groupUniqArray(id)), 2)) AS repeated FROM \(tables.all("contests"))
        WHERE (id, uid) GLOBAL IN (
            SELECT id, uid FROM \(tables.all("stored_records")) WHERE id GLOBAL IN (SELECT id FROM \(tables.all("contests"))))
        GROUP BY stream, sequence
        """
    }

    /// The settled blocks of each stream: the sorted edges of its intervals at which none is open before or after.
    private var settledBlocks: String {
        """
        SELECT stream,
            arrayMap(p -> tupleElement(p, 1), arrayFilter(
                (p, depth) -> depth = 0, points, arrayPushFront(arrayPopBack(depths), toInt64(0)))) AS beginnings,
            arrayMap(p -> tupleElement(p, 1), arrayFilter((p, depth) -> depth = 0, points, depths)) AS endings
        FROM (
            SELECT stream, points, arrayCumSum(p -> toInt64(tupleElement(p, 2)), points) AS depths
            FROM (
                SELECT stream, arraySort(groupArray(edge)) AS points
                FROM (
                    SELECT stream, arrayJoin(arrayConcat(
                        arrayMap(a -> (a, toInt64(-1)), afters), arrayMap(t -> (t, toInt64(1)), throughs))) AS edge
                    FROM \(tables.all("claims")) WHERE done = 1 AND stream != '')
                GROUP BY stream))
        """
    }

    private var streams: String {
        """
        SELECT stream, tupleElement(block, 1) AS after, tupleElement(block, 2) AS through
        FROM (
            SELECT stream, arrayJoin(arrayMap((b, e) -> (b, e), beginnings, endings)) AS block FROM settled_blocks)
        """
    }

    private var streamGaps: String {
        """
        SELECT stream, tupleElement(gap, 1) AS after, tupleElement(gap, 2) AS through,
            tupleElement(gap, 2) - tupleElement(gap, 1) AS missing
        FROM (
            SELECT stream, arrayJoin(arrayMap(
                (e, b) -> (e, b), arrayPopBack(endings), arrayPopFront(beginnings))) AS gap
            FROM settled_blocks WHERE \(StreamOwner.isBelieved()))
        """
    }

    /// Subtracts the duplicates of records that two commits stored, since both counted them.
    private var ledger: String {
        """
        SELECT stream, argMin(told_sender, moment) AS sender, argMin(told_installation, moment) AS installation,
            argMin(told_version, moment) AS version, sum(count_kept) AS stored,
            sum(count_received) - sum(count_kept) AS duplicates
        FROM (
            SELECT stream, told_sender, told_installation, told_version, toInt64(toUInt32(at)) AS moment,
                kept AS count_kept, received AS count_received
            FROM \(tables.all("claims")) WHERE done = 1 AND stream != ''
            UNION ALL
            SELECT stream, CAST(NULL AS Nullable(String)) AS told_sender,
                CAST(NULL AS Nullable(String)) AS told_installation, CAST(NULL AS Nullable(String)) AS told_version,
                toInt64(0) AS moment, toInt64(1) - toInt64(uniqExact(commit)) AS count_kept, toInt64(0) AS count_received
            FROM \(tables.all("contests"))
            WHERE commit GLOBAL IN (SELECT commit FROM \(tables.all("claims")) WHERE done = 1)
            GROUP BY stream, sequence)
        GROUP BY stream
        """
    }

    private var losses: String {
        """
        SELECT assumeNotNull(told_sender) AS sender, reason, max(number) AS count
        FROM (
            SELECT told_sender, reason, number, toInt64(toUInt32(at)) AS moment FROM \(tables.all("claims"))
            ARRAY JOIN reasons AS reason, lost AS number WHERE done = 1 AND told_sender IS NOT NULL)
        GROUP BY sender, reason ORDER BY sender, min(moment), reason LIMIT \(LossReport.mostReasons) BY sender
        """
    }

    /// A sender without proof settles only its records; gaps between them mean nothing.
    private var completeness: String {
        """
        SELECT installation, version, sum(count_stored) AS stored, sum(count_duplicates) AS duplicates,
            if(min(is_believed) = 1, toNullable(\(Self.capped("sum(count_missing)"))), NULL) AS missing,
            \(Self.capped("sum(count_lost)")) AS lost, owner, max(is_proven) AS proven
        FROM (
            SELECT max(whose) AS installation, max(which) AS version, sum(in_store) AS count_stored,
                sum(again) AS count_duplicates, sum(gap) AS count_missing, toInt64(0) AS count_lost,
                \(Self.owner("stream")) AS owner, \(StreamOwner.proof()) AS is_proven, \(StreamOwner.isBelieved()) AS is_believed
            FROM (
                SELECT stream, installation AS whose, version AS which, stored AS in_store, duplicates AS again,
                    toInt64(0) AS gap
                FROM ledger
                UNION ALL
                SELECT stream, CAST(NULL AS Nullable(String)) AS whose, CAST(NULL AS Nullable(String)) AS which,
                    toInt64(0) AS in_store, toInt64(0) AS again, \(Self.capped("missing")) AS gap
                FROM stream_gaps)
            GROUP BY stream
            UNION ALL
            SELECT max(whose) AS installation, max(which) AS version, toInt64(0) AS count_stored,
                toInt64(0) AS count_duplicates, toInt64(0) AS count_missing, sum(number) AS count_lost,
                \(Self.owner("told_by")) AS owner, \(StreamOwner.proof("told_by")) AS is_proven,
                \(StreamOwner.isBelieved("told_by")) AS is_believed
            FROM (
                SELECT assumeNotNull(sender) AS told_by, installation AS whose, version AS which, toInt64(0) AS number
                FROM ledger WHERE sender IS NOT NULL
                UNION ALL
                SELECT sender AS told_by, CAST(NULL AS Nullable(String)) AS whose,
                    CAST(NULL AS Nullable(String)) AS which, \(Self.capped("count")) AS number
                FROM losses)
            GROUP BY told_by)
        GROUP BY installation, version, owner
        """
    }

    /// Senders may report any number; capped, sums cannot overflow.
    private static func capped(_ number: String) -> String { "least(\(number), toInt64(\(LossReport.most)))" }

    private static func owner(_ column: String) -> String {
        StreamOwner.owner(column, "splitByChar('/', \(column))[1]")
    }

    /// Current record counts, and when each tag was ever seen.
    private var tags: String {
        """
        SELECT tag_name AS tag, tag_kind AS kind, app_version AS version, sum(number) AS count,
            \(ClickHouseTables.first(of: "earliest")) AS first_time, \(Self.lastSeen) AS last_time
        FROM (
            SELECT tag_name, tag_kind, app_version, toInt64(0) AS number, minMerge(first_seen) AS earliest,
                maxMerge(last_seen) AS latest
            FROM \(tables.all("tag_counts")) GROUP BY tag_name, tag_kind, app_version
            UNION ALL
            SELECT toString(tag) AS tag_name, toString(kind) AS tag_kind, ifNull(toString(version), '') AS app_version,
                toInt64(count()) AS number,
                \(ClickHouseTables.first(of: ClickHouseTables.countedTime)) AS earliest,
                max(\(ClickHouseTables.countedTime)) AS latest
            FROM \(tables.all("stored_records"))
            WHERE \(ClickHouseTables.isFirst) AND kind IN ('message', 'error', 'event')
            GROUP BY tag_name, tag_kind, app_version)
        GROUP BY tag_name, tag_kind, app_version
        """
    }

    /// The last time a tag was seen. Times in `tag_counts` may be in the future if an older version made its view.
    private static let lastSeen = {
        let now = "toInt64(toUnixTimestamp(now())) * 1000000000"
        let isSeen = "latest < \(now) + \(PlausibleTime.tolerance)"
        return "if(countIf(\(isSeen)) > 0, maxIf(latest, \(isSeen)), \(now))"
    }()

    /// A summary per session; installation, version and device come from its latest record.
    private var sessions: String {
        """
        SELECT visit AS session, nullIf(argMax(told_installation, moment), '') AS installation,
            nullIf(argMax(told_version, moment), '') AS version, nullIf(argMax(told_device, moment), '') AS device,
            toInt64(count()) AS count, toInt64(countIf(severity >= 17)) AS errors, \(ClickHouseTables.first(of: "moment")) AS first_time,
            max(moment) AS last_time
        FROM (
            SELECT assumeNotNull(session) AS visit, ifNull(installation, '') AS told_installation,
                ifNull(version, '') AS told_version, ifNull(device, '') AS told_device, level AS severity,
                \(ClickHouseTables.countedTime) AS moment
            FROM \(tables.all("stored_records")) WHERE session IS NOT NULL AND \(ClickHouseTables.isFirst))
        GROUP BY visit
        """
    }
}

/// The views of a ClickHouse store, per node. The table `event_views` keeps each text, since the server stores another
/// form; the row with the largest number wins, and an empty text is a dropped view.
enum ClickHouseViews {
    private struct Change {
        var node: ClickHouseAddress.Node
        var name: String
        var before: String?
        var after: String?
        var number: Int64
    }

    /// Creates all views, and drops those no longer given. Without transactions, a failure restores what was changed
    /// before.
    static func replaceAll(with views: [StoreView], _ session: ClickHouseSession) throws(ClickHouseError) {
        let wanted = Dictionary(views.map { ($0.name, $0.statement) }) { _, later in later }
        var changes: [Change] = []
        do throws(ClickHouseError) {
            try session.onEachNode { node throws(ClickHouseError) in
                var (known, last) = try texts(on: node, session)
                for name in Set(known.keys).union(wanted.keys).sorted() where known[name] != wanted[name] {
                    last += 1
                    changes.append(
                        Change(node: node, name: name, before: known[name], after: wanted[name], number: last))
                    try replace(name, with: wanted[name], on: node, session)
                }
            }
        } catch {
            for change in changes.reversed() {
                try? replace(change.name, with: change.before, on: change.node, session)
            }
            throw error
        }
        try session.onEachNode { node throws(ClickHouseError) in
            for change in changes where change.node == node {
                try session.run(
                    "INSERT INTO event_views VALUES (\(ClickHouseLiteral.text(change.name)), "
                        + "\(ClickHouseLiteral.text(change.after ?? "")), \(change.number))", on: node)
            }
        }
    }

    /// A node's view texts by name, and the largest row number.
    private static func texts(
        on node: ClickHouseAddress.Node, _ session: ClickHouseSession
    ) throws(ClickHouseError) -> (known: [String: String], last: Int64) {
        let rows = try session.rows(
            "SELECT name, argMax(statement, number), max(number) FROM event_views GROUP BY name", on: node)
        var known: [String: String] = [:]
        var last: Int64 = 0
        for row in 0..<rows.count {
            last = max(last, rows.integer(row, 2))
            if let text = rows.text(row, 1), !text.isEmpty { known[rows.text(row, 0) ?? ""] = text }
        }
        return (known, last)
    }

    private static func replace(
        _ name: String, with statement: String?, on node: ClickHouseAddress.Node, _ session: ClickHouseSession
    ) throws(ClickHouseError) {
        try session.run("DROP TABLE IF EXISTS \(ClickHouseLiteral.identifier(name))", on: node)
        if let statement { try session.run(statement, on: node) }
    }
}
