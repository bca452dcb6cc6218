// @ts-check
// The volume of the filtered records, broken down by a field: a chart that counts every record once.

import { call, eachPart, isAbort, messageOf, recordQuery } from "../base/api.js";
import { foreign, h, replaceChildren } from "../base/dom.js";
import { levelName, milliseconds, numberText, percentText, two } from "../base/format.js";
import { head, numberCell, numberHead, rowHead, table } from "../base/table.js";
import { chart } from "../charts/chart.js";
import { mostSeries } from "../charts/data.js";
import { summed, wholeHistogram } from "../model/histogram.js";

/** Fields that every record has. */
const breakdowns = ["version", "tag", "level", "module"];
/** Prefix of a parameter, own or common. */
const attributes = "attributes.";
const buckets = 60;

/** @param {FetchFacets} fetch @param {RecordQuery} query @param {string} field */
async function frequent(fetch, query, field) {
    /** @type {Map<string, number>} */
    const sums = new Map();
    await eachPart((before) => fetch({ ...query, fields: field, limit: 1_000, before: before || query.before }),
        ({ values }) => {
        for (const { value, count } of values[field] ?? []) sums.set(value, (sums.get(value) ?? 0) + Number(count));
    });
    return [...sums].sort(([, left], [, right]) => right - left).map(([value]) => value);
}

/** A filter's volume by the most frequent values of a field; other values, or none, count as `rest`. Everything is
 * counted up to `head`, so that the sums match.
 * @param {RecordQuery} filter @param {string} by one of `breakdowns`, or a parameter
 * @param {number} head @param {string} rest @param {FetchHistogram} fetchHistogram @param {FetchFacets} fetchFacets
 * @returns {Promise<{ start: Nanoseconds, width: Nanoseconds, counts: Map<string, number[]> }>} */
export async function breakDown(filter, by, head, rest, fetchHistogram, fetchFacets) {
    const query = { ...filter, before: head + 1 };
    /** @type {Map<string, number[]>} */
    const counts = new Map();
    const add = (/** @type {string} */ name, /** @type {number[]} */ numbers = []) => {
        if (numbers.some((number) => number !== 0)) counts.set(name, summed(counts.get(name), numbers));
    };
    if (by === "level") {
        const all = await wholeHistogram(fetchHistogram, { ...query, buckets, by });
        for (const [level, numbers] of Object.entries(all.counts)
            .sort(([left], [right]) => Number(left) - Number(right))) {
            add(levelName(Number(level)), numbers);
        }
        return { start: all.start, width: all.width, counts };
    }
    const values = (await frequent(fetchFacets, query, by)).slice(0, mostSeries - 1);
    const all = await wholeHistogram(fetchHistogram, { ...query, buckets, by, values: JSON.stringify(values) });
    for (const value of values) add(value === "" ? rest : value, all.counts[value]);
    add(rest, all.others);
    return { start: all.start, width: all.width, counts };
}

/** The counts in the shape of a statement's answer, in local time.
 * @param {{ start: Nanoseconds, width: Nanoseconds, counts: Map<string, number[]> }} found
 * @param {[time: string, by: string, records: string]} columns their names in the reader's language
 * @returns {AnswerRows} */
