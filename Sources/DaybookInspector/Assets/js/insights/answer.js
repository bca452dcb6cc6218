// @ts-check
// An insight's answer: a funnel's steps as bars, retention as a grid, the others as lists. All are tables or lists of text;
// bars and shades only repeat it.

import { foreign, h } from "../base/dom.js";
import { duration, numberText, percentText } from "../base/format.js";
import { notice } from "../base/pane.js";
import { head, numberCell, numberHead, rowHead, table } from "../base/table.js";

/** With more groups the funnel becomes a table. */
const mostSideBySide = 4;

/** @param {PageContext} context @param {InsightAnswer} answer */
export function drawAnswer(context, answer) {
    if (answer.kind === "funnel") return drawFunnel(context, answer);
    if (!answer.rows?.length) return notice(context.t("insight.nothing"), null);
    if (answer.kind === "retention") return drawRetention(context, answer);
    if (answer.kind === "differ") return drawDifferences(context, answer);
    if (answer.columns?.includes("from")) return drawBuckets(context, answer);
    return answer.kind === "path" ? drawPaths(context, answer) : drawNumbers(context, answer);
}

/** @param {PageContext} context @param {InsightAnswer} answer */
function drawFunnel(context, answer) {
    const { t, language } = context;
    const groups = grouped(answer);
    if (groups.length > mostSideBySide) return funnelTable(context, groups);
    if (groups.length === 0) return notice(t("insight.nothing"), null);
    return h("div", { class: "funnels" }, groups.map(({ names, steps }) => {
        const last = steps[steps.length - 1];
        return h("section", { class: "funnel", "aria-label": names.join(" ") || t("insight.everybody") },
            h("h3", null, names.length > 0 ? foreign(names.join(" · ")) : t("insight.everybody"),
                h("strong", { class: "conversion" }, percentText(last.ofFirst, language))),
            h("ol", { class: "funnelsteps" }, steps.map((step, index) => h("li", { class: "funnelstep" },
                h("div", { class: "steptop" }, foreign(step.event, "tag"),
                    h("span", { class: "people" }, t(`insight.${answer.counted}`, { n: step.count }))),
                h("div", { class: "funnelbar", "aria-hidden": "true" }, bar(step.ofFirst)),
                index === 0 ? null : h("div", { class: "muted stepfacts" },
                    h("span", null, t("insight.ofFirst", { share: percentText(step.ofFirst, language) })),
                    h("span", null, t("insight.ofPrevious", { share: percentText(step.ofPrevious, language) })),
                    step.median === null ? null : h("span", null,
                        t("insight.median", { time: duration(step.median * 1e9, language) })))))));
    }));
}

/** @param {number | null} part of 1 */
function bar(part) {
    const fill = h("span");
    fill.style.width = `${Math.max((part ?? 0) * 100, part ? 0.5 : 0)}%`;
    return fill;
}

/** The steps, by version and period.
 * @param {InsightAnswer} answer */
function grouped({ counted, columns = [], rows = [] }) {
    const place = (/** @type {string} */ name) => columns.indexOf(name);
    /** @type {{ names: string[], steps: { event: string, count: number, ofFirst: number | null,
     *     ofPrevious: number | null, median: number | null }[] }[]} */
    const groups = [];
    const first = place("step");
    for (const row of rows) {
        if (row[first] === 1) groups.push({ names: row.slice(0, first).map((name) => String(name) || "–"), steps: [] });
        const value = (/** @type {string} */ name) => /** @type {number | null} */ (row[place(name)]);
        groups[groups.length - 1].steps.push({
            event: String(row[place("event")]), count: Number(row[place(counted)]), ofFirst: value("of_first"),
            ofPrevious: value("of_previous"), median: value("median"),
        });
    }
    return groups;
}

/** @param {PageContext} context @param {ReturnType<typeof grouped>} groups */
function funnelTable({ language }, groups) {
    const steps = groups[0].steps.map((step) => step.event);
    return table(null, [groups[0].names.map(() => head(null)), steps.map((event) => numberHead(foreign(event)))],
        groups.map(({ names, steps: counts }) => h("tr", null, names.map((name) => rowHead(foreign(name))),
            counts.map(({ count, ofFirst }, index) => shaded(ofFirst ?? 0, numberText(count, language)
                + (index === 0 ? "" : ` · ${percentText(ofFirst, language)}`))))));
}

/** @param {PageContext} context @param {InsightAnswer} answer */
function drawRetention({ t, language }, { counted, columns = [], rows = [] }) {
    const groups = columns.indexOf(counted);
    const unit = columns[groups - 1] === "week" ? "insight.week" : "insight.day";
    return table("retention", [columns.slice(0, groups - 1).map((name) => groupHead(t, name)), head(t("insight.first")),
        numberHead(t(`insight.${counted}Column`)),
        columns.slice(groups + 1).map((_, index) => numberHead(t(unit, { n: index + 1 })))],
    rows.map((row) => {
        const [all, ...later] = row.slice(groups);
        return h("tr", null, row.slice(0, groups).map((name) => rowHead(foreign(name || "–"))),
            numberCell(numberText(Number(all), language)), later.map((count) => {
                if (count === null) return h("td", { class: "number muted" }, "");
                const part = Number(all) > 0 ? Number(count) / Number(all) : 0;
                return shaded(part, percentText(part, language), numberText(Number(count), language));
            }));
    }));
}

