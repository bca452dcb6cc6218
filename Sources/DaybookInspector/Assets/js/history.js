// The history: every record, newest first, live while its top is in view.

import { call, recordQuery } from "./api.js";
import { h, icon, replaceChildren } from "./dom.js";
import { calendarDay, kinds, levels, shortDay } from "./format.js";
import { createDetail } from "./detail.js";
import { RecordWindow } from "./record-window.js";
import { createRow } from "./row.js";
import { Track } from "./track.js";

const extraRows = 10;
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

    const list = new RecordWindow(fetchPage, changed, () => { if (live.head > askedAt) arrived(); });
    let track = new Track(rowHeight());
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
    const layer = h("div", { class: "layer", role: "rowgroup" });
    const scroller = h("div", {
        class: "scroller", role: "grid", tabindex: "0", "aria-label": t("screen.history"), "data-keys": "list",
        on: { scroll: () => scrolled() },
    }, layer);
    const notice = h("div", { class: "notice", hidden: true });
    const main = h("section", { class: "pane history" },
        h("div", { class: "toolbar" },
            h("div", { class: "searchbox" }, icon("search"), search), level, pill,
            h("div", { class: "chips", role: "group", "aria-label": t("history.kind") }, chips), narrowed),
        headings, h("div", { class: "viewport" }, scroller, notice));

    const pool = [];
    let frame = 0;
    new ResizeObserver(() => {
        if (track.rowHeight !== rowHeight()) {
            const first = track.offset / track.rowHeight;
            track = new Track(rowHeight());
            track.resize(list.total, scroller.clientHeight);
            track.place(first * track.rowHeight);
        }
        changed(0);
    }).observe(scroller);
    live.listen(() => arrived());
    setInterval(() => arrived(), countPause);

    function rowHeight() {
        return parseInt(getComputedStyle(document.documentElement).getPropertyValue("--row"), 10) || 32;
    }

    function fetchPage(parameters) { return call(`records?${recordQuery({ ...filter, ...parameters })}`); }

    // Drawing.

    function changed(shift) {
        track.resize(list.total, scroller.clientHeight);
        if (shift !== 0) track.place(track.offset + shift * track.rowHeight);
        settle();
        draw();
    }

    /** Puts the element where the track is. The scroll event that follows finds nothing to do. */
    function settle() {
        layer.style.height = `${track.height}px`;
        if (Math.round(scroller.scrollTop) !== track.scroll) scroller.scrollTop = track.scroll;
    }

    let rest;
    function scrolled() {
        const scroll = Math.round(scroller.scrollTop);
        if (scroll === track.scroll) return;
        track.scrolled(scroll);
        clearTimeout(rest);
        // Small steps through a compressed track let the bar lag behind the list; at rest it catches up.
        rest = setTimeout(() => {
            track.place(track.offset);
            settle();
            draw();
        }, 200);
        if (!frame) frame = requestAnimationFrame(() => {
            frame = 0;
            draw();
        });
        arrived();
    }

    function draw() {
        const { first, last } = track.range(extraRows);
        const count = Math.max(0, last - first + 1);
        while (pool.length < count) {
            const row = createRow(context, (record) => select(record.id));
            pool.push(row);
            layer.append(row.element);
        }
        // Each position always uses the same element of the pool, so that a step rewrites only the rows that come in.
        const used = new Set();
        for (let position = first; position <= last; position += 1) {
            const row = pool[position % pool.length];
            used.add(row);
            const record = list.at(position);
            row.show(record, list.at(position + 1), position, track.position(position), String(record?.id) === selected);
        }
        for (const row of pool) if (!used.has(row)) row.hide();
        scroller.setAttribute("aria-rowcount", String(list.total));
        const top = list.at(Math.floor(track.offset / track.rowHeight));
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

    const isAtTop = () => track.offset < track.rowHeight && list.start === 0;

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
        track.place(0);
        settle();
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
        scroller.removeAttribute("aria-activedescendant");
        if (selected === null) return detail.clear();
        scroller.setAttribute("aria-activedescendant", `record-${selected}`);
        const position = list.indexOf(selected);
        await detail.show(selected, list.at(position));
    }

    async function move(step) {
        if (list.rows.length === 0) return;
        const current = selected === null ? -1 : list.indexOf(selected);
        const top = Math.ceil(track.offset / track.rowHeight);
        const next = current < 0 ? top : Math.min(Math.max(current + step, 0), list.total - 1);
        const record = list.at(next);
        if (!record) return;
        track.place(track.reveal(next));
        settle();
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
                track.place(0);
                settle();
                const wait = setTimeout(() => main.classList.add("loading"), 150);
                await list.reload();
                clearTimeout(wait);
                main.classList.remove("loading");
                if (isOther && selected !== null && list.indexOf(selected) < 0) {
                    const position = await list.locate(selected);
                    if (position >= 0) {
                        track.place(track.reveal(position + 3));
                        settle();
                    }
                }
            }
            settle();
            draw();
            drawPill();
            if (isOther) await showSelected();
            else if (selected === null) detail.clear();
        },
        move,
        edge(isLast) {
            track.place(isLast ? track.maxOffset : 0);
            settle();
            draw();
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
