// @ts-check
// The history: every record, newest first, live while the top is in view; as a list or a timeline.

import { AnswerOrder } from "../base/answer-order.js";
import { call, fetchAll, messageOf, recordQuery } from "../base/api.js";
import { chip, enter, iconButton } from "../base/controls.js";
import { h, icon } from "../base/dom.js";
import { numberText } from "../base/format.js";
import { exportButton } from "../export/export-dialog.js";
import { adding, apiFilter, filterSQL, noFilter, normalised, timeless, writtenColumn } from "../model/filter.js";
import { isError } from "../model/record.js";
import { ViolationTally } from "../model/violation-tally.js";
import { Timeline } from "../timeline/timeline.js";
import { Arrivals } from "./arrivals.js";
import { BreakdownView } from "./breakdown.js";
import { Detail } from "./detail.js";
import { Facets } from "./facets.js";
import { FilterBar } from "./filter-bar.js";
import { HistogramView } from "./histogram.js";
import { Marks } from "./marks.js";
import { RecordList } from "./record-list.js";
import { canBeAsked, ValueMenu } from "./value-menu.js";

const countPause = 2_000;
const longestWait = 400;
const skeletonDelay = 150;

/** @implements {PageScreen} */
export class History {
    /** @type {HistoryState} */
    state = { params: {}, filter: {}, selected: null, isTimeline: false };
    /** @type {string | null} the filter and the view that the rows were loaded for */
    #loadedFor = null;
    /** @type {Promise<void>} the loading of those rows */
    #loading = Promise.resolve();
    /** @type {string | null} the number of the record whose row and detail were brought into view */
    #brought = null;
    #navigations = new AnswerOrder();
    #errors = new AnswerOrder();
    /** The violations of all records. */
    #tally = new ViolationTally({});
    #violations = h("span", { class: "tally" });
    /** The API's reading of the filter. */
    #read = noFilter;
    /** @type {HTMLElement} */
    main;
    /** @type {RecordList} */
    list;
    /** @type {Arrivals} */
    arrivals;
    /** @type {Marks} */
    marks;

