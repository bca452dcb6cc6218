// @ts-check
// The lines, areas and bars of a chart as paths, and where the labels are. Pure; in pixels.

import { numberText } from "../base/format.js";
import { momentText, shortNumber, timeTicks, valueScale } from "./scale.js";

const edge = 8;
const axisHeight = 22;
/** The approximate width of a label's character; East Asian ones are wider. */
const letter = 6.6;
const wideLetter = 11.5;
const tickWidth = 76;
const rowHeight = 24;
/** More points get no marks of their own. */
const mostDots = 60;

/** @param {string} text */
function widthOf(text) {
    let width = 0;
    for (const character of text) width += (character.codePointAt(0) ?? 0) >= 0x2e80 ? wideLetter : letter;
    return width;
}

/** @param {string} text @param {number} room in pixels */
function cutTo(text, room) {
    if (widthOf(text) <= room) return text;
    let shown = "";
    for (const character of text) {
        if (widthOf(shown + character) > room - letter) break;
        shown += character;
    }
    return `${shown || text.slice(0, 1)}…`;
}

/** @param {number} value */
const at = (value) => String(Math.round(value * 100) / 100);

/** A line through the points, with gaps at null.
 * @param {({ x: number, y: number } | null)[]} points */
export function linePath(points) {
    let isOpen = false;
    return points.map((point) => {
        if (point === null) {
            isOpen = false;
            return "";
        }
        const step = `${isOpen ? "L" : "M"}${at(point.x)} ${at(point.y)}`;
        isOpen = true;
        return step;
    }).join("");
}

/** The area between two lines with the same number of points.
 * @param {{ x: number, y: number }[]} upper @param {{ x: number, y: number }[]} lower */
export function areaPath(upper, lower) {
    return upper.length === 0 ? "" : `${linePath(upper)}${linePath([...lower].reverse()).replace("M", "L")}Z`;
}

/** @param {number} x @param {number} y @param {number} width @param {number} height */
function barPath(x, y, width, height) {
    return `M${at(x)} ${at(y)}h${at(width)}v${at(height)}h${at(-width)}Z`;
}

/** @param {ChartSeries} series */
export function present({ values }) { return values.flatMap((value) => (value === null ? [] : [value])); }

/** The marks of a series' points: their shapes differ, too. */
const marks = [
    (/** @type {number} */ x, /** @type {number} */ y) => `M${at(x - 3)} ${at(y)}a3 3 0 1 0 6 0a3 3 0 1 0 -6 0Z`,
    (/** @type {number} */ x, /** @type {number} */ y) => barPath(x - 2.7, y - 2.7, 5.4, 5.4),
    (/** @type {number} */ x, /** @type {number} */ y) => `M${at(x)} ${at(y - 3.6)}l3.6 6.4h-7.2Z`,
    (/** @type {number} */ x, /** @type {number} */ y) => `M${at(x)} ${at(y - 3.8)}l3.8 3.8l-3.8 3.8l-3.8 -3.8Z`,
];

/** @param {number} series @param {number} x @param {number} y */
export function markPath(series, x, y) { return marks[series % marks.length](x, y); }

/** For each series and place the lower and upper value when stacked; negative ones go down.
 * @param {ChartSeries[]} series */
export function stacked(series) {
    const [ups, downs] = [series[0]?.values.map(() => 0) ?? [], series[0]?.values.map(() => 0) ?? []];
    return series.map(({ values }) => values.map((value, index) => {
        const side = (value ?? 0) < 0 ? downs : ups;
        const low = side[index];
        side[index] += value ?? 0;
        return { low, high: side[index] };
    }));
}

/** A chart of a given width: everything that is drawn, and where the places are. Bars beside names may need more than
 * the height.
 * @param {ChartData} data @param {"line" | "area" | "bar"} kind
 * @param {{ width: number, height: number, language: Language }} form @returns {ChartLayout} */
export function layout(data, kind, form) {
    return kind === "bar" && data.x.type === "category" ? lying(data, form) : standing(data, kind, form);
}

