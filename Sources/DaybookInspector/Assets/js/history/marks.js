// @ts-check
// Marked records, for an export or a test.

import { textButton } from "../base/controls.js";
import { h } from "../base/dom.js";
import { ofKnown, openExport } from "../export/export-dialog.js";
import { openTest } from "../export/test-dialog.js";

export class Marks {
    /** @type {Map<string, LogRecord>} by number */
    #marked = new Map();
    /** @type {string | null} the number of the record that was marked last */
    #last = null;
    #words = h("span");

    /** @param {PageContext} context @param {() => void} changed told when a mark changes */
    constructor(context, changed) {
        const { t } = context;
        this.context = context;
        this.changed = changed;
        this.element = h("div", { class: "marks", hidden: true, role: "group", "aria-label": t("marks.title") },
            this.#words, h("span", { class: "gap" }),
            textButton(t("marks.test"), () => openTest(context, this.#newestFirst().reverse())),
            textButton(t("export.title"), () => openExport(context, { name: "marked",
                records: ofKnown(() => this.#newestFirst()) })),
            textButton(t("marks.clear"), () => {
                this.#marked.clear();
                this.#draw();
            }));
    }

    /** @param {Integer} id */
    has(id) { return this.#marked.has(String(id)); }

    /** @param {LogRecord} record */
    toggle(record) {
        const id = String(record.id);
        if (!this.#marked.delete(id)) this.#marked.set(id, record);
        this.#last = id;
        this.#draw();
    }

    /** Marks all loaded records from the last mark to this one.
     * @param {LogRecord} record @param {import("./record-window.js").RecordWindow} list */
    through(record, list) {
        const [from, to] = [list.indexOf(this.#last ?? record.id), list.indexOf(record.id)]
            .sort((left, right) => left - right);
        for (let position = from < 0 ? to : from; position <= to; position += 1) {
            const found = list.at(position);
            if (found) this.#marked.set(String(found.id), found);
        }
        this.#last = String(record.id);
        this.#draw();
    }

    #newestFirst() { return [...this.#marked.values()].sort((left, right) => Number(right.id) - Number(left.id)); }

    #draw() {
        this.element.hidden = this.#marked.size === 0;
        this.#words.textContent = this.context.t("marks.count", { n: this.#marked.size });
        this.changed();
    }
}