/** @param {PageContext} context @param {InsightAnswer} answer */
function drawPaths({ t, language }, { counted, columns = [], rows = [] }) {
    const nexts = columns.filter((name) => name.startsWith("next")).length;
    const groups = columns.indexOf("next1");
    return table("paths", [columns.slice(0, groups).map((name) => groupHead(t, name)),
        Array.from({ length: nexts }, (_, index) => head(t("insight.next", { n: index + 1 }))),
        numberHead(t("insight.times")), numberHead(t(`insight.${counted}Column`)), numberHead(t("breakdown.share"))],
    rows.map((row) => {
        const cells = row.slice(groups);
        const part = Number(cells[nexts + 2] ?? 0);
        return h("tr", null, row.slice(0, groups).map((name) => rowHead(foreign(name || "–"))),
            cells.slice(0, nexts).map((name) => h("td", null, name === null
                ? h("span", { class: "none" }, t("insight.end")) : foreign(name))),
            cells.slice(nexts, nexts + 2).map((count) => numberCell(numberText(Number(count), language))),
            shaded(part, percentText(part, language)));
    }));
}

/** @param {PageContext["t"]} t @param {string} name of a column that divides the answer */
function groupHead(t, name) {
    const words = { version: "release.version", day: "insight.dayColumn", week: "insight.weekColumn" }[name];
    return head(words ? t(words) : foreign(name));
}

/** Counts and measures, each row shaded by its share of the largest count.
 * @param {PageContext} context @param {InsightAnswer} answer */
function drawNumbers({ t, language }, { insight, counted, columns = [], rows = [] }) {
    const groups = columns.indexOf("times");
    const most = rows.reduce((most, row) => Math.max(most, Number(row[groups])), 1);
    const isTime = insight.startsWith("measure _duration ");
    const value = (/** @type {string | number | null} */ cell) => cell === null ? "–"
        : isTime ? duration(Number(cell) * 1e9, language) : numberText(Number(cell), language);
    const names = columns.slice(groups + 1).map((name) => name === counted ? t(`insight.${counted}Column`)
        : name === "min" ? t("insight.min") : name === "max" ? t("insight.max") : name === "p50" ? t("insight.middle") : name);
    return table("numbers", [columns.slice(0, groups).map((name) => groupHead(t, name)), numberHead(t("insight.times")),
        names.map((name) => numberHead(name))],
    rows.map((row) => h("tr", null, row.slice(0, groups).map((name) => rowHead(foreign(name || "–"))),
        shaded(Number(row[groups]) / most, numberText(Number(row[groups]), language)),
        row.slice(groups + 1).map((cell, index) => numberCell(
            columns[groups + 1 + index] === counted ? numberText(Number(cell), language) : value(cell))))));
}

/** How many numbers are in each bucket.
 * @param {PageContext} context @param {InsightAnswer} answer */
function drawBuckets({ t, language }, { insight, columns = [], rows = [] }) {
    const groups = columns.indexOf("from");
    const isTime = insight.startsWith("measure _duration ");
    const bound = (/** @type {string | number | null} */ cell) => cell === null ? ""
        : isTime ? duration(Number(cell) * 1e9, language) : numberText(Number(cell), language);
    return table("numbers", [columns.slice(0, groups).map((name) => groupHead(t, name)), numberHead(t("insight.from")),
        numberHead(t("insight.below")), numberHead(t("insight.times")), numberHead(t("breakdown.share"))],
    rows.map((row) => {
        const [from, below, times, share] = row.slice(groups);
        return h("tr", null, row.slice(0, groups).map((name) => rowHead(foreign(name || "–"))), numberCell(bound(from)),
            numberCell(bound(below)), numberCell(numberText(Number(times), language)),
            shaded(Number(share ?? 0), percentText(/** @type {number | null} */ (share), language)));
    }));
}

/** Values, the most unequal first.
 * @param {PageContext} context @param {InsightAnswer} answer */
function drawDifferences({ t, language }, { rows = [] }) {
    const signed = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 1, signDisplay: "exceptZero" });
    const side = (/** @type {number} */ count, /** @type {number | null} */ share) =>
        shaded(share ?? 0, share === null ? "–" : percentText(share, language), numberText(count, language));
    return table("differences", [head(t("insight.parameter")), head(t("insight.value")),
        [1, 2].map((n) => numberHead(t("insight.side", { n }))), numberHead(t("insight.difference"))],
    rows.map(([name, value, first, second, ofFirst, ofSecond, difference]) => h("tr", null,
        rowHead(name === "version" ? t("release.version") : foreign(String(name))),
        h("td", null, foreign(value || "–")),
        side(Number(first), /** @type {number | null} */ (ofFirst)),
        side(Number(second), /** @type {number | null} */ (ofSecond)),
        numberCell(difference === null ? "–" : signed.format(Number(difference))))));
}

/** A cell shaded by its share.
 * @param {number} part of 1
 * @param {string} words @param {string} [title] */
function shaded(part, words, title) {
    const cell = h("td", { class: "number shaded", title }, words);
    cell.style.setProperty("--part", `${Math.round(part * 50)}%`);
    return cell;
}
