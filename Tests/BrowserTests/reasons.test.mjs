import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { reasonTables, reasonText } from "../../Sources/DaybookInspector/Assets/js/checklist/reason.js";

const document = readFileSync(new URL("../../docs/formats/checklists.md", import.meta.url), "utf8");
// A Swift test compares it with the engine's texts.
const english = JSON.parse(document.split("\n## The reasons\n")[1].split("\n```json\n")[1].split("\n```\n")[0]);
const names = (text) => [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1]).sort();
const phrase = (code, values = {}) => ({ code, arguments: values });

test("every code of the engine has a phrase in each language, with the same arguments", () => {
    assert.ok(Object.keys(english).length > 70);
    assert.deepEqual(Object.keys(reasonTables), ["ja", "ru"]);
    for (const [language, table] of Object.entries(reasonTables)) {
        assert.deepEqual(Object.keys(table).sort(), Object.keys(english).sort(), language);
        for (const code of Object.keys(english)) {
            assert.deepEqual(names(table[code]), names(english[code]), `${language} ${code}`);
        }
    }
});

test("a reason is said in the reader's language, its names and values as they are", () => {
    const text = "got 2 (article_id = 123)";
    const phrases = [phrase("count", { count: "2" }), phrase("group", { values: "article_id = 123" })];
    assert.equal(reasonText("en", text, phrases), text);
    assert.equal(reasonText("ja", text, phrases), "2 件届きました (article_id = 123)");
    assert.equal(reasonText("ru", text, phrases), "пришло 2 (article_id = 123)");
    const early = [phrase("none"), phrase("came_early", { record: "12" }), phrase("awaited", { event: "a.b" })];
    assert.equal(reasonText("ja", "…", early), "1 件も届いていません。#12 は早すぎました: a.b がまだ届いていませんでした");
    assert.equal(reasonText("ru", "…", early), "ничего не пришло; #12 пришла слишком рано: a.b ещё не пришло");
    const test = [phrase("record", { record: "7" }), phrase("test", { test: "n > 0" }),
        phrase("value", { column: "n", value: '"$&{column}"' }), phrase("a_text"), phrase("not_number")];
    assert.equal(reasonText("ru", "…", test), '#7: не выполнено `n > 0`: n — "$&{column}", текст, а не число');
});

test("what this page cannot say stays in English", () => {
    const text = "got none";
    for (const phrases of [undefined, [], [phrase("none"), phrase("of_a_later_version")], [phrase("constructor")],
        [phrase("count")], [phrase("count", { number: "2" })]]) {
        assert.equal(reasonText("ja", text, phrases), text);
    }
});
