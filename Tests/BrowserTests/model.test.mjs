import assert from "node:assert/strict";
import test from "node:test";
import { Catalog, undefinedTags } from "../../Sources/DaybookInspector/Assets/js/model/catalog.js";
import { commonParameters, isUndefinedEvent, ownParameters } from
    "../../Sources/DaybookInspector/Assets/js/model/record.js";
import { checkedTags, seenIn, versionsOf } from "../../Sources/DaybookInspector/Assets/js/dictionary/coverage-table.js";
import { resultLines } from "../../Sources/DaybookInspector/Assets/js/sql/sql-result.js";
import { ViolationTally } from "../../Sources/DaybookInspector/Assets/js/history/findings.js";
import { difference } from "../../Sources/DaybookInspector/Assets/js/model/record.js";
import { adding, apiFilter, filterSQL, terms, withTerms } from "../../Sources/DaybookInspector/Assets/js/model/filter.js";
import { found, pathText } from "../../Sources/DaybookInspector/Assets/js/base/json-tree.js";
import { axis, lanes, latestStretch, percentile } from "../../Sources/DaybookInspector/Assets/js/model/lanes.js";
import { markCount, withoutBodies } from
    "../../Sources/DaybookInspector/Assets/js/model/redaction.js";
import { formatRoute, parseRoute } from "../../Sources/DaybookInspector/Assets/js/base/route.js";
import { wholePage } from "../../Sources/DaybookInspector/Assets/js/base/api.js";

const column = (name, more = {}) => ({
    name, type: "!string", optional: false, obsolete: false, classification: "plain", notes: [], values: [], ...more,
});
const catalog = new Catalog({ common: [column("plan")], categories: [{ name: "feed", description: "", columns: [],
    events: [{ name: "show", tag: "feed.show", description: "", obsolete: false, location: "",
        columns: [column("id"), column("mail", { classification: "private" })] }] }] });
const event = (attributes, more = {}) => ({ id: 1, kind: "event", tag: "feed.show", message: null, attributes,
    context: {}, level: 9, ...more });

test("filters are switched off, turned around and removed, and the address keeps them all", () => {
    assert.deepEqual(adding({}, "tag", "a*b").tag, "a\\*b");
    assert.match(filterSQL({ tag: "a\\*b" }), /tag = 'a\*b'/);
    let params = adding({ q: "x", kind: "event" }, "tag", "feed.show, now%");
    params = adding(params, "session", "s1", true);
    assert.deepEqual(terms(params), [
        { name: "tag", value: "feed.show, now%", isNot: false, isOff: false },
        { name: "session", value: "s1", isNot: true, isOff: false },
    ]);
    const through = (given) => parseRoute(formatRoute({ screen: "history", params: given })).params;
    const off = withTerms(params, terms(params).map((term) => ({ ...term, isOff: true })));
    assert.deepEqual(apiFilter(through(off)), { q: "x", kind: "event" });
    assert.deepEqual(terms(through(off)).map(({ isNot, isOff }) => [isNot, isOff]), [[false, true], [true, true]]);
    const turned = withTerms(params, terms(params).map((term) => ({ ...term, isNot: !term.isNot })));
    assert.deepEqual(apiFilter(through(turned)), { q: "x", kind: "event", session: "s1",
        not: "tag:feed.show%2C%20now%25" });
});

test("one value of a name narrows, several are left out", () => {
    const params = adding(adding({}, "tag", "a.b"), "tag", "a.c");
    assert.deepEqual(terms(params).map(({ value }) => value), ["a.c"]);
    const not = adding(adding({}, "tag", "a.b", true), "tag", "a.c", true);
    assert.deepEqual(terms(not).map(({ value }) => value), ["a.b", "a.c"]);
    assert.deepEqual(terms(adding(not, "tag", "a.b")).map(({ value, isNot }) => [value, isNot]),
        [["a.b", false], ["a.c", true]]);
});

test("a filter that is none is passed over", () => {
    assert.deepEqual(terms({ not: "tag,colour:red,tag:", off: "%" }), []);
});

test("a filter becomes a statement whose texts cannot leave their quotes", () => {
    const sql = filterSQL({ q: "50%_'", kind: "event,span", level: "warning", tag: "feed.**", since: "5",
        not: "session:it's" });
    assert.match(sql, /kind IN \('event', 'span'\)/);
    assert.match(sql, /level >= 13/);
    assert.match(sql, /time >= 5/);
    assert.match(sql, /\(tag = 'feed' OR substr\(tag, 1, 5\) = 'feed\.'\)/);
    assert.match(sql, /NOT coalesce\(session = 'it''s', 0\)/);
    assert.match(sql, /LIKE '%50\\%\\_''%' ESCAPE '\\'/);
});

