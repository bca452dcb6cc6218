import assert from "node:assert/strict";
import test from "node:test";
import { Catalog, undefinedTags } from "../../Sources/DaybookInspector/Assets/js/model/catalog.js";
import { commonParameters, isUndefinedEvent, ownParameters } from
    "../../Sources/DaybookInspector/Assets/js/model/record.js";
import { checkedTags, seenIn, versionsOf } from "../../Sources/DaybookInspector/Assets/js/dictionary/coverage-table.js";
import { resultLines } from "../../Sources/DaybookInspector/Assets/js/sql/sql-result.js";
import { ViolationTally } from "../../Sources/DaybookInspector/Assets/js/model/violation-tally.js";
import { difference } from "../../Sources/DaybookInspector/Assets/js/model/record.js";
import { adding, apiFilter, filterSQL, noFilter, normalised, offText, replacing, switchedOff, timeless, turned, written,
    writtenColumn } from "../../Sources/DaybookInspector/Assets/js/model/filter.js";
import { found, pathText } from "../../Sources/DaybookInspector/Assets/js/base/json-tree.js";
import { axis, lanes, latestStretch, percentile } from "../../Sources/DaybookInspector/Assets/js/model/lanes.js";
import { markCount, withoutBodies } from
    "../../Sources/DaybookInspector/Assets/js/model/redaction.js";
import { formatRoute, parseRoute } from "../../Sources/DaybookInspector/Assets/js/base/route.js";
import { compareVersions } from "../../Sources/DaybookInspector/Assets/js/model/versions.js";
import { wholePage } from "../../Sources/DaybookInspector/Assets/js/base/api.js";

const column = (name, more = {}) => ({
    name, type: "!string", optional: false, obsolete: false, classification: "plain", notes: [], values: [], ...more,
});
const catalog = new Catalog({ common: [column("plan")], categories: [{ name: "feed", description: "", columns: [],
    events: [{ name: "show", tag: "feed.show", description: "", obsolete: false, location: "",
        columns: [column("id"), column("mail", { classification: "private" })] }] }] });
const event = (attributes, more = {}) => ({ id: 1, kind: "event", tag: "feed.show", message: null, attributes,
    context: {}, level: 9, ...more });

const part = (text, name = null, negated = false) => ({ start: 0, end: 0, text, name, negated });
const read = (...parts) => ({ ...noFilter, parts });

test("values are written so that they are found as they are", () => {
    assert.deepEqual(["popular", "feed.show", "卵", "a b", "30", "true", "null", "2.1", "a..b", "x*", 'a"b\\c\n', ""].map(written),
        ["popular", "feed.show", "卵", '"a b"', '"30"', '"true"', '"null"', '"2.1"', '"a..b"', '"x*"', '"a\\"b\\\\c\\n"', '""']);
    assert.deepEqual([30, -2.5, true, "9007199254740993"].map(written), ["30", "-2.5", "true", "9007199254740993"]);
    assert.deepEqual(["order", "$os", "a b", "version", "1st"].map((name) => writtenColumn(name, ["version"])),
        ["order", "$os", '"a b"', '"version"', '"1st"']);
    const known = ["version", "since", "attributes."];
    assert.deepEqual(["Version", "Since", "sinces", "attributes.a", "attributes", "null"].map((name) => writtenColumn(name, known)),
        ['"Version"', '"Since"', "sinces", '"attributes.a"', "attributes", "null"]);
});

test("a value narrows in place of another, stands beside it, or is left out", () => {
    const filter = read(part("egg"), part("order=popular", "order"), part("-order=old", "order", true));
    const text = "egg order=popular -order=old";
    assert.equal(adding(filter, "order", "newest", "only"), "egg -order=old order=newest");
    assert.equal(adding(filter, "order", "newest", "also"), "egg order=popular,newest -order=old");
    assert.equal(adding(filter, "order", "popular", "also"), text);
    assert.equal(adding(filter, "order", 30, "not"), "egg order=popular -order=old,30");
    assert.equal(adding(filter, "price", 30, ">="), `${text} price>=30`);
    assert.equal(adding(noFilter, "tag", "feed.show", "not"), "-tag=feed.show");
    assert.equal(adding({ ...read(part("a OR b")), alternatives: true }, "tag", "x", "only"), "(a OR b) tag=x");
});

