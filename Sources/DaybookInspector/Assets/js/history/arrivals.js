// The pill that says whether the list is live, paused or behind, and how many records wait above it.

import { call, recordQuery } from "../base/api.js";
import { h } from "../base/dom.js";

const countPause = 1_000;

/**
 * `list` is a record window; `filter()` the API's filter; `isAtTop()` whether its newest row is in view; `toTop()` goes
 * there.
 */
export function createArrivals(context, { list, filter, isAtTop, isShown, toTop }) {
    const { t, live } = context;
    let isPaused = false;
    let waiting = null;
    let lastCount = 0;
    let askedAt = 0;
    const words = h("span");
    const pill = h("button", { class: "pill", type: "button", on: { click: () => pressed() } },
        h("span", { class: "dot" }), words);
    live.listen(() => arrived());
    setInterval(() => arrived(), countPause);

    function arrived() {
        if (isShown() && list.loaded && live.head > list.anchor) {
            if (live.state === "open" && list.error) list.retry();
            askedAt = live.head;
            if (isAtTop() && !isPaused) list.pull();
            else count();
        }
        draw();
    }

    async function count() {
        const now = performance.now();
        if (now - lastCount < countPause) return;
        lastCount = now;
        try {
            const { count: found, more } = await call(`records/count?${recordQuery({ ...filter(), after: list.anchor })}`);
            waiting = { count: found, more };
        } catch {
            // The next notice asks again.
        }
        draw();
    }

    function draw() {
        const isCurrent = live.head <= list.anchor || (isAtTop() && !isPaused);
        if (isCurrent) waiting = null;
        const hasFresh = waiting && waiting.count > 0;
        const fresh = hasFresh ? t(waiting.more ? "live.newMore" : "live.new", { n: waiting.count }) : "";
        const state = live.state !== "open" ? "lost" : isPaused ? "paused" : isAtTop() || !fresh ? "live" : "behind";
        pill.dataset.state = state;
        const said = { lost: t("live.lost"), paused: t("live.paused"), live: t("live.live"),
            behind: t("live.behind") }[state];
        const text = fresh ? `${said} · ${fresh}` : said;
        if (words.textContent !== text) words.textContent = text;
        pill.title = state === "live" ? t("live.pause") : t("live.resume");
        if (fresh) context.announce(fresh);
    }

    function pressed() {
        if (pill.dataset.state === "live") isPaused = true;
        else resume();
        draw();
    }

    function resume() {
        isPaused = false;
        waiting = null;
        toTop();
    }

    return {
        pill,
        arrived,
        draw,
        /** Told when a request has ended: more may have come meanwhile. */
        idle() { if (live.head > askedAt) arrived(); },
        forget() { waiting = null; },
        togglePause() {
            if (isPaused) resume();
            else isPaused = true;
            draw();
        },
    };
}
