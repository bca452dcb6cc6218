// Before anything leaves: what, in which form, and what is replaced, with a preview of exactly what will be written.

import { saveFile } from "../base/bridge.js";
import { copyButton, foreign, h, icon, replaceChildren } from "../base/dom.js";
import { cut } from "../base/format.js";
import { redactedRecord } from "../model/redaction.js";
import { formats } from "./formats.js";

const previewLength = 4_000;
const previewRecords = 50;
const rules = ["private", "credentials", "bodies"];

/**
 * A button that opens the dialog. `source()` → `{ records, name, formats }`: `records(progress, signal)` answers the
 * records, at once or later; `name` is the file's; `formats` is `request` where only requests are among them.
 */
export function createExportButton(context, source) {
    return h("button", { class: "button icononly", type: "button", "aria-label": context.t("export.title"),
        title: context.t("export.title"), on: { click: () => openExport(context, source()) } }, icon("share"));
}

export function openExport(context, { records: fetchRecords, name, formats: wanted }) {
    const { t, catalog } = context;
    const stop = new AbortController();
    const chosen = { format: wanted === "request" ? "har" : "ndjson", private: true, credentials: true, bodies: false };
    let records = null;
    const preview = h("pre", { class: "sample preview", tabindex: "0", "aria-label": t("export.preview") });
    const status = h("p", { class: "muted", role: "status" });
    const format = h("div", { class: "chips", role: "group", "aria-label": t("export.format") },
        Object.keys(formats).map((key) => h("button", {
            class: "chip plain", type: "button", "data-format": key,
            on: { click: () => { chosen.format = key; draw(); } },
        }, t(`export.${key}`))));
    const boxes = rules.map((rule) => h("label", { class: "check" },
        h("input", { type: "checkbox", checked: chosen[rule], on: { change: (event) => {
            chosen[rule] = event.target.checked;
            draw();
        } } }), h("span", null, t(`export.rule.${rule}`))));
    const save = h("button", { class: "button primary", type: "button", disabled: true,
        on: { click: () => saveFile(`${name}.${formats[chosen.format].extension}`, formats[chosen.format].type,
            written(records).text) } }, t("export.save"));
    const dialog = h("dialog", { class: "help export", "aria-label": t("export.title"), on: {
        click: (event) => { if (event.target === dialog) dialog.close(); },
        close: () => { stop.abort(); dialog.remove(); },
    } },
    h("h2", null, t("export.title")), format, h("div", { class: "checks" }, boxes), status, preview,
    h("div", { class: "line" },
        copyButton(t("copy.sql"), t("copy.done"), () => (records ? written(records).text : "")),
        h("span", { class: "gap" }),
        h("button", { class: "button", type: "button", on: { click: () => dialog.close() } }, t("detail.close")), save));
    document.body.append(dialog);
    dialog.showModal();
    draw();
    load();

    function written(given) {
        let count = 0;
        const safe = given.map((record) => {
            const found = redactedRecord(record, catalog, chosen);
            count += found.count;
            return found.record;
        });
        return { text: formats[chosen.format].write(safe), count };
    }

    async function load() {
        try {
            records = await fetchRecords((n) => { status.textContent = t("export.loading", { n }); }, stop.signal);
            save.disabled = false;
            draw();
        } catch (error) {
            if (error.name !== "AbortError") status.textContent = error.message;
        }
    }

    function draw() {
        for (const chip of format.children) {
            chip.setAttribute("aria-pressed", String(chip.dataset.format === chosen.format));
        }
        if (records === null) {
            status.textContent = t("export.loading", { n: 0 });
            return;
        }
        // The whole is counted; only the beginning is shown, for a page cannot hold a million lines.
        const { count } = written(records);
        const { text } = written(records.slice(0, previewRecords));
        status.textContent = [t("export.records", { n: records.length }), t("export.replaced", { n: count })].join(" · ");
        replaceChildren(preview, foreign(cut(text, previewLength)));
    }
}
