// How many records there are over time, by kind, with a brush that narrows the history to a stretch.

import { call, recordQuery } from "../base/api.js";
import { h, replaceChildren } from "../base/dom.js";
import { calendarDay, clockTime, kinds } from "../base/format.js";

const buckets = 96;
const pause = 2_000;
const mostSteps = 50;

/** `brushed(since, until)` gets times in nanoseconds as strings, or empty ones for no limit. */
export function createHistogram(context, brushed) {
    const { t, live, language } = context;
    let filter = null;
    let shown = null;
    let drawnHead = -1;
    let request = null;
    let range = null;

    const bars = h("div", { class: "bars" });
    const brush = h("div", { class: "brush", hidden: true });
    const words = h("span", { class: "unseen", role: "status" });
    const element = h("div", {
        class: "histogram", tabindex: "0", role: "group", "aria-label": t("histogram.title"), title: t("histogram.hint"),
        on: { pointerdown: grab, keydown: keyed },
    }, bars, brush, words);
    setInterval(() => { if (element.isConnected && live.head !== drawnHead && !document.hidden) load(); }, pause);

    async function load() {
        request?.abort();
        const own = new AbortController();
        request = own;
        drawnHead = live.head;
        let counts = null;
        let before = "";
        // A large store answers in parts; each is shown as it comes.
        for (let step = 0; step < mostSteps; step += 1) {
            const query = recordQuery({ ...filter, buckets, before,
                ...(counts ? { start: counts.start, width: counts.width, buckets: counts.buckets } : {}) });
            let answer;
            try {
                answer = await call(`histogram?${query}`, { signal: own.signal });
            } catch {
                return;
            }
            if (counts === null) counts = answer;
            else for (const [kind, numbers] of Object.entries(answer.counts)) {
                const sum = counts.counts[kind] ??= numbers.map(() => 0);
                numbers.forEach((number, index) => { sum[index] += number; });
            }
            shown = counts;
            draw();
            if (answer.next === null) return;
            before = String(answer.next);
        }
    }

    function draw() {
        const numbers = kinds.filter((kind) => shown.counts[kind]);
        const count = Math.max(0, ...numbers.map((kind) => shown.counts[kind].length));
        const totals = Array.from({ length: count }, (_, index) =>
            numbers.reduce((sum, kind) => sum + shown.counts[kind][index], 0));
        const most = Math.max(1, ...totals);
        element.dataset.empty = String(totals.every((total) => total === 0));
        replaceChildren(bars, totals.map((total, index) => {
            const bar = h("div", { class: "bar" });
            // Few records must still be seen beside many.
            bar.style.setProperty("height", total === 0 ? "0" : `${Math.max(6, total / most * 100)}%`);
            bar.title = `${clockTime(at(index))} – ${clockTime(at(index + 1))}: ${total}`;
            for (const kind of numbers) {
                const part = shown.counts[kind][index];
                if (part === 0) continue;
                const piece = h("div", { class: "piece", "data-kind": kind });
                piece.style.setProperty("flex-grow", String(part));
                bar.append(piece);
            }
            return bar;
        }));
        if (count > 0) words.textContent = t("histogram.range", { from: `${calendarDay(at(0), language)} ${clockTime(at(0))}`,
            to: clockTime(at(count)), n: totals.reduce((sum, total) => sum + total, 0) });
    }

    function at(index) { return (BigInt(shown.start) + BigInt(shown.width) * BigInt(index)).toString(); }

    function mark() {
        brush.hidden = range === null;
        if (range === null) return;
        const count = bars.children.length;
        const [from, to] = [Math.min(...range), Math.max(...range) + 1];
        brush.style.setProperty("left", `${from / count * 100}%`);
        brush.style.setProperty("width", `${(to - from) / count * 100}%`);
    }

    function finish() {
        const [from, to] = [Math.min(...range), Math.max(...range) + 1];
        range = null;
        mark();
        brushed(at(from), at(to));
    }

    function grab(event) {
        const count = bars.children.length;
        if (event.button !== 0 || count === 0) return;
        const box = bars.getBoundingClientRect();
        const bucket = (x) => Math.min(count - 1, Math.max(0, Math.floor((x - box.left) / box.width * count)));
        range = [bucket(event.clientX), bucket(event.clientX)];
        mark();
        const move = (next) => {
            range[1] = bucket(next.clientX);
            mark();
        };
        addEventListener("pointermove", move);
        addEventListener("pointerup", () => {
            removeEventListener("pointermove", move);
            if (range) finish();
        }, { once: true });
    }

    /** Arrows move the brush, with Shift its other end; Enter narrows, Escape lets go. */
    function keyed(event) {
        const count = bars.children.length;
        if (count === 0 || event.ctrlKey || event.metaKey || event.altKey) return;
        const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (step) {
            range ??= [count - 1, count - 1];
            const move = (value) => Math.min(count - 1, Math.max(0, value + step));
            range = event.shiftKey ? [range[0], move(range[1])] : [move(range[0]), move(range[1])];
            mark();
            words.textContent = `${clockTime(at(Math.min(...range)))} – ${clockTime(at(Math.max(...range) + 1))}`;
        } else if (event.key === "Enter" && range) finish();
        else if (event.key === "Escape" && range) {
            range = null;
            mark();
        } else return;
        event.preventDefault();
        event.stopPropagation();
    }

    return {
        element,
        /** Shows the volume of a filter. */
        show(next) {
            if (JSON.stringify(next) === JSON.stringify(filter)) return;
            filter = next;
            load();
        },
    };
}
