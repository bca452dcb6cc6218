// @ts-check
// A layout as SVG. Colours come from the style sheet by role and series, so that the theme applies; series also differ
// by dashes, marks and hatching.

import { svg } from "../base/dom.js";
import { markPath } from "./shapes.js";

/** For lines: stroke and gap, in pixels. */
const dashes = [null, "6 4", "2 3", "10 4 2 4", "12 5", "1 4", "8 3 2 3 2 3", "4 2"];
/** For areas and bars, within 8 × 8 pixels; the first is plain. */
const hatches = [null, "M0 8L8 0M-2 2L2 -2M6 10L10 6", "M0 0L8 8M-2 6L2 10M6 -2L10 2", "M0 2H8M0 6H8", "M2 0V8M6 0V8",
    "M0 4H8M4 0V8", "M2 2h2v2h-2ZM6 6h2v2h-2Z", "M0 0L8 8M8 0L0 8"];
const legendRow = 20;
let drawings = 0;

/** @param {ChartLayout} layout @param {string} summary what a screen reader says of it
 * @param {string[]} [legend] the series' names, where the drawing has to tell them itself */
export function drawing({ width, height, shapes, words }, summary, legend = []) {
    drawings += 1;
    const id = (/** @type {number} */ series) => `hatch-${drawings}-${series}`;
    const used = [...new Set(shapes.filter(({ role }) => role === "bar" || role === "area")
        .map(({ series }) => series ?? 0))];
    const whole = height + legend.length * legendRow;
    return svg("svg", { class: "drawing", width, height: whole, viewBox: `0 0 ${width} ${whole}`, role: "img",
        "aria-label": summary },
        svg("defs", {}, ...used.filter((series) => hatches[series]).map((series) => hatch(id(series), series))),
        ...shapes.map(({ role, path, series }) => svg("path", {
            d: path, class: role, "data-series": series ?? null,
            fill: (role === "bar" || role === "area") && hatches[series ?? 0] ? `url(#${id(series ?? 0)})` : null,
            "stroke-dasharray": role === "line" ? dashes[series ?? 0] : null,
        })),
        ...words.map(({ role, x, y, anchor, text }) => svg("text", { class: role, x, y, "text-anchor": anchor }, text)),
        ...legend.flatMap((name, series) => [
            svg("path", { d: markPath(series, 14, height + series * legendRow + 8), class: "dot",
                "data-series": series }),
            svg("text", { class: "name", x: 26, y: height + series * legendRow + 12 }, name),
        ]));
}

/** A series' sample, small enough for a line of text.
 * @param {number} series @param {"line" | "area" | "bar"} kind */
export function swatch(series, kind) {
    drawings += 1;
    const id = `hatch-${drawings}-${series}`;
    const isLine = kind === "line";
    return svg("svg", { class: "swatch", width: 22, height: 12, viewBox: "0 0 22 12", "aria-hidden": "true" },
        svg("defs", {}, ...(isLine || !hatches[series] ? [] : [hatch(id, series)])),
        ...(isLine ? [svg("path", { d: "M0 6H22", class: "line", "data-series": series,
            "stroke-dasharray": dashes[series] }),
            svg("path", { d: markPath(series, 11, 6), class: "dot", "data-series": series })]
            : [svg("path", { d: "M0 1h22v10h-22Z", class: "bar", "data-series": series,
                fill: hatches[series] ? `url(#${id})` : null })]));
}

/** @param {string} id @param {number} series */
function hatch(id, series) {
    return svg("pattern", { id, width: 8, height: 8, patternUnits: "userSpaceOnUse", class: "hatch",
        "data-series": series }, svg("rect", { width: 8, height: 8 }), svg("path", { d: hatches[series] ?? "" }));
}
