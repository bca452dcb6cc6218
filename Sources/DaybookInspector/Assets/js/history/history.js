// The history: every record, newest first, live while its top is in view.

import { call, recordQuery } from "../base/api.js";
import { h, icon, replaceChildren } from "../base/dom.js";
import { calendarDay, kinds, levels, shortDay } from "../base/format.js";
import { createDetail } from "./detail.js";
import { ListView } from "../base/list-view.js";
import { RecordWindow } from "./record-window.js";
import { createRow } from "./row.js";

const typingPause = 200;
const countPause = 1_000;

export function createHistory(context) {
    const { t, navigate, live, catalog } = context;
    let filter = {};
    let selected = null;
    let isPaused = false;
    let waiting = null;
    let lastCount = 0;

    let askedAt = 0;

    const list = new RecordWindow(fetchPage, (shift) => view.changed(shift), () => {
        if (live.head > askedAt) arrived();
    });
    const detail = createDetail(context, {
        close: () => select(null),
        filter: (params) => navigate({ screen: "history", params }),
    });

    // The toolbar.
    const search = h("input", {
        class: "field", type: "search", placeholder: t("history.search"), "aria-label": t("history.search"),
        autocomplete: "off", spellcheck: "false", on: { input: () => typed() },
    });
    const chips = kinds.map((kind) => h("button", {
        class: "chip", type: "button", "data-kind": kind, "aria-pressed": "false",
        on: { click: () => toggleKind(kind) },
    }, icon(kind), t(`kind.${kind}`)));
    const level = h("select", { class: "field", "aria-label": t("history.level"),
        on: { change: () => apply({ level: level.value }) } },
        levels.map((name) => h("option", { value: name === "trace" ? "" : name },
            name === "trace" ? t("history.anyLevel") : t("history.levelFrom", { level: t(`level.${name}`) }))));
    const pillText = h("span");
    const pill = h("button", { class: "pill", type: "button", on: { click: () => pillPressed() } },
        h("span", { class: "dot" }), pillText);
    const narrowed = h("div", { class: "narrowed" });

    // The list.
    const day = h("span", { class: "cell time" });
    // Outside the grid, so that it does not scroll; each cell speaks for itself.
    const headings = h("div", { class: "headings", "aria-hidden": "true" },
        day, h("span", { class: "cell kind" }, t("history.kind")), h("span", { class: "cell name" }, t("history.name")),
        h("span", { class: "cell parameters" }, t("history.parameters")));
    const view = new ListView({
        label: t("screen.history"),
        createRow: () => createRow(context, (record) => select(record.id)),
        fill(row, position, y) {
            const record = list.at(position);
            row.show(record, list.at(position + 1), position, y, String(record?.id) === selected);
        },
        total: () => list.total,
        drawn,
        scrolled: () => arrived(),
    });
    const notice = h("div", { class: "notice", hidden: true });
    const main = h("section", { class: "pane history" },
        h("div", { class: "toolbar" },
            h("div", { class: "searchbox" }, icon("search"), search), level, pill,
            h("div", { class: "chips", role: "group", "aria-label": t("history.kind") }, chips), narrowed),
        headings, h("div", { class: "viewport" }, view.element, notice));

    live.listen(() => arrived());
    setInterval(() => arrived(), countPause);

    function fetchPage(parameters) { return call(`records?${recordQuery({ ...filter, ...parameters })}`); }

    // Drawing.

    function drawn(first, last) {
        const top = list.at(view.first);
        day.textContent = top ? shortDay(top.time, context.language) : t("history.time");
        day.title = top ? calendarDay(top.time, context.language) : "";
        drawNotice();
        list.ensure(first, last);
    }

    function drawNotice() {
        const isFiltered = Object.keys(filter).length > 0;
        const isEmpty = list.loaded && list.rows.length === 0;
        const kind = list.error ? "error" : isEmpty ? (isFiltered ? "nothing" : "empty") : "";
        // While the connection is lost the pill says so, and what has been loaded stays readable.
        notice.hidden = kind === "" || (kind === "error" && list.rows.length > 0 && live.state !== "open");
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

    // Arrivals.

    const isAtTop = () => view.isAtTop && list.start === 0;

    function arrived() {
        if (main.isConnected && list.loaded && live.head > list.anchor) {
            if (live.state === "open" && list.error) list.retry();
            askedAt = live.head;
            if (isAtTop() && !isPaused) list.pull();
            else count();
        }
        drawPill();
    }

    async function count() {
        const now = performance.now();
        if (now - lastCount < countPause) return;
        lastCount = now;
        try {
            const { count, more } = await call(`records/count?${recordQuery({ ...filter, after: list.anchor })}`);
            waiting = { count, more };
        } catch {
            // The next notice asks again.
        }
        drawPill();
    }

    function drawPill() {
        const isCurrent = live.head <= list.anchor || (isAtTop() && !isPaused);
        if (isCurrent) waiting = null;
        const hasFresh = waiting && waiting.count > 0;
        const fresh = hasFresh ? t(waiting.more ? "live.newMore" : "live.new", { n: waiting.count }) : "";
        const state = live.state !== "open" ? "lost" : isPaused ? "paused" : isAtTop() || !fresh ? "live" : "behind";
        pill.dataset.state = state;
        const words = { lost: t("live.lost"), paused: t("live.paused"), live: t("live.live"),
            behind: t("live.behind") }[state];
        const text = fresh ? `${words} · ${fresh}` : words;
        if (pillText.textContent !== text) pillText.textContent = text;
        pill.title = state === "live" ? t("live.pause") : t("live.resume");
        if (fresh) context.announce(fresh);
    }

    function pillPressed() {
        if (pill.dataset.state === "live") isPaused = true;
        else resume();
        drawPill();
    }

    function resume() {
        isPaused = false;
        waiting = null;
        view.place(0);
        list.reload();
    }

    // Filters.

    let typing;
    function typed() {
        clearTimeout(typing);
        typing = setTimeout(() => apply({ q: search.value.trim() }), typingPause);
    }

    function apply(change) {
        navigate({ screen: "history", params: { ...filter, sel: selected ?? "", ...change } }, { replace: true });
    }

    function toggleKind(kind) {
        const active = new Set((filter.kind ?? "").split(",").filter((name) => name !== ""));
        if (!active.delete(kind)) active.add(kind);
        apply({ kind: kinds.filter((name) => active.has(name)).join(",") });
    }

    function drawFilter() {
        const text = filter.q ?? "";
        if (document.activeElement !== search || search.value.trim() !== text) search.value = text;
        level.value = filter.level ?? "";
        const active = (filter.kind ?? "").split(",");
        for (const chip of chips) chip.setAttribute("aria-pressed", String(active.includes(chip.dataset.kind)));
        replaceChildren(narrowed, ["tag", "session"].filter((name) => filter[name]).map((name) =>
            h("button", {
                class: "chip removable", type: "button", title: t("history.remove"),
                on: { click: () => apply({ [name]: "" }) },
            }, `${t(`history.only.${name}`)} `, h("bdi", null, filter[name]), icon("close"))));
    }

    // The selection.

    function select(id) {
        const replace = !context.isStacked() || id === null || selected !== null;
        navigate({ screen: "history", params: { ...filter, sel: id === null ? "" : String(id) } }, { replace });
    }

    async function showSelected() {
        main.dataset.selected = String(selected !== null);
        view.element.removeAttribute("aria-activedescendant");
        if (selected === null) return detail.clear();
        view.element.setAttribute("aria-activedescendant", `record-${selected}`);
        const position = list.indexOf(selected);
        await detail.show(selected, list.at(position));
    }

    async function move(step) {
        if (list.rows.length === 0) return;
        const current = selected === null ? -1 : list.indexOf(selected);
        const top = Math.ceil(view.track.offset / view.track.rowHeight);
        const next = current < 0 ? top : Math.min(Math.max(current + step, 0), list.total - 1);
        const record = list.at(next);
        if (!record) return;
        view.reveal(next);
        select(record.id);
    }

    return {
        main,
        side: detail.element,
        async show({ params }) {
            const { sel = "", ...wanted } = params;
            const next = Object.fromEntries(["q", "kind", "level", "session", "tag"]
                .filter((name) => wanted[name]).map((name) => [name, wanted[name]]));
            const isNew = !list.loaded || JSON.stringify(next) !== JSON.stringify(filter);
            filter = next;
            const id = /^\d+$/.test(sel) ? sel : null;
            const isOther = id !== selected;
            selected = id;
            drawFilter();
            if (isNew) {
                waiting = null;
                view.place(0);
                const wait = setTimeout(() => main.classList.add("loading"), 150);
                await list.reload();
                clearTimeout(wait);
                main.classList.remove("loading");
                if (isOther && selected !== null && list.indexOf(selected) < 0) {
                    const position = await list.locate(selected);
                    if (position >= 0) {
                        view.reveal(position + 3);
                    }
                }
            }
            view.settle();
            view.draw();
            drawPill();
            if (isOther) await showSelected();
            else if (selected === null) detail.clear();
        },
        move,
        edge(isLast) {
            view.place(isLast ? view.track.maxOffset : 0);
            view.draw();
            arrived();
        },
        open() { if (selected === null) move(0); else detail.element.focus(); },
        close() { if (selected !== null) select(null); },
        pause() {
            if (isPaused) resume();
            else isPaused = true;
            drawPill();
        },
        search() { search.focus(); search.select(); },
    };
}
