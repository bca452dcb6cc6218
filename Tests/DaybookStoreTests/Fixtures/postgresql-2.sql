-- A store as `daybook serve` made it in PostgreSQL 15 with version 2 of the tables (2026-11-22): pg_dump --inserts.
SET check_function_bodies = false;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);

CREATE FUNCTION public.daybook_folded(given text) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
    SELECT CASE WHEN octet_length(given) = length(given) THEN lower(given COLLATE "C")
        ELSE lower(normalize(given, NFKC) COLLATE "C") END $$;

CREATE FUNCTION public.daybook_text(context jsonb, key text) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $_$
    SELECT CASE WHEN jsonb_typeof(context -> key) = 'string' OR context ->> key ~ '^-?[0-9]+$'
        THEN context ->> key END $_$;

CREATE FUNCTION public.daybook_version(context jsonb) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
    SELECT daybook_text(context, 'service.version') $$;

CREATE TABLE public.records (
    id bigint NOT NULL,
    uid text NOT NULL COLLATE pg_catalog."C",
    "time" bigint NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    level smallint NOT NULL,
    tag text NOT NULL COLLATE pg_catalog."C",
    message text COLLATE pg_catalog."C",
    module text COLLATE pg_catalog."C",
    attributes jsonb NOT NULL,
    context jsonb NOT NULL,
    session text COLLATE pg_catalog."C",
    installation text COLLATE pg_catalog."C",
    trace_id text COLLATE pg_catalog."C",
    span_id text COLLATE pg_catalog."C",
    parent_span_id text COLLATE pg_catalog."C",
    duration bigint,
    file text COLLATE pg_catalog."C",
    function text COLLATE pg_catalog."C",
    line integer
);

CREATE VIEW public.activity_log AS
 SELECT records.id AS _id,
    records.uid AS _uid,
    ('1970-01-01 00:00:00+00'::timestamp with time zone + ((((records."time" - mod((mod(records."time", (1000)::bigint) + 1000), (1000)::bigint)) / 1000))::double precision * '00:00:00.000001'::interval)) AS _time,
    records.session AS _session,
    records.installation AS _installation,
    records.level AS _level,
    (records.context ->> 'service.version'::text) AS _version,
    "left"(records.tag, GREATEST((strpos(records.tag, '.'::text) - 1), 0)) AS event_category,
    substr(records.tag, (strpos(records.tag, '.'::text) + 1)) AS event_name,
        CASE
            WHEN ((jsonb_typeof((records.attributes -> 'recipe_id'::text)) = 'number'::text) AND ((records.attributes ->> 'recipe_id'::text) ~ '^-?[0-9]{1,19}(\.0+)?$'::text)) THEN
            CASE
                WHEN ((((records.attributes ->> 'recipe_id'::text))::numeric >= ('-9223372036854775808'::bigint)::numeric) AND (((records.attributes ->> 'recipe_id'::text))::numeric <= ('9223372036854775807'::bigint)::numeric)) THEN (((records.attributes ->> 'recipe_id'::text))::numeric)::bigint
                ELSE NULL::bigint
            END
            ELSE NULL::bigint
        END AS recipe_id,
    (records.attributes ->> 'title'::text) AS title,
    (records.attributes ->> 'mail'::text) AS mail
   FROM public.records
  WHERE ((records.kind = 'event'::text) AND (NOT ((records.tag >= 'daybook.'::text) AND (records.tag < 'daybook/'::text))));

COMMENT ON VIEW public.activity_log IS 'Every event, with every column';

COMMENT ON COLUMN public.activity_log.recipe_id IS 'Which.';

COMMENT ON COLUMN public.activity_log.title IS 'Its title.';

COMMENT ON COLUMN public.activity_log.mail IS 'Of the cook.; private';

CREATE TABLE public.arrivals (
    last bigint NOT NULL
)
WITH (fillfactor='10');

CREATE TABLE public.ledger (
    stream text NOT NULL COLLATE pg_catalog."C",
    sender text COLLATE pg_catalog."C",
    installation text COLLATE pg_catalog."C",
    version text COLLATE pg_catalog."C",
    stored bigint NOT NULL,
    duplicates bigint NOT NULL
);

CREATE TABLE public.losses (
    sender text NOT NULL COLLATE pg_catalog."C",
    reason text NOT NULL COLLATE pg_catalog."C",
    count bigint NOT NULL
);

CREATE TABLE public.streams (
    stream text NOT NULL COLLATE pg_catalog."C",
    after bigint NOT NULL,
    through bigint NOT NULL
);

CREATE VIEW public.stream_gaps AS
 SELECT neighbours.stream,
    neighbours.previous AS after,
    neighbours.after AS through,
    (neighbours.after - neighbours.previous) AS missing
   FROM ( SELECT streams.stream,
            streams.after,
            lag(streams.through) OVER (PARTITION BY streams.stream ORDER BY streams.after) AS previous
           FROM public.streams) neighbours
  WHERE (neighbours.previous IS NOT NULL);

