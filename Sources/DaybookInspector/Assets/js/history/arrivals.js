// @ts-check
// The pill that says whether the list is live, paused or behind, and how many records are waiting.

import { call, recordQuery } from "../base/api.js";
import { h } from "../base/dom.js";

const countPause = 1_000;

export class Arrivals {
    #isPaused = false;
    /** @type {{ count: number, more: boolean } | null} how many wait above the list, once that has been asked */
    #waiting = null;
    /** When the count was requested, by `performance.now()`. */
    #countedAt = 0;
    /** The latest head that the list was told of. */
    #toldHead = 0;
    #words = h("span");

    /** @param {PageContext} context @param {import("./record-list.js").RecordList} list
     * @param {() => boolean} isShown */
    constructor(context, list, isShown) {
        this.context = context;
        this.list = list;
        this.isShown = isShown;
        this.pill = h("button", { class: "pill", type: "button", on: { click: () => this.#pressed() } },
            h("span", { class: "dot" }), this.#words);
        context.live.listen(() => this.arrived());
        setInterval(() => this.arrived(), countPause);
    }

    /** Adds new records, or counts them if that would move the reader. */
    arrived() {
        const { live } = this.context;
        const { window } = this.list;
        if (this.isShown() && window.loaded && live.head > window.anchor) {
            if (live.state === "open" && window.error) window.retry();
            if (!window.isBusy) this.#toldHead = live.head;
            if (this.list.isAtTop && !this.#isPaused) window.pull();
            else this.#count();
        }
        this.draw();
    }

    async #count() {
        const now = performance.now();
        if (now - this.#countedAt < countPause) return;
        this.#countedAt = now;
        const { state, window } = this.list;
        try {
            const query = recordQuery({ ...state.filter, after: window.anchor, live: "1" });
            this.#waiting = await call(`records/count?${query}`);
        } catch {
            // The next notice asks again.
        }
        this.draw();
    }

    draw() {
        const { t, live } = this.context;
        const isFollowing = this.list.isAtTop && !this.#isPaused;
        if (isFollowing || live.head <= this.list.window.anchor) this.#waiting = null;
        const fresh = this.#waiting && this.#waiting.count > 0
            ? t(this.#waiting.more ? "live.newMore" : "live.new", { n: this.#waiting.count }) : "";
        const state = live.state !== "open" ? "lost" : this.#isPaused ? "paused"
            : this.list.isAtTop || !fresh ? "live" : "behind";
        this.pill.dataset.state = state;
        const said = { lost: t("live.lost"), paused: t("live.paused"), live: t("live.live"),
            behind: t("live.behind") }[state];
        const text = fresh ? `${said} · ${fresh}` : said;
        if (this.#words.textContent !== text) this.#words.textContent = text;
        this.pill.title = state === "live" ? t("live.pause") : t("live.resume");
        if (fresh) this.context.announce(fresh);
    }

    #pressed() {
        if (this.pill.dataset.state === "live") this.#isPaused = true;
        else this.#resume();
        this.draw();
    }

    #resume() {
        this.#isPaused = false;
        this.#waiting = null;
        this.list.toTop();
    }

    togglePause() {
        if (this.#isPaused) this.#resume();
        else this.#isPaused = true;
        this.draw();
    }

    /** A request has ended: more may have arrived in the meantime. */
    idle() { if (this.context.live.head > this.#toldHead) this.arrived(); }

    forget() { this.#waiting = null; }
}
