// @ts-check
// Requests as a waterfall, filtered by status, type, size and time, or sorted. The latest come at once; with a filter
// or an order, all others are searched in the background, and the progress is shown.

import { messageOf } from "../base/api.js";
import { button, enter, press, quietButton, searchBox, textButton } from "../base/controls.js";
import { h, replaceChildren } from "../base/dom.js";
import { bytes, shortDay } from "../base/format.js";
import { ListView } from "../base/list-view.js";
import { noticeContent } from "../base/pane.js";
import { exportButton, ofKnown } from "../export/export-dialog.js";
import { exchangeOf, isBad, matches, rankOf, requestFilter, sorted, sorts, waterfall } from "../model/exchange.js";
import { Latest } from "../model/latest.js";
import { NetworkDetail } from "./network-detail.js";
import { NetworkRow } from "./network-row.js";
import { RequestFilter } from "./request-filter.js";

/** @type {Record<string, string>} */
const headings = { method: "net.method", name: "net.address", status: "net.status", type: "net.type", size: "net.size",
    took: "net.took", fall: "net.waterfall" };

const filterNames = ["q", "status", "type", "min", "session", "sort"];

/** In order of arrival more are kept; of a ranking the top is enough. */
const [mostHeld, mostRanked] = [20_000, 5_000];
/** Milliseconds between drawings while searching. */
const drawPause = 400;

const noBar = { left: 0, width: 0, span: 1, starts: false };

/** @implements {PageScreen} */
export class Network {
    /** @type {Params} the address's, without what is unset */
    #filter = {};
    /** @type {string | null} the number of the chosen record */
    #selected = null;
    /** @type {NetworkEntry[]} the requests that pass the filter, newest first */
    #entries = [];
    /** @type {Map<NetworkEntry, BurstBar>} where each of them lies in its burst */
    #bars = new Map();
    /** @type {Latest | null} all that is loaded; null before the first answer was asked for */
    #latest = null;
    /** @type {Map<Integer, NetworkEntry>} what is loaded, read once */
    #known = new Map();
    /** @type {Latest | null} what is being looked through to its end */
    #looking = null;
    /** @type {string | null} why the last request failed */
    #failure = null;
    #total = h("span", { class: "muted total", role: "status" });
    #notice = h("div", { class: "notice", hidden: true });
    #bar;
    /** The day of the top row. */
    #day = h("span", { class: "cell time" });
    #older;
    /** @type {HTMLElement[]} */
    #headings;
    #view;
    #detail;