test("parts are replaced, turned around and switched off, and the address keeps them all", () => {
    const filter = read(part("egg"), part("order=a,\"b c\"", "order"), part("last:2h", "last"));
    assert.equal(replacing(filter, 1), "egg last:2h");
    assert.equal(replacing(filter, 1, turned(filter.parts[1])), 'egg -order=a,"b c" last:2h');
    assert.equal(timeless(filter), 'egg order=a,"b c"');
    assert.deepEqual([part("-a", null, true), part("NOT a", null, true), part("a!=b", "a", true), part("a OR b")].map(turned),
        ["a", "a", "-(a!=b)", "-(a OR b)"]);
    const params = { filter: "egg", off: offText(['order=a,"b c"', "x%"]) };
    const through = parseRoute(formatRoute({ screen: "history", params })).params;
    assert.deepEqual(switchedOff(through), ['order=a,"b c"', "x%"]);
    assert.deepEqual(apiFilter(through), { filter: "egg" });
});

test("a time near 1970 is asked for so that it is not read as another unit's", () => {
    assert.deepEqual(["1795166531204000007", "0", "5000000007", "-1", "yesterday"].map((since) => apiFilter({ since }).since),
        ["1795166531204000007", "1970-01-01T00:00:00.000000000Z", "1970-01-01T00:00:05.000000007Z",
            "1969-12-31T23:59:59.999999999Z", "yesterday"]);
});

test("what a link asks for on its own becomes a term", () => {
    assert.deepEqual(normalised({ tag: "feed.**", session: "s 1", kind: "event", filter: "egg" }),
        { kind: "event", filter: 'egg tag=feed.** session="s 1"' });
    assert.equal(normalised({ tag: "a\\*b" }).filter, 'tag="a*b"');
    assert.deepEqual(normalised({ filter: "egg" }), { filter: "egg" });
});

test("a filter becomes a statement that leaves the collector's own records out unless it asks for them", () => {
    const sql = filterSQL({ kind: "event,it's", level: "warning", since: "5" }, { ...noFilter, sql: "tag = 'x'" });
    assert.match(sql, /WHERE substr\(tag, 1, 8\) <> 'daybook\.'\n/);
    assert.match(sql, /kind IN \('event', 'it''s'\)/);
    assert.match(sql, /level >= 13/);
    assert.match(sql, /time >= 5/);
    assert.match(sql, /AND tag = 'x'/);
    assert.doesNotMatch(filterSQL({}, { ...noFilter, own: true }), /WHERE/);
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
    const claimed = { ...record(4e9), implausible: true };
    assert.deepEqual(latestStretch([claimed, record(100), record(95), record(50)]), { start, end });
    assert.ok(latestStretch([claimed]).end > 4e18);
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
    // Nothing has arrived.
    await tally.count(100, 2, drawn);
    // What arrived during the count, and since, is after the first part's head.
    await tally.count(110, 3, drawn);
    assert.deepEqual(tally.groups.map(({ tag, count }) => [tag, count]), [["a.b", 6], ["c.d", 2]]);
    // After a minute everything is recounted: records may have been erased.
    await tally.count(110, 70_000, drawn);
    assert.equal(tally.records, 8);
    assert.deepEqual(asked, [["", ""], ["", "50"], [100, ""], ["", ""]]);
});

test("an empty store is not asked for violations again until something has come", async () => {
    const asked = [];
    const tally = new ViolationTally({}, async (query) => {
        asked.push(query.after ?? "");
        return asked.length === 1 ? { head: 0, records: 0, violations: [], next: null }
            : { head: 3, records: 2, violations: [], next: null };
    });
    await tally.count(0, 1, () => {});
    await tally.count(0, 2, () => {});
    assert.deepEqual(asked, [""]);
    await tally.count(3, 3, () => {});
    assert.deepEqual(asked, ["", ""]);
    assert.equal(tally.records, 2);
});

test("versions are in the order in which people number them, pre-releases before their release", () => {
    const inOrder = ["", "4.9", "4.9.0", "4.9.1", "4.12.0-alpha", "4.12.0-beta.2", "4.12.0-beta.10", "4.12.0-rc", "4.12.0",
        "4.12.0.1", "4.100", "v1"];
    for (const [index, left] of inOrder.entries()) {
        for (const [other, right] of inOrder.entries()) {
            assert.equal(Math.sign(compareVersions(left, right)), Math.sign(index - other), `${left} ${right}`);
        }
    }
    assert.notEqual(compareVersions("4.01", "4.1"), 0);
    assert.ok(compareVersions("1\uFFFD", "1\u{1F600}") < 0);
});

test("coverage tells versions apart, and the worst that checklists say of an event", () => {
    const tags = [
        { tag: "a.b", kind: "event", versions: [{ version: "4.9.0", count: 2 }, { version: "4.12.0", count: 3 },
            { version: "4.12.0-beta", count: 1 }] },
        { tag: "a.b", kind: "message", versions: [{ version: "4.12.0", count: 4 }, { version: null, count: 1 }] },
        { tag: "daybook.violation", kind: "event", versions: [{ version: "0.1", count: 9 }] },
    ];
    assert.deepEqual(versionsOf(tags), ["4.12.0", "4.12.0-beta", "4.9.0"]);
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
