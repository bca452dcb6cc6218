// @ts-check
// Records over time by kind, with a brush that selects a range, and on request with the preceding period behind the
// bars.

import { call, recordQuery } from "../base/api.js";
import { chip } from "../base/controls.js";
import { h, replaceChildren } from "../base/dom.js";
import { calendarDay, clockTime, kinds, numberText, stretch } from "../base/format.js";
import { formatRoute } from "../base/route.js";
import { joined } from "../model/filter.js";
import { wholeHistogram } from "../model/histogram.js";
import { timeAxis } from "../model/time-axis.js";
import { Recount } from "./recount.js";

const buckets = 96;
/** The room that an axis label needs, in pixels. */
const markWidth = 96;
const pause = 2_000;

export class HistogramView {
    /** @type {Histogram | null} null until the first part has come */
    #shown = null;
    /** @type {RecordQuery} */
    #filter = {};
    /** @type {[number, number] | null} the first and the last bucket under the brush, in either order */
    #range = null;
    #recount;
    #bars = h("div", { class: "bars" });
    #axis = h("div", { class: "axis", "aria-hidden": "true" });
    #brush = h("div", { class: "brush", hidden: true });
    #words = h("span", { class: "unseen", role: "status" });
    #ghosts = h("div", { class: "ghosts", "aria-hidden": "true" });
    #difference = h("p", { class: "difference", hidden: true });
    /** Records in no bar, because their time cannot be right. */
    #outside = h("a", { class: "outside", hidden: true });
    #compares = false;
    /** @type {number[] | null} the totals of the period before, on the same scale; null until it was asked for */
    #before = null;

