import assert from "node:assert/strict";
import test from "node:test";
import { fetchAll } from "../../Sources/DaybookInspector/Assets/js/base/api.js";
import { cell, code, csv, instant, junit, markdown, ndjson, xml } from
    "../../Sources/DaybookInspector/Assets/js/export/formats.js";
import { checklistOf, fixtureOf } from "../../Sources/DaybookInspector/Assets/js/export/test-files.js";
import { Catalog } from "../../Sources/DaybookInspector/Assets/js/model/catalog.js";

const record = (more = {}) => ({
    id: 7, uid: "s-7", time: "1795166531204000001", kind: "event", level: 9, tag: "feed.show", message: null,
    module: null, attributes: {}, context: { plan: "free" }, session: "s1", duration: null, file: null, line: null,
    violations: [], ...more,
});
const empty = new Catalog({ common: [], categories: [] });

test("NDJSON has a record a line, in the form that the importer reads", () => {
    const lines = ndjson([record({ attributes: { n: 1 } }), record({ kind: "span", duration: "1500", level: 10 })]).split("\n");
    assert.equal(lines.length, 3);
    assert.deepEqual(JSON.parse(lines[0]), { id: 7, uid: "s-7", time: "2026-11-20T09:22:11.204000001Z", kind: "event",
        level: "info", tag: "feed.show", message: null, attributes: { n: 1 }, context: { plan: "free" }, session: "s1" });
    assert.deepEqual([JSON.parse(lines[1]).duration, JSON.parse(lines[1]).level], [1500, 10]);
});

test("times keep their nanoseconds", () => {
    assert.equal(instant("0"), "1970-01-01T00:00:00.000000000Z");
    assert.equal(instant("1795166531204999999"), "2026-11-20T09:22:11.204999999Z");
});

test("no cell of a CSV file is run by a spreadsheet", () => {
    for (const evil of ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1", "＋1", "－1", "＠x"]) {
        assert.match(cell(evil), /^"'/, evil);
    }
    assert.deepEqual(["-5", "+3.5", "plain", 'say "x"', "a,b", null, 5, { a: 1 }].map(cell),
        ["-5", "+3.5", "plain", '"say ""x"""', '"a,b"', "", "5", '"{""a"":1}"']);
});

test("a CSV file has a column for every attribute", () => {
    const lines = csv([record({ attributes: { a: 1, tag: "x" } }), record({ attributes: { b: "=2" } })]).split("\n");
    assert.match(lines[0], /^id,time,kind,level,tag,message,.*,a,attribute\.tag,b$/);
    assert.match(lines[2], /,,,"'=2"$/);
});

test("Markdown and XML cannot be broken out of", () => {
    const evil = record({ tag: "a`|b", message: "x | <b>\n# y ](z) </failure>", kind: "error", level: 17 });
    const rows = markdown([evil]).trim().split("\n");
    assert.equal(rows.length, 3);
    assert.equal(rows[2], "| `#7` | `09:22:11.204` | `error` | ``a`\\|b`` | `x \\| <b>\\u{a}# y ](z) </failure>` |");
    const report = junit([evil, record()]);
    assert.match(report, /tests="2" failures="1"/);
    assert.doesNotMatch(report, /<b>/);
    assert.equal(report.match(/<\/failure>/g).length, 1);
    assert.equal(xml('\u0000<&">\uD800\u202E'), "\\u{0}&lt;&amp;&quot;&gt;\uFFFD\\u{202e}");
});

test("a text in Markdown is one code span, whatever it holds", () => {
    for (const [text, expected] of [
        ["plain", "`plain`"], ["`", "`` ` ``"], ["a``b`", "``` a``b` ```"], [" a ", "`  a  `"], ["a\\|b", "`a\\\\u{7c}b`"],
        ["@me #7 www.a.b", "`@me #7 www.a.b`"], ["a\u200Db", "`a\\u{200d}b`"], ["می\u200Cخواهم", "`می\u200Cخواهم`"],
        ["👩\u200D💻", "`👩\u200D💻`"], ["\u{E0041}\u2028\u009B", "`\\u{e0041}\\u{2028}\\u{9b}`"],
    ]) assert.equal(code(text), expected);
});

test("a checklist from records has their events in order, with the tests that hold for all of them", () => {
    const column = (name, classification = "plain") => ({ name, type: "!string", optional: false, obsolete: false,
        classification, notes: [], values: [] });
    const catalog = new Catalog({ common: [], categories: [{ name: "feed", description: "", columns: [], events: [{
        name: "show", tag: "feed.show", description: "", columns: [column("mail", "private"), column("place")] }] }] });
    const shown = (attributes) => record({ attributes });
    const text = checklistOf([
        shown({ mail: "a@b.c", place: "home", n: 1, id: "0e984725-c51c-4bf4-9960-e1c80e27aba0" }),
        record({ kind: "message", tag: "app.start" }),
        shown({ mail: "a@b.c", place: "home", n: 2, id: "1e984725-c51c-4bf4-9960-e1c80e27aba0" }),
        record({ tag: "feed.tap", attributes: { quote: 'say "x"' } }),
        shown({ mail: "a@b.c", place: "home", n: 3, id: "0e984725-c51c-4bf4-9960-e1c80e27aba0" }),
    ], "recorded", catalog);
    assert.equal(text, ["# recorded", "", "## recorded", "", "1. [ ] feed.show at least 2", '    - place = "home"',
        "    - n exists", "    - id exists", "2. [ ] feed.tap", "    - quote exists",
        "3. [ ] feed.show", '    - place = "home"', "    - n exists", "    - id exists", ""].join("\n"));
    // An ordered item is met by a later record, so separate repeats cannot be counted together.
    const tags = ["a.b", "c.d", "a.b", "a.b", "c.d"].map((tag) => record({ tag }));
    assert.deepEqual(checklistOf(tags, "recorded", empty).match(/^\d.*$/gm), ["1. [ ] a.b", "2. [ ] c.d",
        "3. [ ] a.b at least 2", "4. [ ] c.d"]);
    assert.doesNotMatch(fixtureOf([shown({ mail: "a@b.c" })], catalog), /a@b\.c/);
});

test("a fixture keeps values and puts matchers where they would differ", () => {
    const fixture = JSON.parse(fixtureOf([record({ attributes: { n: 1, at: "2026-11-20T09:22:11Z",
        id: "0e984725-c51c-4bf4-9960-e1c80e27aba0" } })], empty));
    assert.deepEqual(fixture, { "feed.show": [{ n: 1, at: "@timestamp", id: "@uuid" }] });
});

test("all pages of a filter are fetched, with progress, until one asks to stop", async () => {
    const page = async ({ before = 2_501, limit }) => {
        // At most 400 in an answer, as if limited by bytes.
        const records = Array.from({ length: Math.min(limit, before - 1, 400) }, (_, index) =>
            ({ id: before - 1 - index }));
        const isCut = records.length < limit && before > 401;
        return { head: 2_500, records, partial: isCut, next: isCut ? records.at(-1).id : null };
    };
    const told = [];
    const all = await fetchAll({}, (n) => told.push(n), undefined, page);
    assert.deepEqual([all.length, told], [2_500, [1_000, 2_000, 2_500]]);
});
