// @ts-check
// The timeline: measurements as bars, a row per name with figures, and the other records above. It shows the latest
// records of the history's filter.

import { chip, iconButton, quietButton } from "../base/controls.js";
import { h, icon, replaceChildren } from "../base/dom.js";
import { clockTime, cut, duration, errorLevel } from "../base/format.js";
import { notice } from "../base/pane.js";
import { lanes, latestStretch, plausible, spanOf } from "../model/lanes.js";
import { Latest } from "../model/latest.js";
import { axisMarks, figureTable, hideCutLabel, laneName, placed, windowText } from "./figures.js";

/** @typedef {{ start: number, end: number }} Frame nanoseconds since 1970 */

const mostRecords = 3_000;
const mostBars = 1_500;
const mostMarks = 600;
const laneHeight = 12;
const smallest = 1e5;
const largest = 7 * 86_400e9;
/** The address follows once the wheel rests. */
const addressPause = 300;

/** `START-END` in nanoseconds since 1970, as in the address.
 * @param {string | undefined} text @returns {Frame | null} */
function frameOf(text) {
    const found = /^(\d+)-(\d+)$/.exec(text ?? "");
    const [start, end] = [Number(found?.[1]), Number(found?.[2])];
    return found && start < end ? { start, end } : null;
}

export class Timeline {
    /** @type {Latest | null} what is loaded; null until a filter is */
    #latest = null;
    /** @type {LaneGroup[]} the measurements by name */
    #groups = [];
    /** @type {{ record: LogRecord, time: number }[]} the records without a duration */
    #others = [];
    /** @type {Frame | null} the stretch of time in view; null while there is none */
    #frame = null;
    /** @type {string | null} the number of the chosen record */
    #selected = null;
    #isTable = false;
    /** @type {number | undefined} */
    #moving;

    #figures = h("div", { class: "lanes", role: "presentation" });
    #range = h("span", { class: "muted total", role: "status" });
    #of = h("span", { class: "muted total", role: "status" });
    #table;
    #asTable;
    #windowTools;

