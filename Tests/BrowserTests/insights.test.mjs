import assert from "node:assert/strict";
import test from "node:test";
import {
    emptyQuestion, fitted, insightText, isComplete, readQuestion, writeQuestion,
} from "../../Sources/DaybookInspector/Assets/js/insights/question.js";
import { suggestions } from "../../Sources/DaybookInspector/Assets/js/sql/completion.js";
import { keepStatement, pastStatements } from "../../Sources/DaybookInspector/Assets/js/sql/statement-history.js";

const asked = {
    ...emptyQuestion(), steps: ["search.search(order = \"popular\")", "recipe.save"], version: true,
    versions: ["4.11.0", "4.12.0"], period: "day", last: "7d",
};

test("a question becomes the insight's text, with the reader's midnight where there are days", () => {
    assert.equal(insightText(asked, -540), "search.search(order = \"popular\") -> recipe.save within 1h "
        + "by version in (\"4.11.0\", \"4.12.0\"), day last 7d zone \"+09:00\"");
    assert.equal(insightText({ ...asked, period: "", last: "", versions: [] }, -540),
        "search.search(order = \"popular\") -> recipe.save within 1h by version");
    assert.equal(insightText(fitted({ ...asked, kind: "retention", joining: "user_id" }), 210),
        "retention search.search(order = \"popular\") returning recipe.save joining user_id by day last 7d zone \"-03:30\"");
    assert.equal(insightText(fitted({ ...asked, kind: "retention", parameter: "order", last: "" }), 0),
        "retention search.search(order = \"popular\") returning recipe.save by order, day");
    assert.equal(insightText(fitted({ ...asked, kind: "path", version: false, last: "" }), 0),
        "path after search.search(order = \"popular\") within 1h");
    assert.equal(insightText({ ...asked, anyOrder: true, without: "app.crash", version: false, versions: [], period: "",
        last: "", parameter: "order" }, 0),
    "search.search(order = \"popular\") -> recipe.save in any order without app.crash within 1h by order");
    assert.equal(insightText(fitted({ ...asked, kind: "count", versions: [], last: "", parameter: "order" }), 0),
        "count search.search(order = \"popular\") by version, order, day");
    assert.equal(insightText(fitted({ ...emptyQuestion(), kind: "measure", steps: ["http.get"], joining: "user_id" }), 0),
        "measure _duration of http.get");
    assert.equal(insightText(fitted({ ...emptyQuestion(), kind: "measure", steps: ["http.get"], buckets: true, version: true }), 0),
        "measure _duration of http.get in buckets by version");
    assert.equal(insightText(fitted({ ...asked, kind: "differ", columns: ["version", "order"], last: "" }), -540),
        "differ search.search(order = \"popular\") from recipe.save by version, order");
});

test("a question survives the address", () => {
    for (const question of [asked, fitted({ ...asked, kind: "path" }), fitted({ ...asked, kind: "retention" }),
        fitted({ ...asked, kind: "count", parameter: "order" }), fitted({ ...asked, kind: "measure", number: "size" }),
        fitted({ ...asked, kind: "measure", buckets: true }),
        fitted({ ...asked, kind: "differ", columns: ["version", "order"] }),
        { ...asked, anyOrder: true, without: "app.crash(code > 1)" }, { ...asked, within: "" }, { ...asked, steps: ["a.b", "a -> b", ""] }]) {
        const params = Object.fromEntries(Object.entries(writeQuestion(question)).filter(([, value]) => value !== ""));
        assert.deepEqual(readQuestion(params), question);
    }
    assert.deepEqual(readQuestion({}), emptyQuestion());
});

test("a question without all of its events is not asked", () => {
    assert.ok(!isComplete(emptyQuestion()));
    assert.ok(!isComplete({ ...asked, steps: ["a.b", ""] }));
    assert.ok(isComplete(asked));
    assert.ok(isComplete(fitted({ ...asked, kind: "retention", steps: ["a.b"] })));
});

const tables = [
    { name: "records", about: "", columns: [{ name: "id", about: "" }, { name: "session", about: "" }] },
    { name: "recipe__show", about: "", columns: [{ name: "_time", about: "" }, { name: "recipe_id", about: "" }] },
    { name: "sessions", about: "", columns: [{ name: "errors", about: "" }] },
];
const complete = (text) => suggestions(text, text.length, tables, ["recipe.show", "search.search"])
    .entries.map((entry) => entry.text);

test("a statement is completed by what can stand there", () => {
    assert.deepEqual(complete("SELECT * FROM re"), ["records", "recipe__show"]);
    assert.deepEqual(complete("SELECT * FROM rec JOIN sess"), ["sessions"]);
    assert.deepEqual(complete("SELECT count(*) FROM sessions WHERE err"), ["errors"]);
    assert.deepEqual(complete("SELECT count(*) FROM records WHERE tag = 'sea"), ["search.search"]);
    assert.deepEqual(complete("SELECT count(*) FROM records WHERE tag = 'sho"), ["recipe.show"]);
    assert.deepEqual(complete("SELECT count(*) FROM recipe__show WHERE tag = 'x' AND rec"),
        ["recipe_id", "records", "recipe__show"]);
    assert.deepEqual(complete("SELECT id FROM records ORD"), ["ORDER BY"]);
    assert.deepEqual(complete("SELECT id"), []);
    assert.deepEqual(complete("SELECT id FROM records LIMIT 5"), []);
});

test("statements that ran are kept once, the latest first, and not without bound", () => {
    const values = new Map();
    const storage = { get: (key) => values.get(key) ?? null, set: (key, value) => values.set(key, value) };
    for (let number = 0; number < 130; number += 1) keepStatement(storage, { sql: `SELECT ${number}`, at: number, rows: 1, milliseconds: 1 });
    keepStatement(storage, { sql: "SELECT 100", at: 999, rows: 2, milliseconds: 3 });
    keepStatement(storage, { sql: "x".repeat(5_000), at: 1_000, rows: 1, milliseconds: 1 });
    const found = pastStatements(storage);
    assert.equal(found.length, 100);
    assert.deepEqual(found[0], { sql: "SELECT 100", at: 999, rows: 2, milliseconds: 3 });
    assert.equal(found.filter(({ sql }) => sql === "SELECT 100").length, 1);
    values.set("sql-history", "{broken");
    assert.deepEqual(pastStatements(storage), []);
});