/** Names on the left, with a bar per series to the right of each.
 * @param {ChartData} data @param {{ width: number, height: number, language: Language }} form @returns {ChartLayout} */
function lying({ x, series }, { width, language }) {
    const thickness = series.length > 1 ? Math.max(7, Math.min(14, 42 / series.length)) : 14;
    const row = Math.max(rowHeight, thickness * series.length + 8);
    const left = Math.min(width * 0.38, Math.max(0, ...x.labels.map(widthOf)) + 14);
    const [top, bottom] = [edge, edge + row * x.labels.length];
    const scale = valueScale(series.flatMap(present), Math.max(2, Math.floor((width - left) / tickWidth)));
    const span = Math.max(1, width - left - edge - 34);
    const place = (/** @type {number} */ value) => left + (value - scale.low) / (scale.high - scale.low) * span;
    const zero = place(0);
    const height = bottom + axisHeight;
    return {
        width, height, top, bottom, left, right: width - edge, isUpright: false,
        shapes: [
            ...scale.ticks.map((tick) => /** @type {ChartShape} */ ({ role: tick === 0 ? "base" : "grid",
                path: `M${at(place(tick))} ${at(top)}V${at(bottom)}` })),
            ...series.flatMap(({ values }, number) => values.flatMap((value, index) => (value === null ? [] : [
                /** @type {ChartShape} */ ({ role: "bar", series: number, path: barPath(Math.min(zero, place(value)),
                    top + index * row + (row - thickness * series.length) / 2 + number * thickness,
                    Math.max(1, Math.abs(place(value) - zero)), thickness - (series.length > 1 ? 1 : 0)) })]))),
        ],
        words: [
            ...scale.ticks.map((tick) => /** @type {ChartWords} */ ({ role: "tick", x: place(tick), y: bottom + 15,
                anchor: "middle", text: shortNumber(tick, language) })),
            ...x.labels.map((label, index) => /** @type {ChartWords} */ ({ role: "name", x: left - 8, anchor: "end",
                y: top + index * row + row / 2 + 4, text: cutTo(label, left - 12) })),
            // A single series has room for its values.
            ...(series.length === 1 ? series[0].values.flatMap((value, index) => (value === null ? [] : [
                /** @type {ChartWords} */ ({ role: "tick", x: Math.max(zero, place(value)) + 5, anchor: "start",
                    y: top + index * row + row / 2 + 4, text: shortNumber(value, language) })])) : []),
        ],
        places: x.labels.map((_, index) => ({ x: left, y: top + index * row + row / 2 })),
    };
}

/** Values on the y axis; times, numbers or names on the x axis.
 * @param {ChartData} data @param {"line" | "area" | "bar"} kind
 * @param {{ width: number, height: number, language: Language }} form @returns {ChartLayout} */
