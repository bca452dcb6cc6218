CREATE TABLE IF NOT EXISTS daybook_schema(version Int64) ENGINE = MergeTree ORDER BY version;

CREATE TABLE IF NOT EXISTS stored_records(
    id Int64, uid String, time Int64, kind LowCardinality(String), level Int16, tag LowCardinality(String),
    message Nullable(String), module LowCardinality(Nullable(String)), attributes String CODEC(ZSTD(1)),
    context String CODEC(ZSTD(1)), session LowCardinality(Nullable(String)), installation LowCardinality(Nullable(String)),
    trace_id Nullable(String), span_id Nullable(String), parent_span_id Nullable(String),
    duration Nullable(Int64), file LowCardinality(Nullable(String)), function LowCardinality(Nullable(String)),
    line Nullable(Int64), version LowCardinality(Nullable(String)), device LowCardinality(Nullable(String)),
INDEX by_time time TYPE minmax, INDEX by_tag tag TYPE set(1000) GRANULARITY 4,
INDEX by_uid uid TYPE bloom_filter GRANULARITY 4, INDEX by_session session TYPE bloom_filter GRANULARITY 4,
INDEX by_installation installation TYPE bloom_filter GRANULARITY 4,
INDEX by_trace trace_id TYPE bloom_filter GRANULARITY 4)
ENGINE = MergeTree PARTITION BY intDiv(id, 100000000) ORDER BY id SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS claims(
    commit String, part UInt32, stream String, lower Int64, upper Int64, afters Array(Int64), throughs Array(Int64),
    sequences Array(Int64), first_id Int64, last_id Int64, received Int64, kept Int64,
    told_sender Nullable(String), told_installation Nullable(String), told_version Nullable(String),
    reasons Array(String), lost Array(Int64), done UInt8, at DateTime DEFAULT now(), INDEX by_time at TYPE minmax, INDEX by_id last_id TYPE minmax)
ENGINE = ReplacingMergeTree(done) ORDER BY (stream, lower, commit, part) SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS contests(stream String, sequence Int64, id Int64, commit String)
ENGINE = MergeTree ORDER BY (stream, sequence, id) SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS tag_counts(
    tag_name String, tag_kind String, app_version String, arrivals AggregateFunction(sum, Int64),
    first_seen AggregateFunction(min, Int64), last_seen AggregateFunction(max, Int64))
ENGINE = AggregatingMergeTree ORDER BY (tag_name, tag_kind, app_version) SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS tag_counter TO tag_counts AS SELECT
    tag AS tag_name, toString(kind) AS tag_kind, ifNull(version, '') AS app_version,
    sumState(toInt64(1)) AS arrivals, minState(time) AS first_seen, maxState(time) AS last_seen
FROM stored_records WHERE kind IN ('message', 'error', 'event')
GROUP BY tag_name, tag_kind, app_version;

CREATE TABLE IF NOT EXISTS event_views(name String, statement String, number Int64)
ENGINE = ReplacingMergeTree ORDER BY (name, number) SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

CREATE VIEW IF NOT EXISTS repeats AS SELECT arrayJoin(arraySlice(arraySort(groupUniqArray(id)), 2)) AS repeated FROM contests
WHERE id GLOBAL IN (
    SELECT id FROM stored_records WHERE id GLOBAL IN (SELECT id FROM contests))
GROUP BY stream, sequence;

CREATE VIEW IF NOT EXISTS records AS SELECT id, uid, time, kind, level, tag, message, module, attributes, context, session, installation, trace_id, span_id, parent_span_id, duration, file, function, line FROM stored_records WHERE id GLOBAL NOT IN (SELECT repeated FROM repeats);

CREATE VIEW IF NOT EXISTS settled_blocks AS SELECT stream,
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
            FROM claims WHERE done = 1 AND stream != '')
        GROUP BY stream));

CREATE VIEW IF NOT EXISTS streams AS SELECT stream, tupleElement(block, 1) AS after, tupleElement(block, 2) AS through
FROM (
    SELECT stream, arrayJoin(arrayMap((b, e) -> (b, e), beginnings, endings)) AS block FROM settled_blocks);

CREATE VIEW IF NOT EXISTS stream_gaps AS SELECT stream, tupleElement(gap, 1) AS after, tupleElement(gap, 2) AS through,
    tupleElement(gap, 2) - tupleElement(gap, 1) AS missing
FROM (
    SELECT stream, arrayJoin(arrayMap(
        (e, b) -> (e, b), arrayPopBack(endings), arrayPopFront(beginnings))) AS gap
    FROM settled_blocks);

CREATE VIEW IF NOT EXISTS ledger AS SELECT stream, argMin(told_sender, moment) AS sender, argMin(told_installation, moment) AS installation,
    argMin(told_version, moment) AS version, sum(count_kept) AS stored,
    sum(count_received) - sum(count_kept) AS duplicates
FROM (
    SELECT stream, told_sender, told_installation, told_version, toInt64(toUInt32(at)) AS moment,
        kept AS count_kept, received AS count_received
    FROM claims WHERE done = 1 AND stream != ''
    UNION ALL
    SELECT stream, CAST(NULL AS Nullable(String)) AS told_sender,
        CAST(NULL AS Nullable(String)) AS told_installation, CAST(NULL AS Nullable(String)) AS told_version,
        toInt64(0) AS moment, toInt64(1) - toInt64(uniqExact(commit)) AS count_kept, toInt64(0) AS count_received
    FROM contests
    WHERE commit GLOBAL IN (SELECT commit FROM claims WHERE done = 1)
    GROUP BY stream, sequence)
