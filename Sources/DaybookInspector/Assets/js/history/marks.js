// Marked records: what a reader picks for an export or a test.

import { h } from "../base/dom.js";
import { openExport } from "../export/export-dialog.js";
import { openTest } from "../export/test-dialog.js";

/** `changed()` is told when a mark changes. */
export function createMarks(context, changed) {
    const { t } = context;
    const marked = new Map();
    let last = null;
    const words = h("span");
    const button = (text, press) => h("button", { class: "button", type: "button", on: { click: press } }, text);
    const ordered = () => [...marked.values()].sort((left, right) => Number(right.id) - Number(left.id));
    const element = h("div", { class: "marks", hidden: true, role: "group", "aria-label": t("marks.title") },
        words, h("span", { class: "gap" }),
        button(t("marks.test"), () => openTest(context, ordered().reverse())),
        button(t("export.title"), () => openExport(context, { records: async () => ordered(), name: "marked" })),
        button(t("marks.clear"), () => {
            marked.clear();
            draw();
        }));

    function draw() {
        element.hidden = marked.size === 0;
        words.textContent = t("marks.count", { n: marked.size });
        changed();
    }

    return {
        element,
        has: (id) => marked.has(String(id)),
        toggle(record) {
            const id = String(record.id);
            if (!marked.delete(id)) marked.set(id, record);
            last = id;
            draw();
        },
        /** Marks everything loaded between the last mark and this record. */
        through(record, list) {
            const [from, to] = [list.indexOf(last ?? record.id), list.indexOf(record.id)].sort((left, right) => left - right);
            for (let position = from < 0 ? to : from; position <= to; position += 1) {
                const found = list.at(position);
                if (found) marked.set(String(found.id), found);
            }
            last = String(record.id);
            draw();
        },
    };
}