function standing({ x, series }, kind, { width, height, language }) {
    const piled = kind === "line" ? [] : stacked(series);
    const [top, bottom] = [edge + 4, height - axisHeight];
    const scale = valueScale(kind === "line" ? series.flatMap(present)
        : piled.flatMap((one) => one.flatMap(({ low, high }) => [low, high])),
        Math.max(2, Math.floor((bottom - top) / 44)));
    const labels = scale.ticks.map((tick) => shortNumber(tick, language));
    const left = Math.max(...labels.map(widthOf)) + 14;
    const right = width - edge - 4;
    const count = x.labels.length;
    const points = x.type === "category" ? x.labels.map((_, index) => index) : x.at;
    const gap = Math.min(...points.slice(1).map((value, index) => value - points[index]).filter((one) => one > 0),
        count > 1 ? points[count - 1] - points[0] || 1 : 1);
    // Bars and single points need room on both sides.
    const margin = kind === "bar" || count === 1 ? gap / 2 : 0;
    const [from, to] = [points[0] - margin, points[count - 1] + margin];
    const along = (/** @type {number} */ value) =>
        left + (to > from ? (value - from) / (to - from) : 0.5) * (right - left);
    const up = (/** @type {number} */ value) =>
        bottom - (value - scale.low) / (scale.high - scale.low) * (bottom - top);
    const xs = points.map(along);
    const bar = Math.max(1, Math.min(64, gap / Math.max(to - from, Number.MIN_VALUE) * (right - left) * 0.76));
    /** @type {ChartShape[]} */
    const shapes = scale.ticks.map((tick) => ({ role: tick === 0 ? "base" : "grid",
        path: `M${at(left)} ${at(up(tick))}H${at(right)}` }));
    series.forEach(({ values }, number) => {
        if (kind === "bar") {
            piled[number].forEach(({ low, high }, index) => {
                if (low !== high) shapes.push({ role: "bar", series: number, path: barPath(xs[index] - bar / 2,
                    Math.min(up(low), up(high)), bar, Math.max(0.5, Math.abs(up(high) - up(low)))) });
            });
            return;
        }
        const tops = values.map((value, index) => (kind === "area" ? { x: xs[index], y: up(piled[number][index].high) }
            : value === null ? null : { x: xs[index], y: up(value) }));
        if (kind === "area") shapes.push({ role: "area", series: number,
            path: areaPath(/** @type {{ x: number, y: number }[]} */ (tops),
                piled[number].map(({ low }, index) => ({ x: xs[index], y: up(low) }))) });
        shapes.push({ role: "line", series: number, path: linePath(tops) });
        if (kind === "line" && count <= mostDots) {
            for (const point of tops) {
                if (point) shapes.push({ role: "dot", series: number, path: markPath(number, point.x, point.y) });
            }
        }
    });
    return {
        width, height, top, bottom, left, right, isUpright: true, shapes,
        words: [
            ...scale.ticks.map((tick, index) =>
                /** @type {ChartWords} */ ({ role: "tick", x: left - 8, y: up(tick) + 4, anchor: "end",
                text: labels[index] })),
            ...alongTicks(x, from, to, Math.floor((right - left) / tickWidth), language).map(({ value, text }) =>
                fitting(along(value), bottom + 16, text, width)),
        ],
        places: xs.map((value) => ({ x: value, y: bottom })),
    };
}

/** A label below its place, kept within the drawing.
 * @param {number} x @param {number} y @param {string} text @param {number} width @returns {ChartWords} */
function fitting(x, y, text, width) {
    const half = widthOf(text) / 2;
    if (x + half > width) return { role: "tick", x: width - 1, y, anchor: "end", text };
    return x < half ? { role: "tick", x: 1, y, anchor: "start", text } : { role: "tick", x, y, anchor: "middle", text };
}

/** @param {ChartData["x"]} x @param {number} from @param {number} to @param {number} most @param {Language} language */
function alongTicks(x, from, to, most, language) {
    const count = x.labels.length;
    if (x.type === "time") {
        // A few times are labelled one by one, each below its point.
        if (count > most) return timeTicks(from, to, Math.max(1, most), language);
        const gap = Math.min(...x.at.slice(1).map((value, index) => value - x.at[index]), Infinity);
        return x.at.map((value) => ({ value, text: momentText(value, gap, language) }));
    }
    if (x.type === "number") {
        const { ticks } = valueScale([from, to], Math.max(1, most));
        return ticks.filter((value) => value >= from && value <= to)
            .map((value) => ({ value, text: shortNumber(value, language) }));
    }
    const every = Math.max(1, Math.ceil(count / Math.max(1, most)));
    return x.labels.map((label, value) => ({ value, text: cutTo(label, tickWidth * every) }))
        .filter((_, index) => index % every === 0);
}

/** The values at a place, as text: `Nov 20: 4.12.0 12, 4.11.3 7`.
 * @param {ChartData} data @param {number} index @param {Language} language */
export function reading({ x, series }, index, language) {
    return `${x.labels[index]}: ${series.map(({ name, values }) => {
        const value = values[index];
        return `${name} ${value === null ? "–" : numberText(value, language)}`;
    }).join(", ")}`;
}