    /** @param {PageContext} context @param {(since: string, until: string) => void} brushed gets times in nanoseconds
     * @param {() => string} timeless the filter without what says when */
    constructor(context, brushed, timeless) {
        const { t } = context;
        this.context = context;
        this.brushed = brushed;
        this.timeless = timeless;
        this.button = chip(h("span", null, t("histogram.compare")), () => this.#turn(),
            { "data-toggle": "compare", title: t("histogram.compareHint") });
        this.element = h("div", {
            class: "histogram", tabindex: "0", role: "group", "aria-label": t("histogram.title"),
            title: t("histogram.hint"),
            on: { pointerdown: (event) => this.#grab(event), keydown: (event) => this.#keyed(event) },
        }, this.#ghosts, this.#bars, this.#axis, this.#brush, this.#difference, this.#outside,
            this.#words);
        new ResizeObserver(() => this.#drawAxis()).observe(this.element);
        this.#recount = new Recount(context, () => this.element, pause,
            (filter, signal) => this.#count(filter, signal));
    }

    /** @param {RecordQuery} filter */
    show(filter) { this.#recount.show(filter); }

    /** @param {RecordQuery} filter @param {AbortSignal} signal */
    async #count(filter, signal) {
        this.#filter = filter;
        const whole = await wholeHistogram(fetched(signal), { ...filter, buckets }, (sum, isLast) => {
            if (!this.#recount.shows(isLast)) return;
            this.#shown = sum;
            this.#draw(sum);
        });
        if (this.#compares) await this.#compare(whole, signal);
    }

    /** @param {Histogram} shown */
    #draw(shown) {
        const numbers = kinds.filter((kind) => shown.counts[kind]);
        const count = Math.max(0, ...numbers.map((kind) => shown.counts[kind].length));
        const totals = Array.from({ length: count }, (_, index) =>
            numbers.reduce((total, kind) => total + shown.counts[kind][index], 0));
        const most = Math.max(1, ...totals, ...this.#before ?? []);
        this.element.dataset.empty = String(totals.every((total) => total === 0));
        replaceChildren(this.#bars, totals.map((total, index) => {
            const bar = h("div", { class: "bar" }, numbers.map((kind) => piece(kind, shown.counts[kind][index])));
            // A few records must stay visible next to many.
            bar.style.setProperty("height", total === 0 ? "0" : `${Math.max(6, total / most * 100)}%`);
            bar.title = `${this.#stretch(index, index + 1)}: ${total}`;
            return bar;
        }));
        this.#drawBefore(totals, most);
        this.#drawAxis();
        this.#drawOutside(shown.outside);
        if (count === 0) return;
        this.#words.textContent = this.context.t("histogram.range", {
            from: this.#moment(0), to: this.#moment(count),
            n: totals.reduce((all, total) => all + total, 0) });
    }

    /** @param {number} count */
    #drawOutside(count) {
        this.#outside.hidden = count === 0;
        this.#outside.textContent = this.context.t("histogram.outside", { n: count });
        this.#outside.setAttribute("href", formatRoute({ screen: "history",
            params: { filter: joined(this.timeless(), "time:implausible") } }));
    }

    // The period before.

    #turn() {
        this.#compares = !this.#compares;
        this.button.setAttribute("aria-pressed", String(this.#compares));
        this.#before = null;
        if (this.#compares) this.#recount.start();
        else if (this.#shown) this.#draw(this.#shown);
    }

    /** Counts the preceding period of the same length.
     * @param {Histogram} shown @param {AbortSignal} signal */
    async #compare(shown, signal) {
        const width = BigInt(shown.width);
        const start = BigInt(shown.start) - width * BigInt(shown.buckets);
        const { since: _since, until: _until, ...rest } = this.#filter;
        this.#before = totalsOf(await wholeHistogram(fetched(signal),
            { ...rest, filter: this.timeless(), start: start.toString(), width: shown.width, buckets: shown.buckets }));
        this.#draw(shown);
    }

    /** @param {number[]} totals @param {number} most */
    #drawBefore(totals, most) {
        const before = this.#compares ? this.#before : null;
        this.#difference.hidden = before === null;
        replaceChildren(this.#ghosts, before?.map((total) => {
            const ghost = h("div", { class: "ghost" });
            ghost.style.setProperty("height", total === 0 ? "0" : `${Math.max(6, total / most * 100)}%`);
            return ghost;
        }));
        if (!before) return;
        const { t, language } = this.context;
        const [now, then] = [totals, before].map((numbers) => numbers.reduce((sum, number) => sum + number, 0));
        const share = new Intl.NumberFormat(language,
            { style: "percent", signDisplay: "exceptZero", maximumFractionDigits: 0 });
        this.#difference.textContent = t("histogram.difference",
            { now: numberText(now, language), before: numberText(then, language),
            change: then === 0 ? "" : share.format((now - then) / then) }).trim();
    }

    /** The start of a bucket.
     * @param {number} index */
    #at(index) {
        const { start, width } = this.#shown ?? { start: "0", width: "0" };
        return (BigInt(start) + BigInt(width) * BigInt(index)).toString();
    }

    /** @param {number} index */
    #moment(index) {
        const time = this.#at(index);
        return `${calendarDay(time, this.context.language)} ${clockTime(time)}`;
    }

    /** The range between two bucket starts.
     * @param {number} from @param {number} to */
    #stretch(from, to) { return stretch(this.#at(from), this.#at(to), Date.now(), this.context.language); }

    #drawAxis() {
        const count = this.#bars.children.length;
        const most = Math.floor(this.#bars.clientWidth / markWidth);
        const marks = count === 0 ? [] : timeAxis(this.#at(0), this.#at(count), most, this.context.language);
        replaceChildren(this.#axis, marks.map(({ share, text, isDate }) => {
            const mark = h("span", { class: isDate ? "date" : null }, text);
            mark.style.setProperty("left", `${share * 100}%`);
            return mark;
        }));
    }

    // The brush.

    /** @param {[number, number] | null} range */
    #mark(range) {
        this.#range = range;
        this.#brush.hidden = range === null;
        if (range === null) return;
        const count = this.#bars.children.length;
        const [from, to] = ends(range);
        this.#brush.style.setProperty("left", `${from / count * 100}%`);
        this.#brush.style.setProperty("width", `${(to - from) / count * 100}%`);
    }

    #finish() {
        if (this.#range === null) return;
        const [from, to] = ends(this.#range);
        this.#mark(null);
        this.brushed(this.#at(from), this.#at(to));
    }

    /** @param {PointerEvent} event */
    #grab(event) {
        const count = this.#bars.children.length;
        if (event.button !== 0 || count === 0 || event.target === this.#outside) return;
        const box = this.#bars.getBoundingClientRect();
        const bucket = (/** @type {number} */ x) =>
            Math.min(count - 1, Math.max(0, Math.floor((x - box.left) / box.width * count)));
        const start = bucket(event.clientX);
        this.#mark([start, start]);
        const move = (/** @type {PointerEvent} */ next) => this.#mark([start, bucket(next.clientX)]);
        addEventListener("pointermove", move);
        addEventListener("pointerup", () => {
            removeEventListener("pointermove", move);
            this.#finish();
        }, { once: true });
    }

    /** Arrows move the brush, with Shift only one end; Enter selects, Escape clears.
     * @param {KeyboardEvent} event */
    #keyed(event) {
        const count = this.#bars.children.length;
        if (count === 0 || event.ctrlKey || event.metaKey || event.altKey) return;
        const step = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
        if (step !== 0) {
            const [first, last] = this.#range ?? [count - 1, count - 1];
            const move = (/** @type {number} */ value) => Math.min(count - 1, Math.max(0, value + step));
            /** @type {[number, number]} */
            const range = [event.shiftKey ? first : move(first), move(last)];
            this.#mark(range);
            const [from, to] = ends(range);
            this.#words.textContent = this.#stretch(from, to);
        } else if (event.key === "Enter" && this.#range) this.#finish();
        else if (event.key === "Escape" && this.#range) this.#mark(null);
        else return;
        event.preventDefault();
        event.stopPropagation();
    }
}

/** @param {AbortSignal} signal @returns {FetchHistogram} */
function fetched(signal) { return (query) => call(`histogram?${recordQuery(query)}`, { signal }); }

/** The totals of all kinds per bucket.
 * @param {Histogram} histogram */
function totalsOf({ counts, buckets: count }) {
    return Array.from({ length: count }, (_, index) =>
        Object.values(counts).reduce((total, numbers) => total + (numbers[index] ?? 0), 0));
}

/** A kind's part of a bar.
 * @param {Kind} kind @param {number} count */
function piece(kind, count) {
    if (count === 0) return null;
    const element = h("div", { class: "piece", "data-kind": kind });
    element.style.setProperty("flex-grow", String(count));
    return element;
}

/** The first bucket of a range, and the one after its last.
 * @param {[number, number]} range */
function ends(range) { return [Math.min(...range), Math.max(...range) + 1]; }