    /** @param {PageContext} context */
    constructor(context) {
        const { t } = context;
        this.context = context;
        this.#detail = new NetworkDetail(context, () => this.#select(null));
        this.#bar = new RequestFilter(context, (change) => this.#apply(change));
        this.#older = quietButton(t("net.older"), () => this.#extend(), { hidden: true });
        this.#view = new ListView({
            label: t("screen.net"),
            createRow: () => new NetworkRow(context, ({ record }) => this.#select(record.id)),
            fill: (row, position, y) => row.show(this.#entries[position],
                this.#bars.get(this.#entries[position]) ?? noBar, { position, y, newer: this.#entries[position - 1],
                isSelected: String(this.#entries[position].record.id) === this.#selected }),
            total: () => this.#entries.length,
            drawn: () => this.#drawDay(),
            scrolled: () => this.#arrived(),
        });
        this.#headings = ["method", "name", ...sorts.slice(0, 1), "type", ...sorts.slice(1), "fall"].map((name) =>
            this.#heading(name, t(headings[name])));
        this.main = h("section", { class: "pane history network" },
            h("div", { class: "toolbar" },
                searchBox(this.#bar.search), this.#bar.type, this.#bar.min,
                exportButton(context, () => ({ records: ofKnown(() => this.#entries.map(({ record }) => record)),
                    formats: "request", name: "requests" })),
                h("div", { class: "chipline" }, this.#bar.statuses, this.#bar.narrowed, this.#total, this.#older)),
            h("div", { class: "headings" }, this.#day, this.#headings),
            h("div", { class: "viewport" }, this.#view.element, this.#notice));
        this.side = this.#detail.element;
        context.live.listen(() => this.#arrived());
    }

    /** A column's heading; figures can be sorted by.
     * @param {string} name @param {string} words */
    #heading(name, words) {
        if (!sorts.includes(name)) return h("span", { class: `cell ${name}`, "aria-hidden": "true" }, words);
        const title = this.context.t("net.sort", { column: words });
        return button(`cell sorting ${name}`, words,
            () => this.#apply({ sort: this.#filter.sort === name ? "" : name }),
            { "data-sort": name, "aria-pressed": "false", title, "aria-label": title });
    }

    // Navigation.

    /** @param {Route} route */
    async show({ path, params }) {
        const next = Object.fromEntries(filterNames.filter((name) => params[name]).map((name) => [name, params[name]]));
        const isOther = JSON.stringify(next) !== JSON.stringify(this.#filter);
        this.#filter = next;
        this.#selected = /^\d+$/.test(path[0] ?? "") ? path[0] : null;
        this.main.dataset.selected = String(this.#selected !== null);
        this.#bar.draw(next);
        press(this.#headings.filter(({ dataset }) => dataset.sort), ({ dataset }) => dataset.sort === next.sort);
        if (isOther || this.#latest === null) {
            this.#view.place(0);
            await this.#load();
        } else {
            this.#view.changed();
            this.#arrived();
            this.#lookOn(this.#latest);
        }
        if (this.#selected === null) return this.#detail.clear();
        const index = this.#selectedIndex;
        if (index >= 0) this.#view.reveal(index);
        await this.#detail.show(this.#selected, this.#entries[index]?.record);
    }

    /** @param {Params} change */
    #apply(change) {
        this.context.navigate({ screen: "net", path: this.#selected ? [this.#selected] : [],
            params: { ...this.#filter, ...change } }, { replace: true });
    }

    /** @param {Integer | null} id */
    #select(id) {
        const replace = !this.context.isStacked() || id === null || this.#selected !== null;
        this.context.navigate({ screen: "net", path: id === null ? [] : [String(id)], params: this.#filter },
            { replace });
    }

    // Loading.

    async #load() {
        const filter = this.#filter;
        const rank = rankOf(filter.sort);
        /** @type {Map<Integer, NetworkEntry>} */
        const known = new Map();
        const exchange = (/** @type {LogRecord} */ record) => entryOf(known, record).exchange;
        const own = this.#latest = new Latest(
            { kind: "request", session: filter.session, filter: requestFilter(filter) },
            { most: rank ? mostRanked : mostHeld, passes: (record) => matches(exchange(record), filter),
                rank: rank && ((record) => rank(exchange(record))) });
        this.#known = known;
        await this.#attempt(own, () => own.load());
        if (this.#latest !== own) return;
        this.#grown();
        this.#lookOn(own);
    }

    /** Whether to search everything: the largest or a rare one may be among the oldest. */
    get #isNarrowed() { return Object.keys(this.#filter).some((name) => name !== "session"); }

    /** Searches older requests to the end, drawing now and then.
     * @param {Latest} own */
    async #lookOn(own) {
        if (this.#looking === own) return;
        this.#looking = own;
        let drawn = performance.now();
        const goesOn = () => own === this.#latest && own.canExtend && this.#isNarrowed && this.#failure === null
            && this.main.isConnected;
        while (goesOn()) {
            await this.#attempt(own, () => own.extend());
            if (own !== this.#latest || (performance.now() - drawn < drawPause && goesOn())) continue;
            drawn = performance.now();
            this.#grown();
        }
        if (this.#looking === own) this.#looking = null;
        if (own === this.#latest) this.#drawFigures();
    }

    /** Adds new requests at the top without moving a reader who is elsewhere. */
    async #arrived() {
        const latest = this.#latest;
        if (!this.main.isConnected || !latest?.loaded || this.context.live.head <= latest.anchor) return;
        let arrived = 0;
        await this.#attempt(latest, async () => { arrived = await latest.pull(); });
        if (latest === this.#latest && arrived > 0) this.#grown();
    }

    /** Redraws, keeping the visible rows in place. */
    #grown() {
        const { first, isAtTop } = this.#view;
        const top = this.#entries[first];
        this.#compute();
        const place = top && !isAtTop ? this.#entries.indexOf(top) : -1;
        this.#view.changed(place < 0 ? 0 : place - first);
        this.#drawFigures();
    }

    async #extend() {
        const latest = this.#latest;
        if (latest) await this.#attempt(latest, () => latest.extend());
        this.#grown();
    }

    /** @param {Latest} own @param {() => Promise<unknown>} work */
    async #attempt(own, work) {
        try {
            await work();
            if (own === this.#latest) this.#failure = null;
        } catch (error) {
            if (own === this.#latest) this.#failure = messageOf(error);
        }
    }

    #compute() {
        const known = this.#known;
        const entries = (this.#latest?.records ?? []).map((record) => entryOf(known, record));
        // Drops what was only read for filtering.
        this.#known.clear();
        for (const entry of entries) this.#known.set(entry.record.id, entry);
        const bars = waterfall(entries.map(({ exchange }) => exchange));
        this.#bars = new Map(entries.map((entry, place) => [entry, bars[place]]));
        this.#entries = sorted(entries, this.#filter.sort);
    }

    // Drawing.

    #drawDay() {
        const { t, language } = this.context;
        const top = this.#entries[this.#view.first];
        const words = top ? shortDay(top.record.time, language) : t("history.time");
        if (this.#day.textContent !== words) this.#day.textContent = words;
    }

    #drawFigures() {
        const { t, language } = this.context;
        const latest = this.#latest;
        const n = latest?.found ?? 0;
        const isLooking = this.#looking !== null && this.#looking === latest;
        const size = this.#entries.reduce((sum, { exchange }) => sum + (exchange.response.size ?? 0), 0);
        this.#total.textContent = [
            t(latest?.reachesEnd ? "net.count" : isLooking ? "net.countLooking" : "net.countLatest", { n }),
            ...(n > this.#entries.length ? [t("net.shown", { n: this.#entries.length })]
                : size > 0 ? [bytes(size, language)] : []),
        ].join(" · ");
        this.#older.hidden = isLooking || !latest?.canExtend;
        this.#notice.hidden = this.#failure === null && (this.#entries.length > 0 || !latest?.loaded || isLooking);
        if (this.#notice.hidden) return;
        const isFiltered = Object.keys(this.#filter).length > 0;
        replaceChildren(this.#notice,
            this.#failure !== null ? noticeContent(t("error.title"), this.#failure,
                textButton(t("error.retry"), () => this.#load()))
            : isFiltered ? noticeContent(t("history.nothing"), t("net.nothingHint"),
                textButton(t("history.clear"), () => this.context.navigate({ screen: "net", params: {} })))
            : noticeContent(t("net.empty"), t("net.emptyHint"),
                h("pre", { class: "sample" }, "try await log.data(for: request)")));
    }

    // Keys.

    /** The selected request's place in the list, or -1. */
    get #selectedIndex() {
        return this.#entries.findIndex(({ record }) => String(record.id) === this.#selected);
    }

    /** @param {number} index */
    #goTo(index) {
        this.#view.reveal(index);
        this.#select(this.#entries[index].record.id);
    }

    /** @param {number} step */
    move(step) {
        if (this.#entries.length === 0) return;
        const current = this.#selectedIndex;
        this.#goTo(current < 0 ? this.#view.first : Math.min(Math.max(current + step, 0), this.#entries.length - 1));
    }

    /** @param {boolean} isLast */
    edge(isLast) { this.#view.edge(isLast); }

    /** The next failed request below, or above.
     * @param {number} by */
    error(by) {
        const current = this.#selectedIndex;
        const order = by > 0 ? this.#entries.slice(current + 1)
            : this.#entries.slice(0, Math.max(0, current)).reverse();
        const found = order.find(({ exchange }) => isBad(exchange));
        if (found) this.#goTo(this.#entries.indexOf(found));
    }

    open() {
        if (this.#selected === null) this.move(0);
        else this.#detail.element.focus();
    }

    close() { if (this.#selected !== null) this.#select(null); }

    search() { enter(this.#bar.search); }
}

/** A record with its exchange, parsed once.
 * @param {Map<Integer, NetworkEntry>} known @param {LogRecord} record */
function entryOf(known, record) {
    const entry = known.get(record.id) ?? { record, exchange: exchangeOf(record) };
    known.set(record.id, entry);
    return entry;
}
