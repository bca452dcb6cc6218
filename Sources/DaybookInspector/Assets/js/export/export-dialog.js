// @ts-check
// Before anything leaves: what, in which format, what is replaced, and a preview of exactly what is written.

import { call, isAbort, messageOf } from "../base/api.js";
import { saveFile } from "../base/bridge.js";
import { checked, chip, iconButton, pictureButton, press, primaryButton } from "../base/controls.js";
import { lastButtons, openDialog } from "../base/dialog.js";
import { copyButton, foreign, h, icon, replaceChildren } from "../base/dom.js";
import { cut } from "../base/format.js";
import { markCount, withoutBodies } from "../model/redaction.js";
import { formats } from "./formats.js";

const previewLength = 4_000;
const previewRecords = 50;
/** What is replaced: private values and credentials (masked by the collector), or the bodies of requests.
 * @typedef {"private" | "bodies"} Rule */
/** @type {Rule[]} */
const rules = ["private", "bodies"];

/** Records that the page already has; masked ones are fetched again when they are to be revealed.
 * @param {() => LogRecord[]} known @returns {ExportSource["records"]} */
export function ofKnown(known) {
    return async (progress, signal, reveals) => {
        const records = known();
        if (!reveals) return records;
        /** @type {LogRecord[]} */
        const whole = [];
        for (const record of records) {
            whole.push(record.masked ? (await call(`records/${record.id}?private=show`, { signal })).record : record);
            progress(whole.length);
        }
        return whole;
    };
}

/** @param {PageContext} context @param {() => ExportSource} source */
export function exportButton(context, source) {
    return iconButton("", context.t("export.title"), icon("share"), () => openExport(context, source()));
}

/** The same as a quiet button with words.
 * @param {PageContext} context @param {() => ExportSource} source */
export function quietExportButton(context, source) {
    return pictureButton("share", context.t("export.title"), () => openExport(context, source()));
}

/** @param {PageContext} context @param {ExportSource} source */
export function openExport(context, source) { new ExportDialog(context, source).open(); }

class ExportDialog {
    /** @type {LogRecord[] | null} null until they have come */
    #records = null;
    #format;
    /** @type {Record<Rule, boolean>} */
    #rules = { private: true, bodies: false };
    #stop = new AbortController();
    /** What this format does to values. */
    #note = h("p", { class: "muted" });
    #chips;
    #save;
    #status = h("p", { class: "muted", role: "status" });
    #preview;

    /** @param {PageContext} context @param {ExportSource} source */
    constructor(context, source) {
        const { t } = context;
        this.context = context;
        this.source = source;
        this.#format = source.formats === "request" ? "har" : "ndjson";
        this.#preview = h("pre", { class: "sample preview", tabindex: "0", "aria-label": t("export.preview") });
        this.#chips = Object.entries(formats).map(([key, { name }]) => chip(name, () => {
            this.#format = key;
            this.#draw();
        }, { "data-format": key }));
        this.#save = primaryButton(t("export.save"), () => this.#saveFile());
    }

    open() {
        const { t } = this.context;
        openDialog("export", t("export.title"), [
            h("div", { class: "chips", role: "group", "aria-label": t("export.format") }, this.#chips),
            h("div", { class: "checks" }, rules.map((rule) => this.#box(rule))), this.#status, this.#note,
            this.#preview, h("div", { class: "line" }, copyButton(t("copy.sql"), t("copy.done"), () => this.#text()),
                lastButtons(t, this.#save)),
        ], () => this.#stop.abort());
        this.#draw();
        this.#load();
    }

    /** @param {Rule} rule */
    #box(rule) {
        const box = h("input", { type: "checkbox", checked: this.#rules[rule], on: { change: () => {
            this.#rules[rule] = box.checked;
            if (rule === "private") this.#load();
            else this.#draw();
        } } });
        return checked(box, this.context.t(`export.rule.${rule}`));
    }

    async #load() {
        const { t } = this.context;
        const reveals = !this.#rules.private;
        this.#records = null;
        this.#save.disabled = true;
        this.#draw();
        try {
            const records = await this.source.records((n) => {
                this.#status.textContent = t("export.loading", { n });
            }, this.#stop.signal, reveals);
            if (reveals === this.#rules.private) return;
            this.#records = records;
            this.#save.disabled = false;
            this.#draw();
        } catch (error) {
            if (!isAbort(error)) this.#status.textContent = messageOf(error);
        }
    }

    /** @param {LogRecord[]} records */
    #written(records) {
        const written = this.#rules.bodies ? records.map(withoutBodies) : records;
        return { text: formats[this.#format].write(written), count: markCount(written) };
    }

    #text() { return this.#records ? this.#written(this.#records).text : ""; }

    #saveFile() {
        const { extension, type } = formats[this.#format];
        saveFile(`${this.source.name}.${extension}`, type, this.#text());
    }

    #draw() {
        const { t } = this.context;
        press(this.#chips, ({ dataset }) => dataset.format === this.#format);
        this.#note.textContent = this.#format === "csv" ? t("export.csvNote") : "";
        if (this.#records === null) {
            this.#status.textContent = t("export.loading", { n: 0 });
            replaceChildren(this.#preview);
            return;
        }
        // Everything is counted, but only the beginning is shown: a page cannot hold a million lines.
        const { count } = this.#written(this.#records);
        const { text } = this.#written(this.#records.slice(0, previewRecords));
        this.#status.textContent = [t("export.records", { n: this.#records.length }),
            t("export.replaced", { n: count })]
            .join(" · ");
        replaceChildren(this.#preview, foreign(cut(text, previewLength)));
    }
}
