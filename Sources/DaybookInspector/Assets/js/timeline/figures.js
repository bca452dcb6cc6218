// @ts-check
// The timeline's pieces: positions on a track, the axis, names with figures, and the table.

import { foreign, h, icon } from "../base/dom.js";
import { clockTime, cut, duration, stretch } from "../base/format.js";
import { head, numberCell, numberHead, rowHead, table } from "../base/table.js";
import { axis } from "../model/lanes.js";
import { timeAxis } from "../model/time-axis.js";

/** @param {string} name @param {Record<string, string>} style @param {...Child} content */
export function placed(name, style, ...content) {
    const place = h("div", { class: name }, content);
    for (const [property, value] of Object.entries(style)) place.style.setProperty(property, value);
    return place;
}

/** Hides the last label if the edge would cut it.
 * @param {Element} figures */
export function hideCutLabel(figures) {
    /** @type {HTMLElement | null} */
    const last = figures.querySelector(".axis .gridline:last-child > span");
    const axisBox = last?.closest(".axis")?.getBoundingClientRect();
    if (last && axisBox) last.hidden = last.getBoundingClientRect().right > axisBox.right;
}

const day = 86_400e9;

/** @param {number} time nanoseconds since 1970 */
function nanoseconds(time) { return BigInt(Math.round(time)).toString(); }

/** The axis's marks, as shares of the window. Over more than a day, days start with their date.
 * @param {{ start: number, end: number }} window nanoseconds since 1970
 * @param {number} most about how many
 * @param {Language} language @returns {TimeMark[]} */
export function axisMarks({ start, end }, most, language) {
    if (end - start > day) return timeAxis(nanoseconds(start), nanoseconds(end), most, language);
    const { marks, step } = axis(start, end, most);
    return marks.map((mark) => ({ share: (mark - start) / (end - start), text: markText(mark, step, language),
        isDate: false }));
}

/** The window's range, with days if it is longer than one.
 * @param {{ start: number, end: number }} window nanoseconds since 1970
 * @param {Language} language */
export function windowText({ start, end }, language) {
    const ends = [start, end].map(nanoseconds);
    return end - start > day ? stretch(ends[0], ends[1], Date.now(), language) : ends.map(clockTime).join(" – ");
}

/** As much of the time as the distance between marks needs.
 * @param {number} mark @param {number} step @param {Language} language */
function markText(mark, step, language) {
    const text = clockTime(nanoseconds(mark));
    if (step >= 60e9) return text.slice(0, 5);
    return step >= 1e9 ? text.slice(0, 8) : step >= 1e6 ? text : `${text}+${duration(mark % 1e6, language)}`;
}

/** @param {LaneGroup} group @param {Language} language */
export function laneName({ kind, name, count, p50, p95, max }, language) {
    return h("div", { class: "lanename" }, h("span", { class: "picture" }, icon(kind)),
        h("span", { class: "lanetitle" }, foreign(cut(name, 120), "tag"),
            h("span", { class: "muted" }, `${count}×`,
                h("span", { class: "wide" }, ` · p50 ${duration(p50, language)}`),
                ` · p95 ${duration(p95, language)}`,
                h("span", { class: "wide" }, ` · max ${duration(max, language)}`))));
}

/** The figures as a table.
 * @param {PageContext} context @param {LaneGroup[]} groups */
export function figureTable({ t, language }, groups) {
    const heads = [t("timeline.number"), "p50", "p95", "max", t("timeline.total"), t("release.errors")];
    return table(null, [head(t("history.name")), heads.map((words) => numberHead(words))],
        groups.map(({ name, count, p50, p95, max, total, errors }) => h("tr", null, rowHead(foreign(name)),
            [count, ...[p50, p95, max, total].map((one) => duration(one, language)), errors].map(numberCell))));
}
