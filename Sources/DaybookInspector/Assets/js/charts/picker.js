// @ts-check
// How an answer is to be drawn: the kinds, and the columns where the page's own choice does not fit.

import { h } from "../base/dom.js";
import { canDraw, chartKinds } from "./data.js";

/**
 * What an address says of the drawing; a table where it says nothing that is known.
 * @param {Params} params
 * @returns {ChartSettings}
 */
export function settingsOf({ chart, x, y, series }) {
    const kind = chartKinds.find((one) => one === chart) ?? "table";
    return { kind, ...(x ? { x } : {}), ...(y ? { y } : {}), ...(series ? { series } : {}) };
}

/**
 * The same as it stands in an address; nothing for a table.
 * @param {ChartSettings} settings
 */
export function paramsOf({ kind, x, y, series }) {
    return kind === "table" ? {} : { chart: kind, x, y, series };
}

/**
 * @param {PageContext} context
 * @param {Pick<SQLAnswer, "columns" | "rows">} answer
 * @param {ChartSettings} settings
 * @param {(settings: ChartSettings) => void} choose
 */
export function chartPicker({ t }, answer, settings, choose) {
    const drawable = canDraw(answer);
    const column = (/** @type {"x" | "y" | "series"} */ name) => {
        /** @type {HTMLSelectElement} */
        const select = h("select", { class: "field", "aria-label": t(`chart.${name}`), on: {
            change: () => choose({ ...settings, [name]: select.value || undefined }) } },
        h("option", { value: "" }, t(`chart.${name}`)),
        // Columns that a file names, several with commas too.
        [...new Set([...answer.columns, ...(settings[name] ? [settings[name]] : [])])].map((one) =>
            h("option", { value: one, selected: one === settings[name] }, one)));
        return select;
    };
    return [
        h("div", { class: "chips", role: "group", "aria-label": t("chart.title") }, chartKinds.map((kind) => h("button", {
            class: "chip", type: "button", "aria-pressed": String(kind === settings.kind), disabled: kind !== "table" && !drawable,
            on: { click: () => choose({ ...settings, kind }) } }, t(`chart.${kind}`)))),
        settings.kind === "table" || !drawable ? null : h("div", { class: "axes" }, column("x"), column("y"),
            settings.kind === "number" ? null : column("series")),
    ];
}