    /** @param {PageContext} context */
    constructor(context) {
        const { t } = context;
        const params = () => this.state.params;
        const apply = (/** @type {Params} */ change) => this.#apply(change);
        this.context = context;
        this.list = new RecordList(context, this.state, {
            pick: (record, event) => this.#pick(record, event),
            isMarked: (id) => this.marks.has(id),
            element: () => this.main,
            scrolled: () => { this.arrivals.arrived(); },
            idle: () => { this.arrivals.idle(); },
        });
        this.arrivals = new Arrivals(context, this.list, () => this.main.isConnected && !this.state.isTimeline);
        /** @type {FilterBar} */
        this.bar = new FilterBar(context, apply, (name) => this.list.seen(name, this.bar.field.names));
        this.menu = new ValueMenu(context, ({ name, value }, how) => this.#narrowBy(name, value, how),
            (name) => this.#read.parts.some((part) => part.name === name && !part.negated));
        this.histogram = new HistogramView(context,
            (since, until) => this.#apply({ since, until, filter: timeless(this.#read) }), () => timeless(this.#read));
        this.facets = new Facets(context, params, apply,
            (name, value, how, more) => this.#narrowBy(name, value, how, more));
        this.breakdown = new BreakdownView(context, (by) => this.#apply({ by }));
        this.marks = new Marks(context, () => this.list.view.draw());
        this.detail = new Detail(context, () => this.#select(null),
            (name, value, isColumn) => this.menu.button(isColumn ? writtenColumn(name, this.bar.field.taken) : name,
                value));
        this.timeline = new Timeline(context, (id) => this.#select(id), (frame) => {
            const params = { ...this.state.params, sel: this.state.selected, frame };
            if (this.state.isTimeline) context.navigate({ screen: "history", params }, { replace: true });
        });
        this.timelineButton = chip([icon("timeline"), h("span", null, t("screen.timeline"))],
            () => this.#apply({ view: this.state.isTimeline ? "" : "timeline" }), { "data-toggle": "timeline" });
        this.timeOrderButton = iconButton("byTime", t("history.byTime"), icon("clock"), () =>
            this.#apply({ sort: params().sort === "time" ? "" : "time", sel: "" }), { title: t("history.byTimeHint") });
        this.violationsButton = chip([h("span", null, t("screen.violations")), " ", this.#violations],
            () => this.#apply({ violations: params().violations ? "" : "1" }), { "data-toggle": "violations" });
        this.main = h("section", { class: "pane history" }, this.#toolbar(), this.histogram.element,
            this.breakdown.element, this.list.headings, this.list.viewport, this.timeline.element, this.marks.element);
        this.side = h("div", { class: "sidestack" }, this.facets.element, this.detail.element);
        setInterval(() => this.#countViolations(), countPause);
    }

    #toolbar() {
        const { t, navigate } = this.context;
        return h("div", { class: "toolbar" },
            this.bar.field.element, this.bar.time, this.bar.level, this.arrivals.pill,
            h("span", { class: "tools-row" },
                iconButton("facetsbutton", t("facets.title"), icon("filter"),
                    () => this.#apply({ facets: "1", sel: "" })),
                this.timeOrderButton,
                iconButton("", t("history.asSQL"), icon("sql"), () =>
                    navigate({ screen: "sql", params: { sql: filterSQL(this.state.params, this.#read) } })),
                exportButton(this.context, () => ({ name: "records",
                    records: (report, signal, reveals) => fetchAll(
                        { ...this.state.filter, private: reveals ? "show" : null }, report, signal) }))),
            h("div", { class: "chips" }, this.timelineButton, this.violationsButton, this.histogram.button,
                this.bar.kindChips),
            this.breakdown.choice, this.bar.narrowed, this.list.progress);
    }

    // Navigation.

    /** @param {Route} route */
    async show({ params: { sel = "", ...given } }) {
        const { state, list } = this;
        const params = normalised(given);
        state.params = params;
        state.filter = apiFilter(params);
        state.isTimeline = params.view === "timeline";
        state.selected = /^\d+$/.test(sel) ? sel : null;
        // An earlier navigation must not change anything anymore.
        const isLatest = this.#navigations.askAnew();
        this.#errors.askAnew();
        this.#draw();
        this.bar.field.read(params.filter ?? "")
            .then((read) => { if (state.params === params) this.#read = read; }, () => {});
        if (this.#isNew()) this.#loading = this.#reload();
        // Rows first: the other figures query the same store, so they wait for the rows, or for a moment if those are
        // slow.
        Promise.race([this.#loading, new Promise((done) => { setTimeout(done, longestWait); })])
            .then(() => this.#drawFigures());
        await this.#loading;
        if (!isLatest()) return;
        if (!state.isTimeline) {
            list.view.settle();
            list.view.draw();
        }
        this.arrivals.draw();
        const id = state.selected;
        if (id === this.#brought) return;
        this.#brought = id;
        await Promise.all([id === null || state.isTimeline ? null : list.bring(id), this.#showSelected()]);
    }

    /** Whether different rows are needed than the last time. */
    #isNew() {
        const key = JSON.stringify([this.state.filter, this.state.isTimeline, this.state.params.sort]);
        const isNew = key !== this.#loadedFor;
        this.#loadedFor = key;
        return isNew;
    }

    async #reload() {
        const { state, list, main } = this;
        this.arrivals.forget();
        list.view.place(0);
        const wait = setTimeout(() => main.classList.add("loading"), skeletonDelay);
        await (state.isTimeline
            ? this.timeline.load(state.filter, state.params.frame)
                .catch((failure) => this.context.announce(messageOf(failure)))
            : list.reload());
        clearTimeout(wait);
        main.classList.remove("loading");
    }

    #draw() {
        const { params, selected, isTimeline } = this.state;
        this.bar.draw(params);
        this.timelineButton.setAttribute("aria-pressed", String(isTimeline));
        this.timeOrderButton.setAttribute("aria-pressed", String(params.sort === "time"));
        this.timeOrderButton.hidden = isTimeline;
        this.violationsButton.setAttribute("aria-pressed", String(Boolean(params.violations)));
        this.list.headings.hidden = this.list.viewport.hidden = isTimeline;
        this.timeline.element.hidden = !isTimeline;
        const asksFacets = params.facets === "1" && selected === null;
        this.main.dataset.selected = String(selected !== null || asksFacets);
        this.detail.element.hidden = selected === null;
        this.facets.element.hidden = selected !== null;
    }

    #drawFigures() {
        this.#countViolations();
        this.histogram.show(this.state.filter);
        this.breakdown.show(this.state.filter, this.state.params.by);
        if (this.state.selected === null) this.facets.show(this.state.filter);
    }

    /** How many records violate their definitions, regardless of the filter: exact, or "N+" while counting. */
    async #countViolations() {
        const { live, catalog, language } = this.context;
        if (!this.main.isConnected || document.hidden || catalog.isEmpty) return;
        await this.#tally.count(Number(live.head), Date.now(), () => {
            this.#violations.textContent = numberText(this.#tally.records, language) + (this.#tally.isWhole ? "" : "+");
        }).catch(() => {});
    }

    /** @param {Params} change */
    #apply(change) {
        const { params, selected } = this.state;
        // Each filter is a history entry; typing makes one, not one per letter.
        const isTyping = "filter" in change && document.activeElement === this.bar.search
            && Boolean(change.filter) && Boolean(params.filter);
        this.context.navigate({ screen: "history", params: { ...params, sel: selected, ...change } },
            { replace: isTyping });
    }

    // Selection.

    /** @param {Integer | null} id */
    #select(id) {
        const { params, selected } = this.state;
        const replace = !this.context.isStacked() || id === null || selected !== null;
        this.context.navigate({ screen: "history", params: { ...params, facets: "", sel: id } }, { replace });
    }

    /** @param {LogRecord} record @param {MouseEvent} event */
    #pick(record, event) {
        const asked = record.id === this.state.selected || event.type === "contextmenu" ? this.#askedAt(record, event)
            : null;
        if (asked) {
            event.preventDefault();
            return this.menu.open(asked.asked, asked.element);
        }
        if (event.type === "contextmenu") return;
        if (event.shiftKey) this.marks.through(record, this.list.window);
        else if (event.ctrlKey || event.metaKey) this.marks.toggle(record);
        else this.#select(record.id);
    }

    /** The value at a click in a row: a parameter's, or the name.
     * @param {LogRecord} record @param {MouseEvent} event */
    #askedAt(record, event) {
        const element = event.target instanceof Element ? event.target.closest("[data-asks]") : null;
        const name = element?.getAttribute("data-asks");
        if (!element || !name) return null;
        if (name === ":tag") return { element, asked: { name, value: record.tag } };
        const members = [record.attributes, record.context]
            .find((one) => typeof one === "object" && one !== null && name in one);
        const value = /** @type {JsonObject | undefined} */ (members)?.[name];
        return canBeAsked(value) ? { element, asked: { name: writtenColumn(name, this.bar.field.taken), value } }
            : null;
    }

    /** The selected record, if it is loaded. */
    get #current() {
        const { selected } = this.state;
        return selected === null ? undefined : this.list.find(selected) ?? this.timeline.find(selected);
    }

    async #showSelected() {
        const { selected } = this.state;
        const grid = this.list.view.element;
        grid.removeAttribute("aria-activedescendant");
        this.timeline.show(selected);
        if (selected === null) return this.detail.clear();
        grid.setAttribute("aria-activedescendant", `record-${selected}`);
        await this.detail.show(selected, this.#current);
    }

    // Keys.

    /** @param {number} step */
    move(step) {
        const next = this.state.isTimeline ? this.timeline.step(step) : this.list.next(step);
        if (next) this.#select(next.id);
    }

    /** @param {boolean} isLast */
    edge(isLast) {
        if (this.state.isTimeline) return this.timeline.edge(isLast);
        this.list.edge(isLast);
        this.arrivals.arrived();
    }

    /** Asks for the next error below, or above.
     * @param {number} step */
    async error(step) {
        const { filter } = this.state;
        const { order } = this.list.window;
        const from = this.#current && order.place(this.#current);
        /** @type {RecordQuery} */
        const place = from === undefined ? {} : step > 0 ? { before: from } : { after: from, order: "oldest" };
        const query = recordQuery({ ...order.query, ...filter, level: "error", limit: 1, ...place });
        const isLatest = this.#errors.askAnew();
        const [found] = (await call(`records?${query}`)).records.filter(isError);
        if (!isLatest()) return;
        if (!found) return this.context.announce(this.context.t("history.noError"));
        await this.list.reveal(found.id);
        this.#select(found.id);
    }

    include() { this.#narrow(false); }
    exclude() { this.#narrow(true); }

    /** Filters by the selected record's name, or excludes it.
     * @param {boolean} isNot */
    #narrow(isNot) {
        const current = this.#current;
        if (current) this.#narrowBy("tag", current.tag, isNot ? "not" : "only");
    }

    /** Filters by a value, or excludes it.
     * @param {string} name as a filter has it
     * @param {unknown} value @param {Narrowing} how
     * @param {Params} [more] further parameters of the address */
    async #narrowBy(name, value, how, more = {}) {
        const text = this.state.params.filter ?? "";
        const read = await this.bar.field.read(text).catch(() => noFilter);
        if (text === (this.state.params.filter ?? "")) this.#apply({ ...more, filter: adding(read, name, value, how) });
    }

    async copy() { if (await this.detail.copy()) this.context.announce(this.context.t("copy.done")); }

    mark() {
        const current = this.#current;
        if (current) this.marks.toggle(current);
    }

    open() {
        if (this.state.selected === null) this.move(0);
        else this.detail.element.focus();
    }

    close() { if (this.state.selected !== null || this.state.params.facets) this.#select(null); }

    pause() { this.arrivals.togglePause(); }

    search() { enter(this.bar.search); }

    get #hasWindow() { return this.state.isTimeline && this.timeline.hasWindow; }

    /** @param {number} factor */
    zoom(factor) { return this.#hasWindow ? this.timeline.zoom(factor) : false; }

    /** @param {number} share */
    pan(share) { return this.#hasWindow ? this.timeline.pan(share) : false; }

    fit() { return this.#hasWindow ? this.timeline.fit() : false; }
}