CREATE VIEW public.completeness AS
 SELECT accounts.installation,
    accounts.version,
    (sum(accounts.stored))::bigint AS stored,
    (sum(accounts.duplicates))::bigint AS duplicates,
    (LEAST(sum(accounts.missing), ('1000000000000'::bigint)::numeric))::bigint AS missing,
    (LEAST(sum(accounts.lost), ('1000000000000'::bigint)::numeric))::bigint AS lost
   FROM ( SELECT l.installation,
            l.version,
            l.stored,
            l.duplicates,
            COALESCE(( SELECT sum(g.missing) AS sum
                   FROM public.stream_gaps g
                  WHERE (g.stream = l.stream)), (0)::numeric) AS missing,
            0 AS lost
           FROM public.ledger l
        UNION ALL
         SELECT max(l.installation) AS max,
            max(l.version) AS max,
            0,
            0,
            0,
            COALESCE(( SELECT sum(o.count) AS sum
                   FROM public.losses o
                  WHERE (o.sender = l.sender)), (0)::numeric) AS "coalesce"
           FROM public.ledger l
          WHERE (l.sender IS NOT NULL)
          GROUP BY l.sender) accounts
  GROUP BY accounts.installation, accounts.version;

CREATE TABLE public.daybook_schema (
    version bigint NOT NULL
);

CREATE TABLE public.event_views (
    name text NOT NULL COLLATE pg_catalog."C",
    statement text NOT NULL
);

CREATE VIEW public.recipe__show AS
 SELECT records.id AS _id,
    records.uid AS _uid,
    ('1970-01-01 00:00:00+00'::timestamp with time zone + ((((records."time" - mod((mod(records."time", (1000)::bigint) + 1000), (1000)::bigint)) / 1000))::double precision * '00:00:00.000001'::interval)) AS _time,
    records.session AS _session,
    records.installation AS _installation,
    records.level AS _level,
    (records.context ->> 'service.version'::text) AS _version,
        CASE
            WHEN ((jsonb_typeof((records.attributes -> 'recipe_id'::text)) = 'number'::text) AND ((records.attributes ->> 'recipe_id'::text) ~ '^-?[0-9]{1,19}(\.0+)?$'::text)) THEN
            CASE
                WHEN ((((records.attributes ->> 'recipe_id'::text))::numeric >= ('-9223372036854775808'::bigint)::numeric) AND (((records.attributes ->> 'recipe_id'::text))::numeric <= ('9223372036854775807'::bigint)::numeric)) THEN (((records.attributes ->> 'recipe_id'::text))::numeric)::bigint
                ELSE NULL::bigint
            END
            ELSE NULL::bigint
        END AS recipe_id,
    (records.attributes ->> 'title'::text) AS title,
    (records.attributes ->> 'mail'::text) AS mail
   FROM public.records
  WHERE ((records.tag = 'recipe.show'::text) AND (records.kind = 'event'::text));

COMMENT ON VIEW public.recipe__show IS 'A recipe is on the screen.';

COMMENT ON COLUMN public.recipe__show.recipe_id IS 'Which.';

COMMENT ON COLUMN public.recipe__show.title IS 'Its title.';

COMMENT ON COLUMN public.recipe__show.mail IS 'Of the cook.; private';

CREATE TABLE public.sessions (
    session text NOT NULL COLLATE pg_catalog."C",
    installation text COLLATE pg_catalog."C",
    version text COLLATE pg_catalog."C",
    device text COLLATE pg_catalog."C",
    count bigint NOT NULL,
    errors bigint NOT NULL,
    first_time bigint NOT NULL,
    last_time bigint NOT NULL
);

CREATE TABLE public.tags (
    tag text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    version text NOT NULL COLLATE pg_catalog."C",
    count bigint NOT NULL,
    first_time bigint NOT NULL,
    last_time bigint NOT NULL
);

INSERT INTO public.arrivals VALUES (10);

INSERT INTO public.daybook_schema VALUES (2);

