-- A store as `daybook serve` made it with version 4 of the tables (2026-11-22).
PRAGMA journal_mode = WAL; PRAGMA application_id = 1145133378; PRAGMA user_version = 4;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE records(
    id INTEGER PRIMARY KEY, uid TEXT NOT NULL, time INTEGER NOT NULL, kind TEXT NOT NULL,
    level INTEGER NOT NULL, tag TEXT NOT NULL, message TEXT, module TEXT, attributes TEXT NOT NULL,
    context TEXT NOT NULL, session TEXT, installation TEXT, trace_id TEXT, span_id TEXT,
    parent_span_id TEXT, duration INTEGER, file TEXT, function TEXT, line INTEGER) STRICT;
INSERT INTO records VALUES(1,'a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718-1',1763683260000000000,'event',9,'recipe.show',NULL,'Kitchen','{"recipe_id":42,"title":"卵かけごはん","mail":"ann@example.com"}','{"service.version":"1.0","service.name":"recipes","os.name":"iOS","os.version":"18.1","device.model.identifier":"iPhone17,1","country":"JP"}','visit-1','phone-1',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO records VALUES(2,'a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718-2',1763683320000000000,'event',9,'recipe.show',NULL,'Kitchen','{"recipe_id":9007199254740993,"title":"Omelette \"plain\"","mail":"bob@example.com"}','{"service.version":"1.0","service.name":"recipes","os.name":"iOS","os.version":"18.1","device.model.identifier":"iPhone17,1","country":"JP"}','visit-1','phone-1',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO records VALUES(3,'a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718-3',1763683380000000000,'message',13,'kitchen.oven','オーブンが熱い: too hot','Kitchen','{"degrees":260}','{"service.version":"1.0","service.name":"recipes","os.name":"iOS","os.version":"18.1","device.model.identifier":"iPhone17,1","country":"JP"}','visit-1','phone-1',NULL,NULL,NULL,NULL,'Kitchen/Oven.swift','heat()',12);
INSERT INTO records VALUES(4,'a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718-4',1763683440000000000,'error',17,'kitchen.oven','could not bake','Kitchen','{"exception.type":"OvenError","code":7}','{"service.version":"1.0","service.name":"recipes","os.name":"iOS","os.version":"18.1","device.model.identifier":"iPhone17,1","country":"JP"}','visit-1','phone-1',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO records VALUES(5,'a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718-5',1763683500000000000,'span',9,'recipe.load',NULL,'Kitchen','{"cold":true}','{"service.version":"1.1","service.name":"recipes","os.name":"iOS","os.version":"18.1","device.model.identifier":"iPhone17,1","country":"JP"}','visit-2','phone-1','4bf92f3577b34da6a3ce929d0e0e4736','00f067aa0ba902b7',NULL,1234567890,NULL,NULL,NULL);
INSERT INTO records VALUES(6,'a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718-8',1763683680000000000,'request',9,'network',NULL,'Kitchen','{"http.request.method":"GET","url.full":"https://example.com/recipes/42","http.response.status_code":200}','{"service.version":"1.1","service.name":"recipes","os.name":"iOS","os.version":"18.1","device.model.identifier":"iPhone17,1","country":"JP"}','visit-2','phone-1','4bf92f3577b34da6a3ce929d0e0e4736','b7ad6b7169203331','00f067aa0ba902b7',1234567890,NULL,NULL,NULL);
INSERT INTO records VALUES(7,'a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718-9',1763683740000000000,'event',9,'recipe.save',NULL,'Kitchen','{"recipe_id":42,"share":0.5}','{"service.version":"1.1","service.name":"recipes","os.name":"iOS","os.version":"18.1","device.model.identifier":"iPhone17,1","country":"JP"}','visit-2','phone-1',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO records VALUES(8,'a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718-9/violation/0',1763683800000000000,'event',13,'daybook.violation',NULL,'Kitchen','{"event":"recipe.save","violation":"undefined_column","count":1,"message":"`share` is not defined","example":"a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718-9","column":"share"}','{"service.version":"1.1","service.name":"recipes","os.name":"iOS","os.version":"18.1","device.model.identifier":"iPhone17,1","country":"JP"}',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO records VALUES(9,'run-1',1763683860000000000,'run',9,'checklist.start',NULL,'Kitchen','{"checklist":"Recipes","run":"r1","tester":"Ann"}','{"service.version":"1.0","service.name":"recipes","os.name":"iOS","os.version":"18.1","device.model.identifier":"iPhone17,1","country":"JP"}',NULL,'phone-1',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO records VALUES(10,'run-2',1763683920000000000,'run',9,'checklist.finish',NULL,'Kitchen','{"checklist":"Recipes","run":"r1"}','{"service.version":"1.0","service.name":"recipes","os.name":"iOS","os.version":"18.1","device.model.identifier":"iPhone17,1","country":"JP"}',NULL,'phone-1',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE arrivals(last INTEGER NOT NULL) STRICT;
INSERT INTO arrivals VALUES(10);
CREATE TABLE streams(
    stream TEXT NOT NULL, after INTEGER NOT NULL, through INTEGER NOT NULL,
    PRIMARY KEY (stream, after)) STRICT, WITHOUT ROWID;
INSERT INTO streams VALUES('a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718',0,5);
INSERT INTO streams VALUES('a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718',7,9);
CREATE TABLE tags(
    tag TEXT NOT NULL, kind TEXT NOT NULL, version TEXT NOT NULL, count INTEGER NOT NULL,
    first_time INTEGER NOT NULL, last_time INTEGER NOT NULL,
    PRIMARY KEY (tag, kind, version)) STRICT, WITHOUT ROWID;
INSERT INTO tags VALUES('daybook.violation','event','1.1',1,1763683800000000000,1763683800000000000);
INSERT INTO tags VALUES('kitchen.oven','error','1.0',1,1763683440000000000,1763683440000000000);
INSERT INTO tags VALUES('kitchen.oven','message','1.0',1,1763683380000000000,1763683380000000000);
INSERT INTO tags VALUES('recipe.save','event','1.1',1,1763683740000000000,1763683740000000000);
INSERT INTO tags VALUES('recipe.show','event','1.0',2,1763683260000000000,1763683320000000000);
CREATE TABLE ledger(
    stream TEXT PRIMARY KEY, sender TEXT, installation TEXT, version TEXT, stored INTEGER NOT NULL,
    duplicates INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO ledger VALUES('a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718','a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718-collector','phone-1','1.0',7,5);
CREATE TABLE losses(
    sender TEXT NOT NULL, reason TEXT NOT NULL, count INTEGER NOT NULL,
    PRIMARY KEY (sender, reason)) STRICT, WITHOUT ROWID;
INSERT INTO losses VALUES('a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718-collector','overflow',3);
CREATE TABLE identity(store TEXT NOT NULL) STRICT;
INSERT INTO identity VALUES('861f424b3135cf971fbd485af6db564a');
CREATE TABLE changes(segment INTEGER PRIMARY KEY, version INTEGER NOT NULL) STRICT;
CREATE INDEX records_tag ON records(tag);
CREATE VIEW stream_gaps AS
    SELECT stream, previous AS after, after AS through, after - previous AS missing FROM (
        SELECT stream, after, lag(through) OVER (PARTITION BY stream ORDER BY after) AS previous FROM streams)
    WHERE previous IS NOT NULL;
CREATE VIEW completeness AS
    SELECT installation, version, sum(stored) AS stored, sum(duplicates) AS duplicates,
        CAST(min(total(missing), 1e12) AS INTEGER) AS missing, CAST(min(total(lost), 1e12) AS INTEGER) AS lost
    FROM (
        SELECT installation, version, stored, duplicates,
            (SELECT total(missing) FROM stream_gaps g WHERE g.stream = l.stream) AS missing, 0 AS lost
        FROM ledger l
        UNION ALL
        SELECT max(installation), max(version), 0, 0, 0,
            (SELECT total(count) FROM losses o WHERE o.sender = l.sender)
        FROM ledger l WHERE sender IS NOT NULL GROUP BY sender)
    GROUP BY installation, version;
CREATE VIEW "recipe__show" AS
SELECT
    id AS "_id",
    uid AS "_uid",
    strftime('%Y-%m-%dT%H:%M:%S', (time - (time % 1000000000 + 1000000000) % 1000000000) / 1000000000, 'unixepoch') || '.' || substr('00000000' || ((time % 1000000000 + 1000000000) % 1000000000), -9) || 'Z' AS "_time",
    session AS "_session",
    installation AS "_installation",
    level AS "_level",
    CASE json_type(context, '$."service.version"') WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' ELSE CAST(json_extract(context, '$."service.version"') AS TEXT) END AS "_version",
    CASE WHEN json_type(attributes, '$."recipe_id"') IN ('integer', 'real') AND json_extract(attributes, '$."recipe_id"') = CAST(json_extract(attributes, '$."recipe_id"') AS INTEGER) THEN CAST(json_extract(attributes, '$."recipe_id"') AS INTEGER) END AS "recipe_id", -- Which.
    CASE json_type(attributes, '$."title"') WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' ELSE CAST(json_extract(attributes, '$."title"') AS TEXT) END AS "title", -- Its title.
    CASE json_type(attributes, '$."mail"') WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' ELSE CAST(json_extract(attributes, '$."mail"') AS TEXT) END AS "mail" -- Of the cook.; private
FROM records
WHERE tag = 'recipe.show' AND kind = 'event'
;
CREATE VIEW "activity_log" AS
SELECT
    id AS "_id",
    uid AS "_uid",
    strftime('%Y-%m-%dT%H:%M:%S', (time - (time % 1000000000 + 1000000000) % 1000000000) / 1000000000, 'unixepoch') || '.' || substr('00000000' || ((time % 1000000000 + 1000000000) % 1000000000), -9) || 'Z' AS "_time",
    session AS "_session",
    installation AS "_installation",
    level AS "_level",
    CASE json_type(context, '$."service.version"') WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' ELSE CAST(json_extract(context, '$."service.version"') AS TEXT) END AS "_version",
    substr(tag, 1, max(instr(tag, '.') - 1, 0)) AS "event_category",
    substr(tag, instr(tag, '.') + 1) AS "event_name",
    CASE WHEN json_type(attributes, '$."recipe_id"') IN ('integer', 'real') AND json_extract(attributes, '$."recipe_id"') = CAST(json_extract(attributes, '$."recipe_id"') AS INTEGER) THEN CAST(json_extract(attributes, '$."recipe_id"') AS INTEGER) END AS "recipe_id", -- Which.
    CASE json_type(attributes, '$."title"') WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' ELSE CAST(json_extract(attributes, '$."title"') AS TEXT) END AS "title", -- Its title.
    CASE json_type(attributes, '$."mail"') WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' ELSE CAST(json_extract(attributes, '$."mail"') AS TEXT) END AS "mail" -- Of the cook.; private
FROM records
WHERE kind = 'event' AND NOT (tag >= 'daybook.' AND tag < 'daybook/')
;
COMMIT;