GROUP BY stream;

CREATE VIEW IF NOT EXISTS losses AS SELECT assumeNotNull(told_sender) AS sender, reason, max(number) AS count
FROM (
    SELECT told_sender, reason, number FROM claims
    ARRAY JOIN reasons AS reason, lost AS number WHERE done = 1 AND told_sender IS NOT NULL)
GROUP BY sender, reason;

CREATE VIEW IF NOT EXISTS completeness AS SELECT installation, version, sum(count_stored) AS stored, sum(count_duplicates) AS duplicates,
    sum(count_missing) AS missing, sum(count_lost) AS lost
FROM (
    SELECT max(whose) AS installation, max(which) AS version, sum(in_store) AS count_stored,
        sum(again) AS count_duplicates, sum(gap) AS count_missing, toInt64(0) AS count_lost
    FROM (
        SELECT stream, installation AS whose, version AS which, stored AS in_store, duplicates AS again,
            toInt64(0) AS gap
        FROM ledger
        UNION ALL
        SELECT stream, CAST(NULL AS Nullable(String)) AS whose, CAST(NULL AS Nullable(String)) AS which,
            toInt64(0) AS in_store, toInt64(0) AS again, missing AS gap
        FROM stream_gaps)
    GROUP BY stream
    UNION ALL
    SELECT max(whose) AS installation, max(which) AS version, toInt64(0) AS count_stored,
        toInt64(0) AS count_duplicates, toInt64(0) AS count_missing, sum(number) AS count_lost
    FROM (
        SELECT assumeNotNull(sender) AS told_by, installation AS whose, version AS which, toInt64(0) AS number
        FROM ledger WHERE sender IS NOT NULL
        UNION ALL
        SELECT sender AS told_by, CAST(NULL AS Nullable(String)) AS whose,
            CAST(NULL AS Nullable(String)) AS which, count AS number
        FROM losses)
    GROUP BY told_by)
GROUP BY installation, version;

CREATE VIEW IF NOT EXISTS tags AS SELECT tag_name AS tag, tag_kind AS kind, app_version AS version, sum(number) AS count,
    min(earliest) AS first_time, max(latest) AS last_time
FROM (
    SELECT tag_name, tag_kind, app_version, sumMerge(arrivals) AS number, minMerge(first_seen) AS earliest,
        maxMerge(last_seen) AS latest
    FROM tag_counts GROUP BY tag_name, tag_kind, app_version
    UNION ALL
    SELECT toString(tag) AS tag_name, toString(kind) AS tag_kind, ifNull(toString(version), '') AS app_version,
        -toInt64(count()) AS number, min(time) AS earliest, max(time) AS latest
    FROM stored_records
    WHERE id GLOBAL IN (SELECT repeated FROM repeats) AND kind IN ('message', 'error', 'event')
    GROUP BY tag_name, tag_kind, app_version)
GROUP BY tag_name, tag_kind, app_version;

CREATE VIEW IF NOT EXISTS sessions AS SELECT visit AS session, nullIf(argMax(told_installation, moment), '') AS installation,
    nullIf(argMax(told_version, moment), '') AS version, nullIf(argMax(told_device, moment), '') AS device,
    toInt64(count()) AS count, toInt64(countIf(severity >= 17)) AS errors, min(moment) AS first_time,
    max(moment) AS last_time
FROM (
    SELECT assumeNotNull(session) AS visit, ifNull(installation, '') AS told_installation,
        ifNull(version, '') AS told_version, ifNull(device, '') AS told_device, level AS severity, time AS moment
    FROM stored_records WHERE session IS NOT NULL AND id GLOBAL NOT IN (SELECT repeated FROM repeats))
GROUP BY visit;

INSERT INTO daybook_schema VALUES (1);

CREATE VIEW "recipe__show" AS
SELECT
    id AS "_id",
    uid AS "_uid",
    fromUnixTimestamp64Nano(time, 'UTC') AS "_time",
    session AS "_session",
    installation AS "_installation",
    level AS "_level",
    JSONExtract(context, 'service.version', 'Nullable(String)') AS "_version",
    JSONExtract(attributes, 'recipe_id', 'Nullable(Int64)') AS "recipe_id",
    JSONExtract(attributes, 'title', 'Nullable(String)') AS "title",
    JSONExtract(attributes, 'mail', 'Nullable(String)') AS "mail"
FROM records
WHERE tag = 'recipe.show' AND kind = 'event'
COMMENT 'A recipe is on the screen.';

INSERT INTO event_views VALUES ('recipe__show', 'CREATE VIEW "recipe__show" AS
SELECT
    id AS "_id",
    uid AS "_uid",
    fromUnixTimestamp64Nano(time, \'UTC\') AS "_time",
    session AS "_session",
    installation AS "_installation",
    level AS "_level",
    JSONExtract(context, \'service.version\', \'Nullable(String)\') AS "_version",
    JSONExtract(attributes, \'recipe_id\', \'Nullable(Int64)\') AS "recipe_id",
    JSONExtract(attributes, \'title\', \'Nullable(String)\') AS "title",
    JSONExtract(attributes, \'mail\', \'Nullable(String)\') AS "mail"
FROM records
WHERE tag = \'recipe.show\' AND kind = \'event\'
COMMENT \'A recipe is on the screen.\'', 1);
