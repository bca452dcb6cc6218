// The timeline: measurements as bars, a row for each name with its figures, and the other records above them. It shows
// the latest records of the history's filter.

import { foreign, h, icon, replaceChildren } from "../base/dom.js";
import { clockTime, cut, duration } from "../base/format.js";
import { axis, lanes, latestStretch } from "../model/lanes.js";
import { Latest } from "../network/latest.js";

const mostRecords = 3_000;
const mostBars = 1_500;
const mostMarks = 600;
const laneHeight = 12;
const smallest = 1e5;

export function createTimeline(context, { select }) {
    const { t, live, language } = context;
    let latest = null;
    let groups = [];
    let others = [];
    let frame = null;
    let selected = null;
    let isTable = false;

    const figures = h("div", { class: "lanes", role: "presentation" });
    const table = h("div", { class: "result", hidden: true, tabindex: "0", "aria-label": t("timeline.table") });
    const range = h("span", { class: "muted total", role: "status" });
    const button = (name, picture, words, action) => h("button", { class: `button icononly ${name}`, type: "button",
        "aria-label": words, title: words, on: { click: action } }, picture);
    const asTable = h("button", { class: "chip plain", type: "button", "aria-pressed": "false",
        on: { click: () => { isTable = !isTable; draw(); } } }, t("timeline.table"));
    const windowTools = h("span", { class: "windowtools" },
        button("out", "−", t("timeline.out"), () => zoom(2)), button("in", "+", t("timeline.in"), () => zoom(0.5)),
        button("earlier", icon("back"), t("timeline.back"), () => pan(-0.5)),
        button("later", h("span", { class: "flipped" }, icon("back")), t("timeline.forward"), () => pan(0.5)),
        h("button", { class: "button quiet", type: "button", on: { click: fit } }, t("timeline.fit")));
    const element = h("div", { class: "timeline", tabindex: "0", "data-keys": "list", "aria-label": t("screen.timeline"),
        on: { wheel, pointerdown: grab } },
    h("div", { class: "line timetools" }, windowTools, asTable, range),
    figures, table);
    live.listen(async () => {
        if (!element.isConnected || !latest?.loaded || live.head <= latest.anchor) return;
        // New records are there when one looks for them; the window stays where the reader put it.
        await latest.pull().catch(() => {});
        compute();
        draw();
    });

    async function load(filter) {
        const own = new Latest(filter, mostRecords);
        latest = own;
        frame = null;
        await own.load();
        if (latest !== own) return;
        compute();
        frame = latestStretch(own.records);
        // The latest are there at once; what comes of older ones leaves the window where the reader has put it.
        showChosen();
        while (latest === own && own.canExtend) await own.extend();
        if (latest !== own) return;
        compute();
        draw();
    }

    function compute() {
        groups = lanes(latest.records);
        others = latest.records.filter(({ duration: length }) => length === null)
            .map((record) => ({ record, time: Number(BigInt(record.time)) }));
    }

    // Moving.

    function zoom(factor, centre = 0.5) {
        if (!frame) return;
        const span = frame.end - frame.start;
        const next = Math.min(Math.max(span * factor, smallest), 7 * 86_400e9);
        const at = frame.start + span * centre;
        frame = { start: at - next * centre, end: at + next * (1 - centre) };
        draw();
    }

    function pan(share) {
        if (!frame) return;
        const step = (frame.end - frame.start) * share;
        frame = { start: frame.start + step, end: frame.end + step };
        draw();
    }

    function fit() {
        const all = [...groups.flatMap(({ items }) => items), ...others.map(({ time }) => ({ start: time, end: time }))];
        if (all.length === 0) return;
        const start = Math.min(...all.map((one) => one.start));
        const end = Math.max(...all.map((one) => one.end));
        const margin = Math.max(1e6, (end - start) * 0.02);
        frame = { start: start - margin, end: end + margin };
        draw();
    }

    function trackOf() { return figures.querySelector(".track")?.getBoundingClientRect(); }

    function wheel(event) {
        if (!event.ctrlKey && !event.metaKey && Math.abs(event.deltaX) <= Math.abs(event.deltaY)) return;
        const track = trackOf();
        if (!track) return;
        event.preventDefault();
        if (event.ctrlKey || event.metaKey) {
            zoom(event.deltaY > 0 ? 1.25 : 0.8, (event.clientX - track.left) / track.width);
        } else pan(event.deltaX / track.width);
    }

    function grab(event) {
        const track = trackOf();
        if (!track || event.button !== 0 || !event.target.closest(".track")) return;
        let x = event.clientX;
        const move = (next) => {
            pan((x - next.clientX) / track.width);
            x = next.clientX;
        };
        addEventListener("pointermove", move);
        addEventListener("pointerup", () => removeEventListener("pointermove", move), { once: true });
    }

    /** Brings a record into the window, as wide as it is. */
    function reveal(record) {
        const time = Number(BigInt(record.time));
        if (!frame || (time <= frame.end && time + Number(record.duration ?? 0) >= frame.start)) return;
        const half = (frame.end - frame.start) / 2;
        frame = { start: time - half, end: time + half };
    }

    const inTime = () => [...(latest?.records ?? [])].sort((left, right) => (BigInt(left.time) < BigInt(right.time) ? -1 : 1));

    // Drawing.

    /** Draws with the chosen record in view, as far as it is loaded. */
    function showChosen() {
        const record = latest?.records.find(({ id }) => String(id) === selected);
        if (record) reveal(record);
        if (frame) draw();
        figures.querySelector("[data-chosen=true]")?.scrollIntoView({ block: "nearest" });
    }

    function draw() {
        asTable.setAttribute("aria-pressed", String(isTable));
        // The table is of all that is loaded, whatever stretch of it the figures show.
        figures.hidden = windowTools.hidden = isTable;
        table.hidden = !isTable;
        if (groups.length === 0 && others.length === 0) {
            range.textContent = "";
            replaceChildren(isTable ? table : figures, h("div", { class: "notice" },
                h("h2", null, t("timeline.empty")), h("p", null, t("timeline.emptyHint"))));
            return;
        }
        range.textContent = frame && !isTable ? `${clockTime(BigInt(Math.round(frame.start)))} – ${
            clockTime(BigInt(Math.round(frame.end)))} · ${duration(frame.end - frame.start, language)}` : "";
        if (isTable) drawTable();
        else drawLanes();
    }

    function drawLanes() {
        const { start, end } = frame;
        const span = end - start;
        const share = (time) => `${(time - start) / span * 100}%`;
        const { marks, step } = axis(start, end, figures.clientWidth < 700 ? 3 : 6);
        const gridline = (mark) => placed("gridline", { left: share(mark) });
        const seen = others.filter(({ time }) => time >= start && time <= end).slice(0, mostMarks);
        let left = mostBars;
        replaceChildren(figures,
            h("div", { class: "lane top" }, h("div", { class: "lanename muted" }, t("timeline.name")),
                h("div", { class: "track axis" }, marks.map((mark) => {
                    const label = placed("gridline", { left: share(mark) });
                    label.append(h("span", null, markText(mark, step)));
                    return label;
                }))),
            h("div", { class: "lane" }, h("div", { class: "lanename" }, t("timeline.events")),
                h("div", { class: "track events" }, marks.map(gridline), seen.map(({ record, time }) => {
                    const mark = placed("eventmark", { left: share(time) }, record);
                    mark.title = `${clockTime(record.time)} ${cut(record.message ?? record.tag, 200)}`;
                    return mark;
                }))),
            groups.map((group) => {
                const items = group.items.filter((item) => item.end >= start && item.start <= end).slice(0, left);
                left -= items.length;
                const track = h("div", { class: "track" }, marks.map(gridline), items.map((item) => {
                    const bar = placed("span", { left: share(Math.max(start, item.start)),
                        width: `${(Math.min(end, item.end) - Math.max(start, item.start)) / span * 100}%`,
                        top: `${5 + item.lane * laneHeight}px` }, item.record);
                    bar.title = `${group.name} · ${duration(item.record.duration, language)}`;
                    return bar;
                }));
                track.style.setProperty("height", `${group.depth * laneHeight + 8}px`);
                return h("div", { class: "lane", "data-kind": group.kind }, laneName(group), track);
            }));
        // The last time is left out where the edge would cut it.
        const last = figures.querySelector(".axis .gridline:last-child > span");
        if (last) last.hidden = last.getBoundingClientRect().right > last.closest(".axis").getBoundingClientRect().right;
    }

    function laneName(group) {
        return h("div", { class: "lanename" }, h("span", { class: "picture" }, icon(group.kind)),
            h("span", { class: "lanetitle" }, foreign(cut(group.name, 120), "tag"),
                h("span", { class: "muted" }, `${group.count}×`, h("span", { class: "wide" }, ` · p50 ${duration(group.p50, language)}`),
                    ` · p95 ${duration(group.p95, language)}`, h("span", { class: "wide" }, ` · max ${duration(group.max, language)}`))));
    }

    function markText(mark, step) {
        const text = clockTime(BigInt(Math.round(mark)));
        if (step >= 60e9) return text.slice(0, 5);
        return step >= 1e9 ? text.slice(0, 8) : step >= 1e6 ? text : `${text}+${duration(mark % 1e6, language)}`;
    }

    function placed(name, style, record = null) {
        const place = h("div", { class: name });
        for (const [property, value] of Object.entries(style)) place.style.setProperty(property, value);
        if (record) {
            place.dataset.kind = record.kind;
            place.dataset.bad = String(record.level >= 17);
            place.dataset.chosen = String(String(record.id) === selected);
            place.addEventListener("click", () => select(record.id));
        }
        return place;
    }

    function drawTable() {
        const heads = ["timeline.name", "timeline.number", "p50", "p95", "max", "timeline.total", "timeline.errors"];
        replaceChildren(table, h("table", null,
            h("thead", null, h("tr", null, heads.map((head, index) => h("th", { scope: "col",
                class: index > 0 ? "number" : null }, head.includes(".") ? t(head) : head)))),
            h("tbody", null, groups.map((group) => h("tr", null,
                h("th", { scope: "row" }, foreign(group.name)),
                [group.count, ...[group.p50, group.p95, group.max, group.total].map((one) => duration(one, language)), group.errors]
                    .map((cell) => h("td", { class: "number" }, String(cell))))))));
    }

    return {
        element,
        load,
        records: () => latest?.records ?? [],
        zoom,
        pan,
        fit,
        /** Whether the figures are shown, not their table. */
        get hasWindow() { return !isTable && frame !== null; },
        show(id) {
            selected = id;
            showChosen();
        },
        /** Moves the window to the oldest record, or to the newest. */
        edge(isOldest) {
            const record = inTime().at(isOldest ? 0 : -1);
            if (!record) return;
            reveal(record);
            draw();
        },
        /** The next or previous record in time. */
        step(by) {
            const all = inTime();
            const index = all.findIndex((record) => String(record.id) === selected);
            return all[index < 0 ? all.length - 1 : Math.min(Math.max(index + by, 0), all.length - 1)];
        },
    };
}
