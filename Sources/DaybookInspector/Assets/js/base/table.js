// @ts-check
// Tables, and their cells.

import { h } from "./dom.js";

/** @param {string | null} name its class @param {Child} heads @param {Child} rows */
export function table(name, heads, rows) {
    return h("table", { class: name }, h("thead", null, h("tr", null, heads)), h("tbody", null, rows));
}

/** @param {Child} content @param {Properties} [properties] */
export function head(content, properties) { return h("th", { scope: "col", ...properties }, content); }

/** The head of a column of numbers.
 * @param {Child} content @param {string} [title] */
export function numberHead(content, title) { return head(content, { class: "number", title }); }

/** @param {Child} content */
export function rowHead(content) { return h("th", { scope: "row" }, content); }

/** @param {Child} content */
export function numberCell(content) { return h("td", { class: "number" }, content); }
