// @ts-check
// What a statement answered, as a table and as files. Columns that have the name of a private one are masked until
// somebody asks for them, in the files too.

import { saveFile } from "../base/bridge.js";
import { foreign, h } from "../base/dom.js";
import { cut } from "../base/format.js";
import { table as commaSeparated } from "../export/formats.js";
import { mask } from "../model/record.js";

/** What a cell holds of a text at most: it shows one line of it, the files have it whole. */
const longestCell = 2_000;

/**
 * @param {PageContext} context
 * @param {SQLAnswer} answer
 * @param {boolean} reveals whether private columns are shown
 * @param {(reveals: boolean) => void} redraw draws the same answer with its private columns shown or masked
 */
export function sqlResult({ t, catalog }, answer, reveals, redraw) {
    const { rows, hasPrivate } = shownRows(answer, catalog.privateNames, reveals);
    const names = answer.columns;
    const save = (/** @type {string} */ words, /** @type {string} */ end, /** @type {string} */ type,
        /** @type {() => string} */ text) => h("button", { class: "button quiet", type: "button",
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

/**
 * The rows with the columns masked that have the name of a private one, unless `reveals`.
 * @param {Pick<SQLAnswer, "columns" | "rows">} answer
 * @param {Set<string>} privateNames
 * @param {boolean} reveals
 */
export function shownRows({ columns, rows }, privateNames, reveals) {
    const hidden = new Set(columns.flatMap((name, index) => (privateNames.has(name) ? [index] : [])));
    const shown = reveals || hidden.size === 0 ? rows
        : rows.map((row) => row.map((cell, index) => (hidden.has(index) && cell !== null ? mask : cell)));
    return { rows: shown, hasPrivate: hidden.size > 0 };
}

/**
 * One object a line; of two columns with one name the second is `name_2`.
 * @param {string[]} columns
 * @param {Cell[][]} rows
 */
export function resultLines(columns, rows) {
    const taken = new Set();
    const names = columns.map((column) => {
        let name = column;
        for (let number = 2; taken.has(name); number += 1) name = `${column}_${number}`;
        taken.add(name);
        return name;
    });
    return rows.map((row) => `${JSON.stringify(Object.fromEntries(names.map((name, index) => [name, row[index]])))}\n`)
        .join("");
}

/**
 * @param {string[]} names
 * @param {Cell[][]} rows
 */
function table(names, rows) {
    const isNumber = names.map((_, column) => rows.every((row) => row[column] === null
        || typeof row[column] === "number"));
    const style = (/** @type {number} */ column) => (isNumber[column] ? "number" : null);
    return h("table", null,
        h("thead", null, h("tr", null, names.map((name, column) =>
            h("th", { scope: "col", class: style(column) }, foreign(name))))),
        h("tbody", null, rows.map((row) => h("tr", null,
            row.map((cell, column) => h("td", { class: style(column) }, cellText(cell)))))));
}

/** @param {Cell} cell */
function cellText(cell) {
    if (cell === null) return h("span", { class: "none" }, "NULL");
    if (typeof cell === "object") return h("span", { class: "none" },
        `x'${cell.hex.slice(0, 64)}${cell.hex.length > 64 ? "…" : ""}'`);
    return foreign(typeof cell === "string" ? cut(cell, longestCell) : cell);
}
