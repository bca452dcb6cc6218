// @ts-check
// The volume of the filtered records, broken down by what they are made of: a chart below the bars, with every record
// counted once.

import { call, isAbort, messageOf, recordQuery } from "../base/api.js";
import { foreign, h, replaceChildren } from "../base/dom.js";
import { levelName, milliseconds } from "../base/format.js";
import { chart } from "../charts/chart.js";
import { mostSeries } from "../charts/data.js";
import { exactTag } from "../model/filter.js";

/** What the records can be broken down by. */
export const breakdowns = ["version", "tag", "level", "module"];
const buckets = 60;

/** @typedef {(query: RecordQuery) => Promise<Histogram>} FetchHistogram */
/** @typedef {(query: RecordQuery) => Promise<FacetCounts>} FetchFacets */

/**
 * A histogram that is counted to its end; `told` hears how far that is.
 * @param {FetchHistogram} fetch
 * @param {RecordQuery} query
 */
async function whole(fetch, query) {
    let answer = await fetch(query);
    const counts = answer.counts;
    while (answer.next !== null) {
        answer = await fetch({ ...query, start: answer.start, width: answer.width, buckets: answer.buckets, before: answer.next });
        for (const [key, numbers] of Object.entries(answer.counts)) {
            counts[key] = numbers.map((number, index) => number + (counts[key]?.[index] ?? 0));
        }
    }
    return { ...answer, counts };
}

/**
 * The most frequent values of a field.
 * @param {FetchFacets} fetch
 * @param {RecordQuery} query
 * @param {string} field
 */
async function frequent(fetch, query, field) {
    /** @type {Map<string, number>} */
    const sums = new Map();
    for (let before = query.before; ;) {
        const part = await fetch({ ...query, fields: field, limit: 1_000, before });
        for (const { value, count } of part.values[field] ?? []) sums.set(value, (sums.get(value) ?? 0) + Number(count));
        if (part.next === null) return [...sums].sort((left, right) => right[1] - left[1]).map(([value]) => value);
        before = part.next;
    }
}

/** @param {{ [key: string]: number[] }} counts */
function total(counts) {
    const all = Object.values(counts);
    return (all[0] ?? []).map((_, index) => all.reduce((sum, numbers) => sum + numbers[index], 0));
}

/**
 * Counts of a filter over time, by the most frequent values of a field; what has another value, or none, is under `rest`.
 * All are counted over the records up to `head`, so that they add up to all of them.
 * @param {RecordQuery} filter
 * @param {string} by one of `breakdowns`
 * @param {number} head
 * @param {string} rest
 * @param {FetchHistogram} fetchHistogram
 * @param {FetchFacets} fetchFacets
 * @returns {Promise<{ start: Nanoseconds, width: Nanoseconds, counts: Map<string, number[]> }>}
 */
export async function breakDown(filter, by, head, rest, fetchHistogram, fetchFacets) {
    const query = { ...filter, before: head + 1 };
    /** @type {Map<string, number[]>} */
    const counts = new Map();
    const add = (/** @type {string} */ name, /** @type {number[]} */ numbers) => {
        if (numbers.some((number) => number !== 0)) {
            counts.set(name, numbers.map((number, index) => number + (counts.get(name)?.[index] ?? 0)));
        }
    };
    const all = await whole(fetchHistogram, { ...query, buckets, by: by === "level" ? "level" : undefined });
    const { start, width } = all;
    if (by === "level") {
        for (const [level, numbers] of Object.entries(all.counts).sort(([left], [right]) => Number(left) - Number(right))) {
            add(levelName(Number(level)), numbers);
        }
        return { start, width, counts };
    }
    const left = total(all.counts);
    for (const value of (await frequent(fetchFacets, query, by)).slice(0, mostSeries - 1)) {
        // A filter by this field may already narrow; both hold.
        const narrowed = filter[by] ? null : { [by]: by === "tag" ? exactTag(value) : value };
        if (value === "" || narrowed === null) continue;
        const numbers = total((await whole(fetchHistogram,
            { ...query, ...narrowed, start, width, buckets: all.buckets })).counts);
        numbers.forEach((number, index) => { left[index] -= number; });
        add(value, numbers);
    }
    add(filter[by] ? String(filter[by]) : rest, left);
    return { start, width, counts };
}

/**
 * The counts as a statement would answer them, in the reader's own time.
 * @param {{ start: Nanoseconds, width: Nanoseconds, counts: Map<string, number[]> }} found
 * @param {[time: string, by: string, records: string]} columns their names in the reader's language
 * @returns {Pick<SQLAnswer, "columns" | "rows">}
 */
export function asAnswer({ start, width, counts }, columns) {
    const two = (/** @type {number} */ number) => String(number).padStart(2, "0");
    const moment = (/** @type {number} */ index) => {
        const date = new Date(milliseconds(BigInt(start) + BigInt(width) * BigInt(index)));
        return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}:${
            two(date.getSeconds())}`;
    };
    const rows = [...counts].flatMap(([name, numbers]) => numbers.map((number, index) =>
        /** @type {Cell[]} */ ([moment(index), name, number])));
    return { columns, rows };
}

export class BreakdownView {
    /** What is shown, as JSON. */
    #shown = "";
    /** @type {AbortController | null} */
    #request = null;
    #body = h("div");
    /** @type {HTMLSelectElement} */
    select;

    /**
     * @param {PageContext} context
     * @param {(by: string) => void} choose
     */
    constructor(context, choose) {
        const { t } = context;
        this.context = context;
        this.select = h("select", { class: "field breakdownfield", "aria-label": t("breakdown.title"), on: { change: () => choose(this.select.value) } },
            h("option", { value: "" }, t("breakdown.none")),
            breakdowns.map((by) => h("option", { value: by }, t("breakdown.by", { field: t(by === "level" ? "history.level" : `filter.${by}`) }))));
        this.element = h("section", { class: "breakdown", "aria-label": t("breakdown.title"), hidden: true }, this.#body);
    }

    /**
     * @param {RecordQuery} filter
     * @param {string | undefined} by one of `breakdowns`, or nothing
     */
    async show(filter, by) {
        const { t, live } = this.context;
        const wanted = by && breakdowns.includes(by) ? by : "";
        this.select.value = wanted;
        this.element.hidden = wanted === "";
        const next = JSON.stringify([filter, wanted]);
        if (next === this.#shown) return;
        this.#shown = next;
        this.#request?.abort();
        if (wanted === "") return replaceChildren(this.#body);
        const { signal } = this.#request = new AbortController();
        replaceChildren(this.#body, h("p", { class: "muted", role: "status" }, t("violations.counting")));
        try {
            const found = await breakDown(filter, wanted, Number(live.head), t("breakdown.rest"),
                (query) => call(`histogram?${recordQuery(query)}`, { signal }), (query) => call(`facets?${recordQuery(query)}`, { signal }));
            if (wanted === "level") found.counts = new Map([...found.counts].map(([level, counts]) => [t(`level.${level}`), counts]));
            const [x, series, y] = [t("history.time"), t(wanted === "level" ? "history.level" : `filter.${wanted}`), t("sessions.count")];
            replaceChildren(this.#body, found.counts.size === 0 ? h("p", { class: "muted" }, t("history.nothing"))
                : chart(this.context, asAnswer(found, [x, series, y]), { kind: "bar", x, y, series, title: t("breakdown.title") }));
        } catch (error) {
            if (!isAbort(error)) replaceChildren(this.#body, h("p", { class: "wrong", role: "alert" }, foreign(messageOf(error))));
        }
    }
}