test("a statement leaves the collector's own records out unless the filter asks for them", () => {
    assert.match(filterSQL({}), /WHERE substr\(tag, 1, 8\) <> 'daybook\.'\n/);
    assert.match(filterSQL({ tag: "feed.show", not: "tag:daybook.alert" }), /<> 'daybook\.'/);
    assert.doesNotMatch(filterSQL({ tag: "daybook.**" }), /<>/);
});

test("marks are counted, and bodies are left out on top of what the collector masked", () => {
    const record = event({ id: "7", mail: "[private]", "http.request.body.content": "text", pin: "[redacted]" });
    const without = withoutBodies(record);
    assert.deepEqual(without.attributes, { id: "7", mail: "[private]", "http.request.body.content": "[redacted]",
        pin: "[redacted]" });
    assert.deepEqual([markCount([record]), markCount([without])], [2, 3]);
    assert.equal(withoutBodies({ ...record, attributes: "{" }).attributes, "{");
});

test("what a sender calls private is known without a definition, and the lists themselves are not shown", () => {
    const record = { kind: "event", tag: "other.event", attributes: { note: "n", id: "1", "daybook.private": ["note"] },
        context: { user_id: "42", "daybook.private.common": ["user_id"] } };
    assert.deepEqual(ownParameters(record, catalog).map(({ name, isPrivate }) => [name, isPrivate]),
        [["note", true], ["id", false]]);
    assert.deepEqual(commonParameters(record, catalog).map(({ name, isPrivate }) => [name, isPrivate]),
        [["user_id", true]]);
    const broken = { ...record, attributes: "{", context: { "daybook.private": "note", note: "x" } };
    assert.equal(commonParameters(broken, catalog)[0].isPrivate, false);
});

test("two records differ in own and common parameters, and in those that one lacks", () => {
    const changes = difference(event({ id: "1", mail: "a" }, { context: { plan: "free", os: "1" } }),
        event({ id: "2", mail: "a", more: true }, { context: { plan: "paid", os: "1" } }), catalog);
    assert.deepEqual(changes.map(({ name, before, after }) => [name, before, after]),
        [["id", "1", "2"], ["more", undefined, true], ["plan", "free", "paid"]]);
});

test("paths read as a program would write them, and a search finds keys and values", () => {
    assert.equal(pathText(["a", "b", 2, "odd key", "x"]), 'a.b[2]["odd key"].x');
    const value = { a: [{ Name: "Ｅｇｇ" }, { b: null }], egg: 1 };
    assert.deepEqual(found(value, "egg").paths.map(pathText), ["a[0].Name", "egg"]);
    assert.equal(found(Array.from({ length: 900 }, () => "x"), "x").isCut, true);
});

test("percentiles are values that occurred", () => {
    const numbers = Array.from({ length: 20 }, (_, index) => index + 1);
    assert.deepEqual([percentile(numbers, 0.5), percentile(numbers, 0.95), percentile([7], 0.95), percentile([], 0.5)],
        [10, 19, 7, 0]);
});

test("measurements of one name that overlap lie in lanes of their own", () => {
    const span = (time, length, name = "load") => ({ kind: "span", tag: "t", message: name, time: String(time),
        duration: length === null ? null : String(length), level: 9 });
    const [load, other] = lanes([span(0, 100), span(50, 100), span(100, 10), span(0, 5, "other"), span(0, null)]);
    assert.deepEqual([load.name, load.count, load.depth, load.p50, load.max], ["load", 3, 2, 100, 100]);
    assert.deepEqual(load.items.map(({ lane }) => lane), [0, 1, 0]);
    assert.equal(other.count, 1);
});

test("an axis has round steps", () => {
    const { step, marks } = axis(1_000e9, 1_060e9, 6);
    assert.deepEqual([step, marks.length, marks[0]], [10e9, 7, 1_000e9]);
    assert.equal(axis(0, 3_600e9, 6).step, 600e9);
    assert.equal(axis(0, 7e6, 7).step, 1e6);
});

test("a first look shows the latest stretch without a gap", () => {
    const record = (seconds) => ({ time: String(seconds * 1e9), duration: null });
    const { start, end } = latestStretch([record(100), record(95), record(50)]);
    assert.ok(start < 95e9 && start > 90e9 && end > 100e9);
    assert.equal(latestStretch([]), null);
});

