// @ts-check
// How an answer is drawn: the kind, and the columns where the default does not fit.

import { button, choiceField } from "../base/controls.js";
import { h } from "../base/dom.js";
import { canDraw, chartKinds } from "./data.js";

/** The settings in an address; unknown ones mean a table.
 * @param {Params} params @returns {ChartSettings} */
export function settingsOf({ chart, x, y, series }) {
    const kind = chartKinds.find((one) => one === chart) ?? "table";
    return { kind, ...(x ? { x } : {}), ...(y ? { y } : {}), ...(series ? { series } : {}) };
}

/** For the address; nothing for a table.
 * @param {ChartSettings} settings */
export function paramsOf({ kind, x, y, series }) {
    return kind === "table" ? {} : { chart: kind, x, y, series };
}

/** @param {PageContext} context @param {AnswerRows} answer @param {ChartSettings} settings
 * @param {(settings: ChartSettings) => void} choose */
export function chartPicker({ t }, answer, settings, choose) {
    const drawable = canDraw(answer);
    const column = (/** @type {"x" | "y" | "series"} */ name) => {
        const chosen = settings[name];
        // A file may name several, separated by commas.
        const names = [...new Set([...answer.columns, ...(chosen ? [chosen] : [])])];
        return choiceField([["", t(`chart.${name}`)], ...names.map((one) => [one, one])], chosen ?? "",
            (value) => choose({ ...settings, [name]: value || undefined }), { "aria-label": t(`chart.${name}`) });
    };
    return [
        h("div", { class: "chips", role: "group", "aria-label": t("chart.title") },
            chartKinds.map((kind) => button("chip", t(`chart.${kind}`), () => choose({ ...settings, kind }),
            { "aria-pressed": String(kind === settings.kind), disabled: kind !== "table" && !drawable }))),
        settings.kind === "table" || !drawable ? null : h("div", { class: "axes" }, column("x"), column("y"),
            settings.kind === "number" ? null : column("series")),
    ];
}
