// The history: every record, newest first, live while its top is in view; as a list, or as a timeline.

import { call, recordQuery } from "../base/api.js";
import { h, icon, replaceChildren } from "../base/dom.js";
import { calendarDay, shortDay } from "../base/format.js";
import { ListView } from "../base/list-view.js";
import { openExport } from "../export/export-dialog.js";
import { fetchAll } from "../export/fetch-all.js";
import { adding, apiFilter, filterSQL } from "../model/filter.js";
import { createTimeline } from "../timeline/timeline.js";
import { createArrivals } from "./arrivals.js";
import { createDetail } from "./detail.js";
import { createFacets } from "./facets.js";
import { createFilterBar } from "./filter-bar.js";
import { createHistogram } from "./histogram.js";
import { createMarks } from "./marks.js";
import { RecordWindow } from "./record-window.js";
import { createRow } from "./row.js";
import { createTimeMode } from "./time-mode.js";
import { wholePage } from "./whole-page.js";

const furthestPrevious = 60;
const errorLevel = 17;
const countPause = 2_000;
const longestWait = 400;
/** How many rows stand beyond one that was brought into view. */
const margin = 3;

export function createHistory(context) {
    const { t, navigate, live } = context;
    let params = {};
    let filter = {};
    let selected = null;
    let isTimeline = false;
    const isError = (record) => record.kind === "error" || record.level >= errorLevel;

    const list = new RecordWindow((query, onPart) => wholePage((part) =>
        call(`records?${recordQuery({ ...filter, ...part })}`), query, onPart),
        (shift) => view.changed(shift), () => arrivals.idle());
    const arrivals = createArrivals(context, {
        list, filter: () => filter, isAtTop: () => view.isAtTop && list.start === 0,
        isShown: () => main.isConnected && !isTimeline,
        toTop() {
            view.place(0);
            list.reload();
        },
    });
    const apply = (change) => navigate({ screen: "history",
        params: { ...params, sel: selected ?? "", ...change } }, { replace: true });
    const bar = createFilterBar(context, apply);
    const histogram = createHistogram(context, (since, until) => apply({ since, until }));
    const facets = createFacets(context, () => params, apply);
    const marks = createMarks(context, () => view.draw());
    const timeMode = createTimeMode(context, () => view.draw());
    const detail = createDetail(context, { close: () => select(null) });
    const timeline = createTimeline(context, { select: (id) => select(id) });

    const toggle = (name, words, picture, change) => h("button", { class: "chip plain", type: "button", "data-toggle": name,
        "aria-pressed": "false", on: { click: change } }, picture ? icon(picture) : null, h("span", null, words));
    const timelineButton = toggle("timeline", t("screen.timeline"), "timeline",
        () => apply({ view: isTimeline ? "" : "timeline" }));
    const violations = h("span", { class: "tally" });
    const violationsButton = toggle("violations", t("screen.violations"), null,
        () => apply({ violations: params.violations ? "" : "1" }));
    violationsButton.append(" ", violations);
    const tool = (words, picture, press) => h("button", { class: "button icononly", type: "button", title: words,
        "aria-label": words, on: { click: press } }, icon(picture));
    const progress = h("span", { class: "muted total", role: "status" });

    // The list. Its headings stand outside the grid, so that they do not scroll; each cell speaks for itself.
    const headings = h("div", { class: "headings" },
        timeMode.button, h("span", { class: "cell kind", "aria-hidden": "true" }, t("history.kind")),
        h("span", { class: "cell name", "aria-hidden": "true" }, t("history.name")),
        h("span", { class: "cell parameters", "aria-hidden": "true" }, t("history.parameters")));
    const view = new ListView({
        label: t("screen.history"),
        createRow: () => createRow(context, (record, event) => {
            if (event.shiftKey) marks.through(record, list);
            else if (event.ctrlKey || event.metaKey) marks.toggle(record);
            else select(record.id);
        }),
        fill(row, position, y) {
            const record = list.at(position);
            row.show(record, {
                older: list.at(position + 1), previous: record && previousOf(record, position), position, y,
                isSelected: String(record?.id) === selected, isMarked: record !== undefined && marks.has(record.id),
                time: record && timeMode.text(record, list.at(position + 1)),
            });
        },
        total: () => list.total,
        drawn,
        scrolled: () => arrivals.arrived(),
    });
    const notice = h("div", { class: "notice", hidden: true });
    const viewport = h("div", { class: "viewport" }, view.element, notice);
    const main = h("section", { class: "pane history" },
        h("div", { class: "toolbar" },
            h("div", { class: "searchbox" }, icon("search"), bar.search), bar.level, arrivals.pill,
            h("span", { class: "tools-row" },
                h("button", { class: "button icononly facetsbutton", type: "button", title: t("facets.title"),
                    "aria-label": t("facets.title"), on: { click: () => apply({ facets: "1", sel: "" }) } }, icon("filter")),
                tool(t("history.asSQL"), "sql", () => navigate({ screen: "sql", params: { sql: filterSQL(params) } })),
                tool(t("export.title"), "share", () => openExport(context, { name: "records",
                    records: (report, signal) => fetchAll(filter, report, signal) }))),
            h("div", { class: "chips" }, timelineButton, violationsButton, bar.kindChips), bar.narrowed, progress),
        histogram.element, headings, viewport, timeline.element, marks.element);
    const side = h("div", { class: "sidestack" }, facets.element, detail.element);

    // How many violations there are, whatever the filter; asked for at most every few seconds.
    let countedHead = -1;
    setInterval(countViolations, countPause);
    async function countViolations() {
        if (!main.isConnected || document.hidden || live.head === countedHead || context.catalog.isEmpty) return;
        countedHead = live.head;
        try {
            const { count, more } = await call("records/count?violations=1");
            violations.textContent = `${Number(count)}${more ? "+" : ""}`;
        } catch {
            countedHead = -1;
        }
    }

    function drawn(first, last) {
        timeMode.drawHeading(list.at(view.first), shortDay, calendarDay);
        drawNotice();
        list.ensure(first, last);
    }

    /** The record of the same name before this one, as far as it is near and loaded. */
    function previousOf(record, position) {
        for (let step = 1; step <= furthestPrevious; step += 1) {
            const other = list.at(position + step);
            if (other === undefined) return undefined;
            if (other.tag === record.tag && other.kind === record.kind) return other;
        }
        return undefined;
    }

    function drawNotice() {
        const isFiltered = Object.keys(filter).length > 0;
        const isEmpty = list.loaded && list.rows.length === 0;
        const kind = list.error ? "error" : isEmpty ? (isFiltered ? "nothing" : "empty") : "";
        progress.textContent = list.searching ? t("history.searching", { done: Number(list.searching.done), all: Number(list.searching.total) }) : "";
        // While the connection is lost the pill says so, and what has been loaded stays readable.
        notice.hidden = kind === "" || list.searching !== null
            || (kind === "error" && list.rows.length > 0 && live.state !== "open");
        notice.dataset.small = String(list.rows.length > 0);
        if (notice.dataset.kind === kind) return;
        notice.dataset.kind = kind;
        if (kind === "error") {
            replaceChildren(notice, h("h2", null, t("error.title")), h("p", null, list.error.message),
                h("button", { class: "button", type: "button", on: { click: () => list.retry() } }, t("error.retry")));
        } else if (kind === "nothing") {
            replaceChildren(notice, h("h2", null, t("history.nothing")), h("p", null, t("history.nothingHint")),
                h("button", { class: "button", type: "button",
                    on: { click: () => navigate({ screen: "history", params: {} }) } }, t("history.clear")));
        } else if (kind === "empty") {
            replaceChildren(notice, h("h2", null, t("history.empty")), h("p", null, t("history.emptyHint")),
                h("pre", { class: "sample" }, `OTLPOutput(endpoint: "${location.origin}")`));
        }
    }

    // The selection.

    function select(id) {
        const replace = !context.isStacked() || id === null || selected !== null;
        navigate({ screen: "history", params: { ...params, facets: "", sel: id === null ? "" : String(id) } },
            { replace });
    }

    const current = () => (selected === null ? undefined
        : list.at(list.indexOf(selected)) ?? timeline.records().find(({ id }) => String(id) === selected));

    async function showSelected() {
        view.element.removeAttribute("aria-activedescendant");
        timeline.show(selected);
        if (selected === null) return detail.clear();
        view.element.setAttribute("aria-activedescendant", `record-${selected}`);
        await detail.show(selected, current());
    }

    function drawSide() {
        const asksFacets = params.facets === "1" && selected === null;
        main.dataset.selected = String(selected !== null || asksFacets);
        detail.element.hidden = selected === null;
        facets.element.hidden = selected !== null;
    }

    function drawFigures() {
        countViolations();
        histogram.show(filter);
        if (selected === null) facets.show(filter);
    }

    function move(step) {
        if (isTimeline) {
            const next = timeline.step(step);
            if (next) select(next.id);
            return;
        }
        if (list.rows.length === 0) return;
        const at = selected === null ? -1 : list.indexOf(selected);
        const top = Math.ceil(view.track.offset / view.track.rowHeight);
        goTo(at < 0 ? top : Math.min(Math.max(at + step, 0), list.total - 1));
    }

    function goTo(position) {
        const record = list.at(position);
        if (!record) return;
        view.reveal(position);
        select(record.id);
    }

    /** The next error below, or the previous one above: among what is loaded, then by asking. */
    async function error(step) {
        const from = selected === null ? null : Number(selected);
        const query = { ...filter, level: "error", limit: 1,
            ...(from === null ? {} : step > 0 ? { before: from } : { after: from, order: "oldest" }) };
        const [found] = (await call(`records?${recordQuery(query)}`)).records.filter(isError);
        if (!found) return context.announce(t("history.noError"));
        const position = await list.locate(found.id);
        if (position >= 0) view.reveal(position);
        select(found.id);
    }

    async function reload() {
        arrivals.forget();
        view.place(0);
        const wait = setTimeout(() => main.classList.add("loading"), 150);
        await (isTimeline ? timeline.load(filter).catch((failure) => context.announce(failure.message)) : list.reload());
        clearTimeout(wait);
        main.classList.remove("loading");
    }

    /** Brings a record's row into view, with some of what lies beyond it; one that the filter leaves out has none. */
    async function bring(id) {
        const position = await list.locate(id);
        if (position < 0 || id !== selected || view.shows(position)) return;
        view.reveal(position <= view.first ? position - margin : position + margin);
        view.draw();
    }

    let loadedFor = null;
    return {
        main,
        side,
        async show({ params: wanted }) {
            const { sel = "", ...rest } = wanted;
            params = rest;
            filter = apiFilter(params);
            isTimeline = params.view === "timeline";
            const key = JSON.stringify([filter, isTimeline]);
            const isNew = key !== loadedFor;
            loadedFor = key;
            const id = /^\d+$/.test(sel) ? sel : null;
            const isOther = id !== selected;
            selected = id;
            bar.draw(params);
            timelineButton.setAttribute("aria-pressed", String(isTimeline));
            violationsButton.setAttribute("aria-pressed", String(Boolean(params.violations)));
            for (const part of [headings, viewport]) part.hidden = isTimeline;
            timeline.element.hidden = !isTimeline;
            drawSide();
            const loading = isNew ? reload() : Promise.resolve();
            // The figures around the rows ask the same store: they come after the rows, or where these take long.
            Promise.race([loading, new Promise((done) => { setTimeout(done, longestWait); })]).then(drawFigures);
            await loading;
            if (!isTimeline) {
                view.settle();
                view.draw();
            }
            arrivals.draw();
            if (isOther) await Promise.all([selected === null || isTimeline ? null : bring(selected), showSelected()]);
            else if (selected === null) detail.clear();
        },
        move,
        zoom: (factor) => (timeline.hasWindow && isTimeline ? timeline.zoom(factor) : false),
        pan: (share) => (timeline.hasWindow && isTimeline ? timeline.pan(share) : false),
        fit: () => (timeline.hasWindow && isTimeline ? timeline.fit() : false),
        edge(isLast) {
            if (isTimeline) return timeline.edge(isLast);
            view.place(isLast ? view.track.maxOffset : 0);
            view.draw();
            arrivals.arrived();
        },
        error,
        include() { if (current()) apply(adding(params, "tag", current().tag)); },
        exclude() { if (current()) apply(adding(params, "tag", current().tag, true)); },
        async copy() { if (await detail.copy()) context.announce(t("copy.done")); },
        mark() { if (current()) marks.toggle(current()); },
        open() { if (selected === null) move(0); else detail.element.focus(); },
        close() { if (selected !== null || params.facets) select(null); },
        pause() { arrivals.togglePause(); },
        search() { bar.search.focus(); bar.search.select(); },
    };
}