INSERT INTO public.event_views VALUES ('recipe__show', 'CREATE VIEW "recipe__show" AS
SELECT
    id AS "_id",
    uid AS "_uid",
    timestamptz ''epoch'' + (time - mod(mod(time, 1000) + 1000, 1000)) / 1000 * interval ''1 microsecond'' AS "_time",
    session AS "_session",
    installation AS "_installation",
    level AS "_level",
    context ->> ''service.version'' AS "_version",
    CASE WHEN jsonb_typeof(attributes -> ''recipe_id'') = ''number'' AND (attributes ->> ''recipe_id'') ~ ''^-?[0-9]{1,19}(\.0+)?$'' THEN CASE WHEN (attributes ->> ''recipe_id'')::numeric BETWEEN -9223372036854775808 AND 9223372036854775807 THEN (attributes ->> ''recipe_id'')::numeric::bigint END END AS "recipe_id",
    (attributes ->> ''title'') AS "title",
    (attributes ->> ''mail'') AS "mail"
FROM records
WHERE tag = ''recipe.show'' AND kind = ''event'';
COMMENT ON VIEW "recipe__show" IS ''A recipe is on the screen.'';
COMMENT ON COLUMN "recipe__show"."recipe_id" IS ''Which.'';
COMMENT ON COLUMN "recipe__show"."title" IS ''Its title.'';
COMMENT ON COLUMN "recipe__show"."mail" IS ''Of the cook.; private''');
INSERT INTO public.event_views VALUES ('activity_log', 'CREATE VIEW "activity_log" AS
SELECT
    id AS "_id",
    uid AS "_uid",
    timestamptz ''epoch'' + (time - mod(mod(time, 1000) + 1000, 1000)) / 1000 * interval ''1 microsecond'' AS "_time",
    session AS "_session",
    installation AS "_installation",
    level AS "_level",
    context ->> ''service.version'' AS "_version",
    left(tag, greatest(strpos(tag, ''.'') - 1, 0)) AS "event_category",
    substr(tag, strpos(tag, ''.'') + 1) AS "event_name",
    CASE WHEN jsonb_typeof(attributes -> ''recipe_id'') = ''number'' AND (attributes ->> ''recipe_id'') ~ ''^-?[0-9]{1,19}(\.0+)?$'' THEN CASE WHEN (attributes ->> ''recipe_id'')::numeric BETWEEN -9223372036854775808 AND 9223372036854775807 THEN (attributes ->> ''recipe_id'')::numeric::bigint END END AS "recipe_id",
    (attributes ->> ''title'') AS "title",
    (attributes ->> ''mail'') AS "mail"
FROM records
WHERE kind = ''event'' AND NOT (tag >= ''daybook.'' AND tag < ''daybook/'');
COMMENT ON VIEW "activity_log" IS ''Every event, with every column'';
COMMENT ON COLUMN "activity_log"."recipe_id" IS ''Which.'';
COMMENT ON COLUMN "activity_log"."title" IS ''Its title.'';
COMMENT ON COLUMN "activity_log"."mail" IS ''Of the cook.; private''');

INSERT INTO public.ledger VALUES ('a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718', 'a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718-collector', 'phone-1', '1.0', 7, 5);

INSERT INTO public.losses VALUES ('a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718-collector', 'overflow', 3);