test("a page that comes in parts is put together, and each part is told", async () => {
    const asked = [];
    const parts = [];
    const answers = [
        { head: 9, records: [{ id: 9 }], partial: true, next: 7, progress: { done: 1, total: 3 } },
        { head: 9, records: [], partial: true, next: 4, progress: { done: 2, total: 3 } },
        { head: 10, records: [{ id: 2 }], partial: false, next: null, progress: { done: 3, total: 3 } },
    ];
    const page = await wholePage(async (query) => (asked.push(query), answers[asked.length - 1]), { limit: 5 },
        (records, progress) => parts.push([records.length, progress.done]));
    assert.deepEqual(page.records.map(({ id }) => id), [9, 2]);
    assert.deepEqual(asked, [{ limit: 5 }, { limit: 4, before: 7 }, { limit: 4, before: 4 }]);
    assert.deepEqual(parts, [[1, 1], [1, 2]]);
});

test("a first look goes where something was measured", () => {
    const record = (seconds, duration = null) => ({ time: String(seconds * 1e9), duration });
    const { end } = latestStretch([record(500), record(100, "1000000"), record(99)]);
    assert.ok(end > 100e9 && end < 101e9);
});

test("what the collector itself says is neither undefined nor a stranger", () => {
    assert.equal(isUndefinedEvent({ kind: "event", tag: "daybook.violation" }, catalog), false);
    assert.equal(isUndefinedEvent({ kind: "event", tag: "feed.shaer" }, catalog), true);
    const seen = ["feed.show", "feed.shaer"].map((tag) => ({ tag, kind: "event", count: 1 }));
    assert.deepEqual(undefinedTags(catalog, seen).map(({ tag }) => tag), ["feed.shaer"]);
});

test("of two columns with one name the second gets a number in a file of lines", () => {
    const answer = { columns: ["mail", "n", "mail"], rows: [["a@b.c", 1, null]] };
    assert.equal(resultLines(answer.columns, answer.rows), '{"mail":"a@b.c","n":1,"mail_2":null}\n');
});

test("violations are counted to the end, and what arrives is added once", async () => {
    const asked = [];
    const group = (tag, count) => ({ tag, kind: "wrong_type", column: "id", message: "m", count });
    const parts = [
        { head: 100, records: 3, violations: [group("a.b", 2), group("c.d", 1)], next: 50 },
        { head: 104, records: 4, violations: [group("a.b", 4)], next: null },
        { head: 110, records: 1, violations: [group("c.d", 1)], next: null },
        { head: 110, records: 8, violations: [group("a.b", 8)], next: null },
    ];
    const tally = new ViolationTally({ tag: "x" }, async (query) => {
        asked.push([query.after ?? "", query.before ?? ""]);
        return parts.shift();
    });
    const seen = [];
    const drawn = () => seen.push([tally.records, tally.isWhole]);
    await tally.count(100, 1, drawn);
    assert.deepEqual(seen, [[3, false], [7, false], [7, true]]);
    assert.deepEqual(tally.groups.map(({ tag, count }) => [tag, count]), [["a.b", 6], ["c.d", 1]]);
    // Nothing has come.
    await tally.count(100, 2, drawn);
    // What came while it was counted, and since, is behind the first part's head.
    await tally.count(110, 3, drawn);
    assert.deepEqual(tally.groups.map(({ tag, count }) => [tag, count]), [["a.b", 6], ["c.d", 2]]);
    // After a minute all is counted anew: records may have been erased.
    await tally.count(110, 70_000, drawn);
    assert.equal(tally.records, 8);
    assert.deepEqual(asked, [["", ""], ["", "50"], [100, ""], ["", ""]]);
});

test("coverage tells versions apart, and the worst that checklists say of an event", () => {
    const tags = [
        { tag: "a.b", kind: "event", versions: [{ version: "4.9.0", count: 2 }, { version: "4.12.0", count: 3 }] },
        { tag: "a.b", kind: "message", versions: [{ version: "4.12.0", count: 4 }, { version: null, count: 1 }] },
        { tag: "daybook.violation", kind: "event", versions: [{ version: "0.1", count: 9 }] },
    ];
    assert.deepEqual(versionsOf(tags), ["4.12.0", "4.9.0"]);
    assert.equal(seenIn(tags.slice(0, 2), "4.12.0"), 7);
    assert.equal(seenIn(tags.slice(0, 2), "5.0"), 0);
    const items = (...all) => ({ scenarios: [{ items: all.map(([pattern, state]) => ({ pattern, state })) }] });
    const checked = checkedTags([
        { id: "one", ...items(["a.b", "ok"], ["a.**", "failed"], [null, "manual"]) },
        { id: "two", ...items(["a.b", "waiting"], ["a.c", "not_applicable"]) },
    ]);
    assert.deepEqual([...checked], [["a.b", { state: "waiting", checklist: "two" }],
        ["a.c", { state: "not_applicable", checklist: "two" }]]);
});
