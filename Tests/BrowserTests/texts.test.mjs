import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import test from "node:test";
import { pickLanguage, tables, translator } from "../../Sources/DaybookInspector/Assets/js/base/i18n.js";
import { screens } from "../../Sources/DaybookInspector/Assets/js/base/route.js";
import { chartKinds } from "../../Sources/DaybookInspector/Assets/js/charts/data.js";
import { types } from "../../Sources/DaybookInspector/Assets/js/model/exchange.js";
import { kinds, levels } from "../../Sources/DaybookInspector/Assets/js/base/format.js";
import { fields } from "../../Sources/DaybookInspector/Assets/js/history/facets.js";
import { stretches } from "../../Sources/DaybookInspector/Assets/js/history/filter-bar.js";
import { questionKinds } from "../../Sources/DaybookInspector/Assets/js/insights/question.js";
import { violationKinds } from "../../Sources/DaybookInspector/Assets/js/model/record.js";
import { reasons } from "../../Sources/DaybookInspector/Assets/js/history/findings.js";

const folder = new URL("../../Sources/DaybookInspector/Assets/js/", import.meta.url);
const placeholders = (entry) => [...new Set(JSON.stringify(entry).match(/\{\w+\}/g) ?? [])].sort();

test("every language has the same keys with the same values to fill in", () => {
    for (const [language, table] of Object.entries(tables)) {
        assert.deepEqual(Object.keys(table).sort(), Object.keys(tables.en).sort(), language);
        for (const key of Object.keys(table)) assert.deepEqual(placeholders(table[key]), placeholders(tables.en[key]),
            `${language} ${key}`);
    }
});

test("texts with plurals have a form for each plural of their language", () => {
    for (const [language, table] of Object.entries(tables)) {
        const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
        for (const [key, entry] of Object.entries(table)) {
            if (typeof entry === "object") for (const form of forms) assert.ok(entry[form],
                `${language} ${key} lacks ${form}`);
        }
    }
});

test("every key that the page asks for exists, and every text is asked for", () => {
    const source = readdirSync(folder, { recursive: true })
        .filter((name) => name.endsWith(".js") && !name.startsWith("texts/"))
        .map((name) => readFileSync(new URL(name, folder), "utf8")).join("\n");
    const families = Object.keys(tables.en).map((key) => key.split(".")[0]);
    const asked = new Set([...source.matchAll(/"((?:[a-z]+)\.[a-zA-Z.]+)"/g)].map((match) => match[1])
        .filter((key) => families.includes(key.split(".")[0])));
    asked.delete("error.type"); // OpenTelemetry's attribute, not a text.
    const made = [
        ...screens.map((name) => `screen.${name}`), ...kinds.map((name) => `kind.${name}`),
            ...levels.map((name) => `level.${name}`),
        "column.private", "column.sensitive", ...fields.filter((name) => name !== "level").map((name) => `filter.${name}`),
        ...stretches.map((name) => `time.last${name}`),
        ...types.map((name) => `net.type.${name}`), ...["private", "bodies"].map((name) => `export.rule.${name}`),
        ...["persona", "session", "version"].map((name) => `run.${name}`),
        ...["firing", "failed", "pending", "no_data", "unknown", "inactive", "hidden"].map((name) => `alert.${name}`),
        ...["1h", "8h", "1d", "7d"].map((name) => `alert.for.${name}`),
        ...["fired", "held", "resolved", "delivered", "refused", "dropped", "muted", "unmuted"]
            .map((name) => `alert.did.${name}`),
        ...["lookup", "connect", "secure", "send", "wait", "receive"].map((name) => `net.phase.${name}`),
        ...["checklist", "fixture", "events"].map((name) => `test.${name}`),
        ...questionKinds.map((name) => `insight.${name}`),
        ...["sessions", "installations", "people"].flatMap((name) => [`insight.${name}`, `insight.${name}Column`]),
        ...[...chartKinds, "x", "y", "series"].map((name) => `chart.${name}`),
        ...["version", "against"].map((name) => `release.${name}`), ...["run", "violations"].map((name) => `filter.${name}`),
        ...violationKinds.map((name) => `violation.${name}`),
        ...reasons.map((name) => `loss.${name}`), ...["clock", "ago", "delta"].map((name) => `time.${name}`),
    ];
    for (const key of made) asked.add(key);
    for (const key of asked) assert.ok(key in tables.en || /\.(js|css|svg)$/.test(key), `the page asks for ${key}`);
    for (const key of Object.keys(tables.en)) assert.ok(asked.has(key), `${key} is never shown`);
});

test("counts take the plural of the language", () => {
    assert.equal(translator("ru")("dict.found", { n: 3 }), "3 события");
    assert.equal(translator("ru")("dict.found", { n: 5 }), "5 событий");
    assert.equal(translator("en")("dict.found", { n: 1 }), "1 event");
    assert.equal(translator("ja")("dict.found", { n: 1_200 }), "1,200 イベント");
});

test("the reader's first known language wins", () => {
    assert.equal(pickLanguage([null, "de-AT", "ja-JP", "en"]), "ja");
    assert.equal(pickLanguage(["fr"]), "en");
});
