// @ts-check
// Turns marked records into a test: a checklist and a fixture to save or copy.

import { saveFile } from "../base/bridge.js";
import { chip, labelled, press, primaryButton } from "../base/controls.js";
import { lastButtons, openDialog } from "../base/dialog.js";
import { copyButton, foreign, h, replaceChildren } from "../base/dom.js";
import { withoutBodies } from "../model/redaction.js";
import { ndjson } from "./formats.js";
import { checklistOf, fixtureOf } from "./test-files.js";

/** @param {PageContext} context @param {LogRecord[]} records oldest first */
export function openTest({ t, catalog }, records) {
    const name = h("input", { class: "field", value: "recorded", "aria-label": t("history.name"), autocomplete: "off",
        spellcheck: "false", on: { input: () => draw() } });
    const preview = h("pre", { class: "sample preview", tabindex: "0", "aria-label": t("export.preview") });
    const command = h("code");
    let shown = 0;
    const tabs = ["checklist", "fixture", "events"].map((key, index) => chip(t(`test.${key}`), () => {
        shown = index;
        draw();
    }, { "data-file": key }));
    const chosen = () => testFiles(records, title(), catalog)[shown];
    const title = () => name.value.trim().replace(/[^\p{L}\p{N}_-]+/gu, "_") || "recorded";
    const save = () => {
        const { end, type, text } = chosen();
        saveFile(`${title()}.${end}`, type, text());
    };
    openDialog("export", t("marks.test"), [
        labelled(t("history.name"), name),
        h("div", { class: "chips", role: "group", "aria-label": t("export.format") }, tabs), preview,
        h("p", { class: "muted" }, t("test.hint"), " ", command),
        h("div", { class: "line" }, copyButton(t("copy.sql"), t("copy.done"), () => chosen().text()),
            lastButtons(t, primaryButton(t("export.save"), save)))]);
    draw();

    function draw() {
        press(tabs, (tab) => tab === tabs[shown]);
        replaceChildren(preview, foreign(chosen().text()));
        command.textContent = `daybook verify --checklist ${title()}.md --events ${title()}.ndjson`;
    }
}

/** The files, in the order of the tabs.
 * @param {LogRecord[]} records @param {string} title @param {Catalog} catalog */
function testFiles(records, title, catalog) {
    return [
        { end: "md", type: "text/markdown", text: () => checklistOf(records, title, catalog) },
        { end: "json", type: "application/json", text: () => fixtureOf(records, catalog) },
        { end: "ndjson", type: "application/x-ndjson", text: () => ndjson(records.map(withoutBodies)) },
    ];
}
