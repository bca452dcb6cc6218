// @ts-check
// The requests: a waterfall of the latest ones, narrowed by status, type, size and time, or the largest first.

import { messageOf } from "../base/api.js";
import { h, icon, replaceChildren } from "../base/dom.js";
import { bytes, shortDay } from "../base/format.js";
import { ListView } from "../base/list-view.js";
import { textButton } from "../base/pane.js";
import { exportButton, ofKnown } from "../export/export-dialog.js";
import { exchangeOf, isBad, matches, requestFilter, sorted, sorts, waterfall } from "../model/exchange.js";
import { Latest } from "../model/latest.js";
import { NetworkDetail } from "./network-detail.js";
import { NetworkRow } from "./network-row.js";
import { RequestFilter } from "./request-filter.js";

/** @typedef {import("./network-row.js").NetworkEntry} NetworkEntry */

/** @type {Record<string, string>} */
const headings = { method: "net.method", name: "net.address", status: "net.status", type: "net.type", size: "net.size",
    took: "net.took", fall: "net.waterfall" };

const filterNames = ["q", "status", "type", "min", "session", "sort"];

const noBar = { left: 0, width: 0, span: 1, starts: false };

/** @implements {PageScreen} */
export class Network {
    /**
     * The address's, without what is unset.
     * @type {Params}
     */
    #filter = {};
    /**
     * The number of the chosen record.
     * @type {string | null}
     */
    #selected = null;
    /**
     * The requests that pass the filter, newest first.
     * @type {NetworkEntry[]}
     */
    #entries = [];
    /**
     * Where each of them lies in its burst.
     * @type {Map<NetworkEntry, import("../model/exchange.js").Bar>}
     */
    #bars = new Map();
    /**
     * All that is loaded; null before the first answer was asked for.
     * @type {Latest | null}
     */
    #latest = null;
    /**
     * What is loaded, read once.
     * @type {Map<Integer, NetworkEntry>}
     */
    #known = new Map();
    /**
     * Why the last request failed.
     * @type {string | null}
     */
    #failure = null;
    #total = h("span", { class: "muted total", role: "status" });
    #notice = h("div", { class: "notice", hidden: true });
    #bar;
    /** The day of the uppermost row stands above the times. */
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
        this.#older = h("button", { class: "button quiet", type: "button", hidden: true,
            on: { click: () => this.#extend() } }, t("net.older"));
        this.#view = new ListView({
            label: t("screen.net"),
            createRow: () => new NetworkRow(context, ({ record }) => this.#select(record.id)),
            fill: (row, position, y) => row.show(this.#entries[position], this.#bars.get(this.#entries[position]) ?? noBar, { position, y,
                newer: this.#entries[position - 1],
                isSelected: String(this.#entries[position].record.id) === this.#selected }),
            total: () => this.#entries.length,
            drawn: () => this.#drawDay(),
            scrolled: () => this.#arrived(),
        });
        this.#headings = ["method", "name", ...sorts.slice(0, 1), "type", ...sorts.slice(1), "fall"].map((name) =>
            this.#heading(name, t(headings[name])));
        this.main = h("section", { class: "pane history network" },
            h("div", { class: "toolbar" },
                h("div", { class: "searchbox" }, icon("search"), this.#bar.search), this.#bar.type, this.#bar.min,
                exportButton(context, () => ({ records: ofKnown(() => this.#entries.map(({ record }) => record)), formats: "request",
                    name: "requests" })),
                h("div", { class: "chipline" }, this.#bar.statuses, this.#bar.narrowed, this.#total, this.#older)),
            h("div", { class: "headings" }, this.#day, this.#headings),
            h("div", { class: "viewport" }, this.#view.element, this.#notice));
        this.side = this.#detail.element;
        context.live.listen(() => this.#arrived());
    }

    /**
     * A column's heading; those of figures sort by them, and back by arrival.
     * @param {string} name
     * @param {string} words
     */
    #heading(name, words) {
        if (!sorts.includes(name)) return h("span", { class: `cell ${name}`, "aria-hidden": "true" }, words);
        const title = this.context.t("net.sort", { column: words });
        return h("button", { class: `cell sorting ${name}`, type: "button", "data-sort": name, "aria-pressed": "false", title,
            "aria-label": title, on: { click: () => this.#apply({ sort: this.#filter.sort === name ? "" : name }) } }, words);
    }

    // Going where the address says.

    /** @param {Route} route */
    async show({ path, params }) {
        const next = Object.fromEntries(filterNames.filter((name) => params[name]).map((name) => [name, params[name]]));
        const isAsked = this.#latest === null || next.session !== this.#filter.session
            || requestFilter(next) !== requestFilter(this.#filter);
        const isOther = JSON.stringify(next) !== JSON.stringify(this.#filter);
        this.#filter = next;
        this.#selected = /^\d+$/.test(path[0] ?? "") ? path[0] : null;
        this.main.dataset.selected = String(this.#selected !== null);
        this.#bar.draw(next);
        for (const heading of this.#headings) {
            if (heading.dataset.sort) heading.setAttribute("aria-pressed", String(heading.dataset.sort === next.sort));
        }
        if (isAsked) await this.#load();
        else if (isOther) {
            this.#view.place(0);
            this.#changed();
            this.#extendSorted();
        } else {
            this.#view.changed();
            this.#arrived();
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
        this.context.navigate({ screen: "net", path: id === null ? [] : [String(id)], params: this.#filter }, { replace });
    }

    // Loading.

    async #load() {
        const own = new Latest({ kind: "request", session: this.#filter.session, filter: requestFilter(this.#filter) });
        this.#latest = own;
        this.#known.clear();
        await this.#attempt(() => own.load());
        if (this.#latest !== own) return;
        this.#changed();
        await this.#extendSorted();
    }

    /** The largest may be the oldest: where another order is asked for, all that a page holds is loaded. */
    async #extendSorted() {
        const latest = this.#latest;
        while (this.#filter.sort && latest?.canExtend && this.#latest === latest && this.#failure === null) {
            await this.#attempt(() => latest.extend());
            this.#changed();
        }
    }

    /** New requests come in at once at the top; a reader who is elsewhere is not moved. */
    async #arrived() {
        const latest = this.#latest;
        if (!this.main.isConnected || !latest?.loaded || this.context.live.head <= latest.anchor) return;
        const before = this.#entries.length;
        await this.#attempt(() => latest.pull());
        if (this.#latest?.records[0] === this.#entries[0]?.record) return;
        this.#compute();
        this.#view.changed(this.#view.isAtTop ? 0 : Math.max(0, this.#entries.length - before));
        this.#drawTotals();
    }

    async #extend() {
        const latest = this.#latest;
        if (latest) await this.#attempt(() => latest.extend());
        this.#changed();
    }

    /** @param {() => Promise<unknown>} work */
    async #attempt(work) {
        try {
            await work();
            this.#failure = null;
        } catch (error) {
            this.#failure = messageOf(error);
        }
    }

    #compute() {
        const entries = (this.#latest?.records ?? []).map((record) => {
            const entry = this.#known.get(record.id) ?? { record, exchange: exchangeOf(record) };
            this.#known.set(record.id, entry);
            return entry;
        }).filter(({ exchange }) => matches(exchange, this.#filter));
        const bars = waterfall(entries.map(({ exchange }) => exchange));
        this.#bars = new Map(entries.map((entry, place) => [entry, bars[place]]));
        this.#entries = sorted(entries, this.#filter.sort);
    }

    // Drawing.

    #changed() {
        this.#compute();
        this.#view.changed();
        this.#drawTotals();
        this.#drawNotice();
    }

    #drawDay() {
        const { t, language } = this.context;
        const top = this.#entries[this.#view.first];
        const words = top ? shortDay(top.record.time, language) : t("history.time");
        if (this.#day.textContent !== words) this.#day.textContent = words;
    }

    #drawTotals() {
        const { t, language } = this.context;
        const size = this.#entries.reduce((sum, { exchange }) => sum + (exchange.response.size ?? 0), 0);
        this.#total.textContent = [t("net.count", { n: this.#entries.length }), ...(size > 0 ? [bytes(size, language)] : []),
        ].join(" · ");
        this.#older.hidden = !this.#latest?.canExtend;
    }

    #drawNotice() {
        const { t, navigate } = this.context;
        this.#notice.hidden = this.#failure === null && (this.#entries.length > 0 || !this.#latest?.loaded);
        if (this.#notice.hidden) return;
        const isFiltered = Object.keys(this.#filter).length > 0;
        replaceChildren(this.#notice,
            this.#failure !== null ? [h("h2", null, t("error.title")), h("p", null, this.#failure),
                textButton(t("error.retry"), () => this.#load())]
            : isFiltered ? [h("h2", null, t("history.nothing")), h("p", null, t("net.nothingHint")),
                textButton(t("history.clear"), () => navigate({ screen: "net", params: {} }))]
            : [h("h2", null, t("net.empty")), h("p", null, t("net.emptyHint")),
                h("pre", { class: "sample" }, "try await log.data(for: request)")]);
    }

    // Keys.

    /** Where the chosen request stands in the list; -1 where it does not. */
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
    edge(isLast) {
        this.#view.place(isLast ? this.#view.track.maxOffset : 0);
        this.#view.draw();
    }

    /**
     * The next failed request below, or the previous one above.
     * @param {number} by
     */
    error(by) {
        const current = this.#selectedIndex;
        const order = by > 0 ? this.#entries.slice(current + 1) : this.#entries.slice(0, Math.max(0, current)).reverse();
        const found = order.find(({ exchange }) => isBad(exchange));
        if (found) this.#goTo(this.#entries.indexOf(found));
    }

    open() {
        if (this.#selected === null) this.move(0);
        else this.#detail.element.focus();
    }

    close() { if (this.#selected !== null) this.#select(null); }

    search() {
        this.#bar.search.focus();
        this.#bar.search.select();
    }
}