    /** @param {PageContext} context @param {(id: Integer) => void} select
     * @param {(frame: string) => void} moved puts the stretch in view into the address */
    constructor(context, select, moved) {
        const { t, live } = context;
        this.context = context;
        this.select = select;
        this.moved = moved;
        this.#table = h("div", { class: "result", hidden: true, tabindex: "0", "aria-label": t("chart.table") });
        this.#asTable = chip(t("chart.table"), () => {
            this.#isTable = !this.#isTable;
            this.#draw();
        });
        this.#windowTools = h("span", { class: "windowtools" },
            iconButton("out", t("timeline.out"), "−", () => this.zoom(2)),
            iconButton("in", t("timeline.in"), "+", () => this.zoom(0.5)),
            iconButton("earlier", t("timeline.back"), icon("back"), () => this.pan(-0.5)),
            iconButton("later", t("timeline.forward"), h("span", { class: "flipped" }, icon("back")),
                () => this.pan(0.5)),
            quietButton(t("timeline.fit"), () => this.fit()));
        this.element = h("div", { class: "timeline", tabindex: "0", "data-keys": "list",
            "aria-label": t("screen.timeline"),
            on: { wheel: (event) => this.#wheel(event), pointerdown: (event) => this.#grab(event) } },
        h("div", { class: "line timetools" }, this.#windowTools, this.#asTable, this.#range, this.#of), this.#figures,
        this.#table);
        live.listen(() => this.#arrived());
    }

    /** Whether the figures are shown, and not the table. */
    get hasWindow() { return !this.#isTable && this.#frame !== null; }

    // Loading.

    /** @param {RecordQuery} filter @param {string} [frame] the stretch to show, as the address has it */
    async load(filter, frame) {
        const own = new Latest(filter, { most: mostRecords });
        this.#latest = own;
        this.#frame = null;
        await own.load();
        if (this.#latest !== own) return;
        this.#compute(own.records);
        this.#frame = frameOf(frame) ?? latestStretch(own.records);
        // Older records leave the window where the reader put it.
        this.#showChosen();
        while (this.#latest === own && own.canExtend) await own.extend();
        if (this.#latest !== own) return;
        this.#compute(own.records);
        this.#draw();
    }

    /** New records appear outside of the window, which stays. */
    async #arrived() {
        const latest = this.#latest;
        if (!this.element.isConnected || !latest?.loaded || this.context.live.head <= latest.anchor) return;
        await latest.pull().catch(() => {});
        if (latest !== this.#latest) return;
        this.#compute(this.#records);
        this.#draw();
    }

    get #records() { return this.#latest?.records ?? []; }

    /** @param {LogRecord[]} records */
    #compute(records) {
        this.#groups = lanes(records);
        this.#others = records.filter((record) => record.duration === null)
            .map((record) => ({ record, time: Number(BigInt(record.time)) }));
    }

    // The selected record.

    /** @param {string} id */
    find(id) { return this.#records.find((record) => String(record.id) === id); }

    /** @param {string | null} id */
    show(id) {
        this.#selected = id;
        this.#showChosen();
    }

    /** Draws with the selected record in view, if it is loaded. */
    #showChosen() {
        const record = this.#selected === null ? undefined : this.find(this.#selected);
        if (record) this.#reveal(record);
        if (this.#frame) this.#draw();
        this.#figures.querySelector("[data-chosen=true]")?.scrollIntoView({ block: "nearest" });
    }

    /** Moves the window to a record, keeping its width.
     * @param {LogRecord} record */
    #reveal(record) {
        const frame = this.#frame;
        const { start, end } = spanOf(record);
        if (!frame || (start <= frame.end && end >= frame.start)) return;
        const half = (frame.end - frame.start) / 2;
        this.#frame = { start: start - half, end: start + half };
    }

    #inTime() {
        return [...this.#records].sort((left, right) => (BigInt(left.time) < BigInt(right.time) ? -1 : 1));
    }

    /** The next or previous record in time.
     * @param {number} by */
    step(by) {
        const all = this.#inTime();
        const index = all.findIndex((record) => String(record.id) === this.#selected);
        return all[index < 0 ? all.length - 1 : Math.min(Math.max(index + by, 0), all.length - 1)];
    }

    /** Moves the window to the oldest or newest record.
     * @param {boolean} isOldest */
    edge(isOldest) {
        const record = this.#inTime().at(isOldest ? 0 : -1);
        if (!record) return;
        this.#reveal(record);
        this.#draw();
    }

    // Moving.

    /** @param {number} factor @param {number} centre the share of the window that stays in its place */
    zoom(factor, centre = 0.5) {
        if (!this.#frame) return;
        const { start, end } = this.#frame;
        const next = Math.min(Math.max((end - start) * factor, smallest), largest);
        const at = start + (end - start) * centre;
        this.#move({ start: at - next * centre, end: at + next * (1 - centre) });
    }

    /** @param {number} share of the window's width */
    pan(share) {
        if (!this.#frame) return;
        const step = (this.#frame.end - this.#frame.start) * share;
        this.#move({ start: this.#frame.start + step, end: this.#frame.end + step });
    }

    /** Shows everything that is loaded. */
    fit() {
        const all = plausible(this.#records).map(spanOf);
        if (all.length === 0) return;
        const start = Math.min(...all.map((one) => one.start));
        const end = Math.max(...all.map((one) => one.end));
        const margin = Math.max(1e6, (end - start) * 0.02);
        this.#move({ start: start - margin, end: end + margin });
    }

    /** @param {Frame} frame */
    #move(frame) {
        this.#frame = frame;
        this.#draw();
        clearTimeout(this.#moving);
        this.#moving = setTimeout(() => this.moved(`${Math.round(frame.start)}-${Math.round(frame.end)}`),
            addressPause);
    }

    get #track() { return this.#figures.querySelector(".track")?.getBoundingClientRect(); }

    /** @param {WheelEvent} event */
    #wheel(event) {
        const isZoom = event.ctrlKey || event.metaKey;
        if (!isZoom && Math.abs(event.deltaX) <= Math.abs(event.deltaY)) return;
        const track = this.#track;
        if (!track) return;
        event.preventDefault();
        if (isZoom) this.zoom(event.deltaY > 0 ? 1.25 : 0.8, (event.clientX - track.left) / track.width);
        else this.pan(event.deltaX / track.width);
    }

    /** @param {PointerEvent} event */
    #grab(event) {
        const track = this.#track;
        if (!track || event.button !== 0 || !(event.target instanceof Element)
            || !event.target.closest(".track")) return;
        let x = event.clientX;
        const move = (/** @type {PointerEvent} */ next) => {
            this.pan((x - next.clientX) / track.width);
            x = next.clientX;
        };
        addEventListener("pointermove", move);
        addEventListener("pointerup", () => removeEventListener("pointermove", move), { once: true });
    }

    // Drawing.

    #draw() {
        const { t, language } = this.context;
        const frame = this.#isTable ? null : this.#frame;
        this.#asTable.setAttribute("aria-pressed", String(this.#isTable));
        // The table covers everything that is loaded, whatever the window.
        this.#figures.hidden = this.#windowTools.hidden = this.#isTable;
        this.#table.hidden = !this.#isTable;
        this.#range.textContent = "";
        // Says so if not everything is loaded.
        const latest = this.#latest;
        this.#of.textContent = latest?.loaded && !latest.reachesEnd
            ? t("timeline.latest", { n: latest.records.length }) : "";
        if (this.#groups.length === 0 && this.#others.length === 0) {
            replaceChildren(this.#isTable ? this.#table : this.#figures,
                notice(t("timeline.empty"), t("timeline.emptyHint")));
        } else if (this.#isTable) {
            replaceChildren(this.#table, figureTable(this.context, this.#groups));
        } else if (frame) {
            this.#range.textContent = `${windowText(frame, language)} · ${duration(frame.end - frame.start, language)}`;
            this.#drawLanes(frame);
        }
    }

    /** @param {Frame} frame */
    #drawLanes({ start, end }) {
        const { t, language } = this.context;
        const share = (/** @type {number} */ time) => `${(time - start) / (end - start) * 100}%`;
        const marks = axisMarks({ start, end }, this.#figures.clientWidth < 700 ? 3 : 6, language);
        const gridlines = () => marks.map((mark) => placed("gridline", { left: `${mark.share * 100}%` }));
        const seen = this.#others.filter(({ time }) => time >= start && time <= end).slice(0, mostMarks);
        let left = mostBars;
        replaceChildren(this.#figures,
            h("div", { class: "lane top" }, h("div", { class: "lanename muted" }, t("history.name")),
                h("div", { class: "track axis" }, marks.map((mark) =>
                    placed("gridline", { left: `${mark.share * 100}%` },
                        h("span", { class: mark.isDate ? "date" : null }, mark.text))))),
            h("div", { class: "lane" }, h("div", { class: "lanename" }, t("release.records")),
                h("div", { class: "track events" }, gridlines(), seen.map(({ record, time }) =>
                    this.#recordMark("eventmark", { left: share(time) }, record,
                        `${clockTime(record.time)} ${cut(record.message ?? record.tag, 200)}`)))),
            this.#groups.map((group) => {
                const items = group.items.filter((item) => item.end >= start && item.start <= end).slice(0, left);
                left -= items.length;
                const track = h("div", { class: "track" }, gridlines(),
                    items.map((item) => this.#bar(group, item, start, end)));
                track.style.setProperty("height", `${group.depth * laneHeight + 8}px`);
                return h("div", { class: "lane", "data-kind": group.kind }, laneName(group, language), track);
            }));
        hideCutLabel(this.#figures);
    }

    /** @param {LaneGroup} group @param {LaneItem} item @param {number} start
     * @param {number} end */
    #bar({ name }, item, start, end) {
        const [from, to] = [Math.max(start, item.start), Math.min(end, item.end)];
        return this.#recordMark("span", { left: `${(from - start) / (end - start) * 100}%`,
            width: `${(to - from) / (end - start) * 100}%`, top: `${5 + item.lane * laneHeight}px` }, item.record,
        `${name} · ${duration(item.record.duration ?? 0, this.context.language)}`);
    }

    /** A record's mark on a track; a click selects it.
     * @param {string} name @param {Record<string, string>} style @param {LogRecord} record @param {string} title */
    #recordMark(name, style, record, title) {
        const mark = placed(name, style);
        mark.title = title;
        mark.dataset.kind = record.kind;
        mark.dataset.bad = String(record.level >= errorLevel);
        mark.dataset.chosen = String(String(record.id) === this.#selected);
        mark.addEventListener("click", () => this.select(record.id));
        return mark;
    }
}