INSERT INTO public.records VALUES (1, 'a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718-1', 1763683260000000000, 'event', 9, 'recipe.show', NULL, 'Kitchen', '{"mail": "ann@example.com", "title": "卵かけごはん", "recipe_id": 42}', '{"country": "JP", "os.name": "iOS", "os.version": "18.1", "service.name": "recipes", "service.version": "1.0", "device.model.identifier": "iPhone17,1"}', 'visit-1', 'phone-1', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.records VALUES (2, 'a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718-2', 1763683320000000000, 'event', 9, 'recipe.show', NULL, 'Kitchen', '{"mail": "bob@example.com", "title": "Omelette \"plain\"", "recipe_id": 9007199254740993}', '{"country": "JP", "os.name": "iOS", "os.version": "18.1", "service.name": "recipes", "service.version": "1.0", "device.model.identifier": "iPhone17,1"}', 'visit-1', 'phone-1', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.records VALUES (3, 'a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718-3', 1763683380000000000, 'message', 13, 'kitchen.oven', 'オーブンが熱い: too hot', 'Kitchen', '{"degrees": 260}', '{"country": "JP", "os.name": "iOS", "os.version": "18.1", "service.name": "recipes", "service.version": "1.0", "device.model.identifier": "iPhone17,1"}', 'visit-1', 'phone-1', NULL, NULL, NULL, NULL, 'Kitchen/Oven.swift', 'heat()', 12);
INSERT INTO public.records VALUES (4, 'a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718-4', 1763683440000000000, 'error', 17, 'kitchen.oven', 'could not bake', 'Kitchen', '{"code": 7, "exception.type": "OvenError"}', '{"country": "JP", "os.name": "iOS", "os.version": "18.1", "service.name": "recipes", "service.version": "1.0", "device.model.identifier": "iPhone17,1"}', 'visit-1', 'phone-1', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.records VALUES (5, 'a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718-5', 1763683500000000000, 'span', 9, 'recipe.load', NULL, 'Kitchen', '{"cold": true}', '{"country": "JP", "os.name": "iOS", "os.version": "18.1", "service.name": "recipes", "service.version": "1.1", "device.model.identifier": "iPhone17,1"}', 'visit-2', 'phone-1', '4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7', NULL, 1234567890, NULL, NULL, NULL);
INSERT INTO public.records VALUES (6, 'a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718-8', 1763683680000000000, 'request', 9, 'network', NULL, 'Kitchen', '{"url.full": "https://example.com/recipes/42", "http.request.method": "GET", "http.response.status_code": 200}', '{"country": "JP", "os.name": "iOS", "os.version": "18.1", "service.name": "recipes", "service.version": "1.1", "device.model.identifier": "iPhone17,1"}', 'visit-2', 'phone-1', '4bf92f3577b34da6a3ce929d0e0e4736', 'b7ad6b7169203331', '00f067aa0ba902b7', 1234567890, NULL, NULL, NULL);
INSERT INTO public.records VALUES (7, 'a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718-9', 1763683740000000000, 'event', 9, 'recipe.save', NULL, 'Kitchen', '{"share": 0.5, "recipe_id": 42}', '{"country": "JP", "os.name": "iOS", "os.version": "18.1", "service.name": "recipes", "service.version": "1.1", "device.model.identifier": "iPhone17,1"}', 'visit-2', 'phone-1', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.records VALUES (8, 'a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718-9/violation/0', 1763683800000000000, 'event', 13, 'daybook.violation', NULL, 'Kitchen', '{"count": 1, "event": "recipe.save", "column": "share", "example": "a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718-9", "message": "`share` is not defined", "violation": "undefined_column"}', '{"country": "JP", "os.name": "iOS", "os.version": "18.1", "service.name": "recipes", "service.version": "1.1", "device.model.identifier": "iPhone17,1"}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.records VALUES (9, 'run-1', 1763683860000000000, 'run', 9, 'checklist.start', NULL, 'Kitchen', '{"run": "r1", "tester": "Ann", "checklist": "Recipes"}', '{"country": "JP", "os.name": "iOS", "os.version": "18.1", "service.name": "recipes", "service.version": "1.0", "device.model.identifier": "iPhone17,1"}', NULL, 'phone-1', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.records VALUES (10, 'run-2', 1763683920000000000, 'run', 9, 'checklist.finish', NULL, 'Kitchen', '{"run": "r1", "checklist": "Recipes"}', '{"country": "JP", "os.name": "iOS", "os.version": "18.1", "service.name": "recipes", "service.version": "1.0", "device.model.identifier": "iPhone17,1"}', NULL, 'phone-1', NULL, NULL, NULL, NULL, NULL, NULL, NULL);

INSERT INTO public.sessions VALUES ('visit-1', 'phone-1', '1.0', 'iPhone17,1', 4, 1, 1763683260000000000, 1763683440000000000);
INSERT INTO public.sessions VALUES ('visit-2', 'phone-1', '1.1', 'iPhone17,1', 3, 0, 1763683500000000000, 1763683740000000000);

INSERT INTO public.streams VALUES ('a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718', 0, 5);
INSERT INTO public.streams VALUES ('a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718', 7, 9);

INSERT INTO public.tags VALUES ('kitchen.oven', 'error', '1.0', 1, 1763683440000000000, 1763683440000000000);
INSERT INTO public.tags VALUES ('recipe.show', 'event', '1.0', 2, 1763683260000000000, 1763683320000000000);
INSERT INTO public.tags VALUES ('kitchen.oven', 'message', '1.0', 1, 1763683380000000000, 1763683380000000000);
INSERT INTO public.tags VALUES ('recipe.save', 'event', '1.1', 1, 1763683740000000000, 1763683740000000000);
INSERT INTO public.tags VALUES ('daybook.violation', 'event', '1.1', 1, 1763683800000000000, 1763683800000000000);

ALTER TABLE ONLY public.event_views
    ADD CONSTRAINT event_views_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.ledger
    ADD CONSTRAINT ledger_pkey PRIMARY KEY (stream);

ALTER TABLE ONLY public.losses
    ADD CONSTRAINT losses_pkey PRIMARY KEY (sender, reason);

ALTER TABLE ONLY public.records
    ADD CONSTRAINT records_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (session);

ALTER TABLE ONLY public.streams
    ADD CONSTRAINT streams_pkey PRIMARY KEY (stream, after);

ALTER TABLE ONLY public.tags
    ADD CONSTRAINT tags_pkey PRIMARY KEY (tag, kind, version);

CREATE INDEX records_session ON public.records USING btree (session, id) WHERE (session IS NOT NULL);

CREATE INDEX records_tag ON public.records USING btree (tag, id);

CREATE INDEX records_time ON public.records USING btree ("time");

CREATE INDEX sessions_last_time ON public.sessions USING btree (last_time);
