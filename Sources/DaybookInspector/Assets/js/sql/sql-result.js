// What a statement answered, as a table and as files. Columns that have the name of a private one are masked until
// somebody asks for them, in the files too.

import { saveFile } from "../base/bridge.js";
import { foreign, h } from "../base/dom.js";
import { cut } from "../base/format.js";
import { table as commaSeparated } from "../export/formats.js";
import { resultLines, shownRows } from "../model/sql-answer.js";

/** What a cell holds of a text at most: it shows one line of it, the files have it whole. */
const longestCell = 2_000;

/** `redraw(reveals)` draws the same answer with its private columns shown or masked. */
export function sqlResult({ t, catalog }, answer, reveals, redraw) {
    const { rows, hasPrivate } = shownRows(answer, catalog.privateNames, reveals);
    const names = answer.columns;
    const save = (words, end, type, text) => h("button", { class: "button quiet", type: "button",
        on: { click: () => saveFile(`result.${end}`, type, text()) } }, words);
    return [
        h("div", { class: "line resulttools" },
            save("CSV", "csv", "text/csv", () => commaSeparated(names, rows)),
            save("NDJSON", "ndjson", "application/x-ndjson", () => resultLines(names, rows)),
            hasPrivate ? h("button", { class: "button quiet", type: "button", on: { click: () => redraw(!reveals) } },
                t(reveals ? "detail.mask" : "detail.reveal")) : null),
        table(names, rows),
    ];
}

function table(names, rows) {
    const isNumber = names.map((_, column) => rows.every((row) => row[column] === null
        || typeof row[column] === "number"));
    const style = (column) => (isNumber[column] ? "number" : null);
    return h("table", null,
        h("thead", null, h("tr", null, names.map((name, column) =>
            h("th", { scope: "col", class: style(column) }, foreign(name))))),
        h("tbody", null, rows.map((row) => h("tr", null,
            row.map((cell, column) => h("td", { class: style(column) }, cellText(cell)))))));
}

function cellText(cell) {
    if (cell === null) return h("span", { class: "none" }, "NULL");
    if (typeof cell === "object") return h("span", { class: "none" },
        `x'${cell.hex.slice(0, 64)}${cell.hex.length > 64 ? "…" : ""}'`);
    return foreign(typeof cell === "string" ? cut(cell, longestCell) : cell);
}
