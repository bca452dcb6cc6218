// From what was recorded to a test: the checklist and the fixture of the marked records, to save or to copy.

import { saveFile } from "../base/bridge.js";
import { copyButton, foreign, h, replaceChildren } from "../base/dom.js";
import { redactedRecord } from "../model/redaction.js";
import { ndjson } from "./formats.js";
import { checklistOf, fixtureOf } from "./test-files.js";

/** `records`: oldest first. */
export function openTest(context, records) {
    const { t, catalog } = context;
    let shown = "checklist";
    const name = h("input", { class: "field", value: "recorded", "aria-label": t("test.name"), autocomplete: "off",
        spellcheck: "false", on: { input: () => draw() } });
    const title = () => name.value.trim().replace(/[^\p{L}\p{N}_-]+/gu, "_") || "recorded";
    const safe = () => records.map((record) => redactedRecord(record, catalog,
        { private: true, credentials: true, bodies: true }).record);
    const files = {
        checklist: { name: () => `${title()}.md`, type: "text/markdown",
            text: () => checklistOf(records, title(), catalog) },
        fixture: { name: () => `${title()}.json`, type: "application/json", text: () => fixtureOf(records, catalog) },
        events: { name: () => `${title()}.ndjson`, type: "application/x-ndjson", text: () => ndjson(safe()) },
    };
    const preview = h("pre", { class: "sample preview", tabindex: "0", "aria-label": t("export.preview") });
    const command = h("code");
    const tabs = h("div", { class: "chips", role: "group", "aria-label": t("export.format") },
        Object.keys(files).map((key) => h("button", { class: "chip plain", type: "button", "data-file": key,
            on: { click: () => { shown = key; draw(); } } }, t(`test.${key}`))));
    const dialog = h("dialog", { class: "help export", "aria-label": t("marks.test"), on: {
        click: (event) => { if (event.target === dialog) dialog.close(); }, close: () => dialog.remove(),
    } },
    h("h2", null, t("marks.test")), h("label", { class: "check" }, h("span", null, t("test.name")), name), tabs, preview,
    h("p", { class: "muted" }, t("test.hint"), " ", command),
    h("div", { class: "line" }, copyButton(t("copy.sql"), t("copy.done"), () => files[shown].text()),
        h("span", { class: "gap" }),
        h("button", { class: "button", type: "button", on: { click: () => dialog.close() } }, t("detail.close")),
        h("button", { class: "button primary", type: "button",
            on: { click: () => saveFile(files[shown].name(), files[shown].type, files[shown].text()) } }, t("export.save"))));
    document.body.append(dialog);
    dialog.showModal();
    draw();

    function draw() {
        for (const tab of tabs.children) tab.setAttribute("aria-pressed", String(tab.dataset.file === shown));
        replaceChildren(preview, foreign(files[shown].text()));
        command.textContent = `daybook verify --checklist ${title()}.md --events ${title()}.ndjson`;
    }
}
