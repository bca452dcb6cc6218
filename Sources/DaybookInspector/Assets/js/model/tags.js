// @ts-check
// How often each tag was seen; refreshed at most every two seconds, and only while a screen shows it.

import { AnswerOrder } from "../base/answer-order.js";
import { eachPage } from "../base/api.js";

const pause = 2_000;

export class Tags {
    /** @type {Map<string, TagSummary>} */
    #byTag = new Map();
    /** @type {Set<() => void>} */
    #listeners = new Set();
    #order = new AnswerOrder();
    #asked = -pause;
    /** @type {number | null} */
    #timer = null;
    /** @type {TagSummary[]} */
    all = [];

    /** @param {{ readonly head: number }} live */
    constructor(live) {
        this.live = live;
        this.head = -1;
    }

    /** @param {() => void} listener */
    listen(listener) { this.#listeners.add(listener); }

    /** @param {string} tag */
    of(tag) { return this.#byTag.get(tag); }

    /** Asks if records have arrived since, at the end of the pause. */
    refresh() {
        if (this.#timer || this.live.head === this.head) return;
        const wait = Math.max(0, this.#asked + pause - performance.now());
        this.#timer = setTimeout(() => this.#ask(), wait);
    }

    async load() {
        this.head = this.live.head;
        this.#asked = performance.now();
        /** @type {TagSummary[]} */
        const tags = [];
        const isNews = this.#order.ask();
        await eachPage("tags", (page) => { tags.push(...page.tags); });
        if (!isNews()) return;
        this.all = tags;
        this.#byTag = merged(tags);
        for (const listener of this.#listeners) listener();
    }

    async #ask() {
        try {
            await this.load();
        } catch {
            // Marks the counts as stale, so that the next notice asks again.
            this.head = -1;
        }
        this.#timer = null;
    }
}

/** A summary per tag, across kinds.
 * @param {TagSummary[]} tags */
export function merged(tags) {
    /** @type {Map<string, TagSummary>} */
    const byTag = new Map();
    for (const summary of tags) {
        const known = byTag.get(summary.tag);
        byTag.set(summary.tag, known ? {
            ...known,
            count: Number(known.count) + Number(summary.count),
            first_time: BigInt(known.first_time) < BigInt(summary.first_time) ? known.first_time : summary.first_time,
            last_time: BigInt(known.last_time) > BigInt(summary.last_time) ? known.last_time : summary.last_time,
            versions: [...known.versions, ...summary.versions],
        } : { ...summary, count: Number(summary.count) });
    }
    return byTag;
}
