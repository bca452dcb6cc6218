@testable import DaybookDefinitions

struct RecordsTable {
    let dialect: SQLDialect

    var creation: String {
        switch dialect {
        case .sqlite:
            """
            CREATE TABLE records(
                id INTEGER PRIMARY KEY, uid TEXT NOT NULL, time INTEGER NOT NULL, kind TEXT NOT NULL,
                level INTEGER NOT NULL, tag TEXT NOT NULL, attributes TEXT NOT NULL, context TEXT NOT NULL,
                session TEXT, installation TEXT) STRICT;

            """
        case .postgresql, .redshift:
            """
            CREATE TABLE records(
                id bigint PRIMARY KEY, uid text NOT NULL, time bigint NOT NULL, kind text NOT NULL,
                level smallint NOT NULL, tag text NOT NULL, attributes jsonb NOT NULL, context jsonb NOT NULL,
                session text, installation text);

            """
        case .clickhouse:
            """
            CREATE TABLE records(
                id Int64, uid String, time Int64, kind String, level Int16, tag String, attributes String,
                context String, session Nullable(String), installation Nullable(String))
            ENGINE = MergeTree ORDER BY (tag, time);

            """
        }
    }

    func event(
        _ id: Int, _ tag: String, _ attributes: String, context: String = "{}", time: Int64 = 1_763_632_931_204_000_000
    ) -> String {
        let values = [tag, attributes, context].map { dialect.literal($0) }
        return """
            INSERT INTO records (id, uid, time, kind, level, tag, attributes, context, session, installation)
            VALUES (\(id), 'u\(id)', \(time), 'event', 9, \(values[0]), \(values[1]), \(values[2]), 's', NULL);

            """
    }
}
