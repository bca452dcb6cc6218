// @ts-check
// A statement's answer, wherever it ran: its table, warnings, failure and masked values.

import { messageOf } from "../base/api.js";
import { quietButton } from "../base/controls.js";
import { foreign, h } from "../base/dom.js";
import { cut } from "../base/format.js";
import { head, table } from "../base/table.js";

/** A cell shows one line; files have all of it. */
const longestCell = 2_000;

/** @param {string[]} names @param {Cell[][]} rows */
export function answerTable(names, rows) {
    const isNumber = names.map((_, column) => rows.every((row) => row[column] === null
        || typeof row[column] === "number"));
    const style = (/** @type {number} */ column) => (isNumber[column] ? "number" : null);
    return table(null, names.map((name, column) => head(foreign(name), { class: style(column) })),
        rows.map((row) => h("tr", null, row.map((cell, column) => h("td", { class: style(column) }, cellText(cell))))));
}

/** @param {Cell} cell */
function cellText(cell) {
    if (cell === null) return h("span", { class: "none" }, "NULL");
    if (typeof cell === "object") return h("span", { class: "none" },
        `x'${cell.hex.slice(0, 64)}${cell.hex.length > 64 ? "…" : ""}'`);
    return foreign(typeof cell === "string" ? cut(cell, longestCell) : cell);
}

/** Suspicious places in a statement.
 * @param {Translate} t @param {StatementWarning[]} warnings */
export function warningLines(t, warnings) {
    return warnings.map(({ line, column, message }) => h("p", { class: "warningline" },
        t("sql.place", { line, column }), " ", foreign(message)));
}

/** @param {string} title @param {unknown} failure */
export function failureBox(title, failure) {
    return h("div", { class: "failure", role: "alert" }, h("strong", null, title),
        h("pre", null, foreign(messageOf(failure))));
}

/** Runs it again with private values, or without; null if nothing is masked.
 * @param {Translate} t @param {SQLAnswer} answer @param {boolean} reveals @param {(reveals: boolean) => void} again */
export function revealButton(t, answer, reveals, again) {
    return answer.masked || reveals
        ? quietButton(t(reveals ? "detail.mask" : "detail.reveal"), () => again(!reveals)) : null;
}