export function asAnswer({ start, width, counts }, columns) {
    const moment = (/** @type {number} */ index) => {
        const date = new Date(milliseconds(BigInt(start) + BigInt(width) * BigInt(index)));
        const clock = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":");
        return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${clock}`;
    };
    const rows = [...counts].flatMap(([name, numbers]) => numbers.map((number, index) =>
        /** @type {Cell[]} */ ([moment(index), name, number])));
    return { columns, rows };
}

/** @param {PageContext} context @param {Map<string, number[]>} counts
 * @param {string} name of what they are broken down by */
function countTable({ t, language }, counts, name) {
    const sums = [...counts].map(([value, numbers]) =>
        ({ value, count: numbers.reduce((all, number) => all + number, 0) }));
    const all = sums.reduce((total, { count }) => total + count, 0);
    return table("breakdowntable",
        [head(foreign(name)), numberHead(t("breakdown.records")), numberHead(t("breakdown.share"))],
        sums.map(({ value, count }) => h("tr", null, rowHead(foreign(value)), numberCell(numberText(count, language)),
            numberCell(percentText(count / all, language)))));
}

export class BreakdownView {
    /** What is shown, as JSON. */
    #shown = "";
    /** @type {AbortController | null} */
    #request = null;
    #body = h("div", { class: "breakdownbody" });
    #names = h("datalist", { id: "breakdown-parameters" });
    /** @type {HTMLSelectElement} */
    select;
    /** @type {HTMLInputElement} */
    parameter;

    /** @param {PageContext} context @param {(by: string) => void} choose */
    constructor(context, choose) {
        const { t } = context;
        this.context = context;
        const name = t("breakdown.parameterName");
        this.parameter = h("input", { class: "field", type: "text", list: "breakdown-parameters", spellcheck: false,
            autocomplete: "off", hidden: true, "aria-label": name, placeholder: name, on: { change: () => {
                const typed = this.parameter.value.trim();
                if (typed !== "") choose(attributes + typed);
            } } });
        this.select = h("select", { class: "field breakdownfield", "aria-label": t("breakdown.title"),
            on: { change: () => {
            if (this.select.value !== attributes) return choose(this.select.value);
            this.parameter.hidden = false;
            this.parameter.focus();
        } } },
            h("option", { value: "" }, t("breakdown.none")),
            breakdowns.map((by) => h("option", { value: by }, t("breakdown.by", { field: this.#name(by) }))),
            h("option", { value: attributes }, t("breakdown.parameter")));
        const { catalog } = context;
        const names = new Set([...catalog.commonNames, ...[...catalog.events.values()]
            .flatMap(({ columns }) => columns.map(({ name }) => name))]);
        replaceChildren(this.#names, [...names].sort().map((name) => h("option", { value: name })));
        this.choice = h("span", { class: "breakdownchoice" }, this.select, this.parameter, this.#names);
        this.element = h("section", { class: "breakdown", "aria-label": t("breakdown.title"), hidden: true },
            this.#body);
    }

    /** @param {string} by */
    #name(by) {
        return by.startsWith(attributes) ? by.slice(attributes.length)
            : this.context.t(by === "level" ? "fact.level" : `filter.${by}`);
    }

    /** @param {RecordQuery} filter @param {string | undefined} by one of `breakdowns`, a parameter, or nothing */
    async show(filter, by) {
        const { t, live } = this.context;
        const isParameter = by !== undefined && by.startsWith(attributes) && by !== attributes;
        const wanted = by && (isParameter || breakdowns.includes(by)) ? by : "";
        this.element.hidden = wanted === "";
        const next = JSON.stringify([filter, wanted]);
        if (next === this.#shown) return;
        this.#shown = next;
        this.select.value = isParameter ? attributes : wanted;
        this.parameter.hidden = !isParameter;
        this.parameter.value = isParameter ? this.#name(wanted) : "";
        this.#request?.abort();
        if (wanted === "") return replaceChildren(this.#body);
        const { signal } = this.#request = new AbortController();
        const told = h("p", { class: "muted", role: "status" }, t("violations.counting"));
        replaceChildren(this.#body, told);
        const fetched = (/** @type {string} */ path) => async (/** @type {RecordQuery} */ query) => {
            const answer = /** @type {Histogram & FacetCounts} */ (await call(`${path}?${recordQuery(query)}`,
                { signal }));
            const { done, total } = answer.progress;
            const share = Math.floor(Number(done) / Math.max(Number(total), 1) * 100);
            if (answer.next !== null) told.textContent = `${t("violations.counting")} ${share} %`;
            return answer;
        };
        try {
            await live.heard();
            signal.throwIfAborted();
            const found = await breakDown(filter, wanted, Number(live.head), t("breakdown.rest"), fetched("histogram"),
                fetched("facets"));
            if (wanted === "level") found.counts = new Map([...found.counts]
                .map(([level, counts]) => [t(`level.${level}`), counts]));
            const [x, series, y] = [t("history.time"), this.#name(wanted), t("breakdown.records")];
            replaceChildren(this.#body, ...(found.counts.size === 0 ? [h("p", { class: "muted" }, t("history.nothing"))]
                : [chart(this.context, asAnswer(found, [x, series, y]),
                    { kind: "bar", x, y, series, title: t("breakdown.title") }),
                    countTable(this.context, found.counts, series)]));
        } catch (error) {
            if (!isAbort(error)) replaceChildren(this.#body,
                h("p", { class: "wrong", role: "alert" }, foreign(messageOf(error))));
        }
    }
}
