// @ts-check
// How many records violate their definitions, and how.

import { call, eachPart, recordQuery } from "../base/api.js";

/** Milliseconds; records may have been erased since, so everything is recounted. */
const recountPause = 60_000;

/** How many records of a filter violate their definitions, and how. Counts part by part once, then adds what arrives;
 * the sum is exact if `isWhole`. */
export class ViolationTally {
    records = 0;
    isWhole = false;
    /** @type {Map<string, ViolationGroup>} */
    #groups = new Map();
    /** Everything up to this number has been counted. */
    #head = 0;
    #began = 0;
    #isBusy = false;

    /** @param {RecordQuery} filter
     * @param {(query: RecordQuery) => Promise<ViolationCounts>} [fetchPart] replaced in tests */
    constructor(filter, fetchPart = (query) => call(`violations?${recordQuery(query)}`)) {
        this.filter = filter;
        this.fetchPart = fetchPart;
    }

    /** The most frequent first. */
    get groups() { return [...this.#groups.values()].sort((left, right) => right.count - left.count); }

    /** Counts up to `head`; `drawn` is called after each part.
     * @param {number} head @param {number} now milliseconds
     * @param {() => void} drawn */
    async count(head, now, drawn) {
        if (this.#isBusy) return;
        const isAnew = !this.isWhole || now - this.#began > recountPause;
        if (!isAnew && head <= this.#head) return;
        const after = isAnew ? 0 : this.#head;
        this.#isBusy = true;
        /** @type {ViolationCounts[]} */
        const parts = [];
        try {
            await eachPart((before) => this.fetchPart({ ...this.filter, after: after || undefined, before }),
                (part) => {
                parts.push(part);
                // Parts are shown only until there is a complete count.
                if (!isAnew || this.isWhole) return;
                if (parts.length === 1) this.#begin();
                this.#add(part);
                drawn();
            });
            if (isAnew && this.isWhole) this.#begin();
            if (!isAnew || this.isWhole) parts.forEach((part) => this.#add(part));
            if (isAnew) this.#began = now;
            [this.#head, this.isWhole] = [Number(parts[0].head), true];
            drawn();
        } finally {
            this.#isBusy = false;
        }
    }

    #begin() {
        this.records = 0;
        this.#groups.clear();
    }

    /** @param {ViolationCounts} part */
    #add({ records, violations }) {
        this.records += Number(records);
        for (const { count, ...violation } of violations) {
            const { tag, kind, column } = violation;
            const key = JSON.stringify([tag, kind, column]);
            const known = this.#groups.get(key);
            if (known) known.count += Number(count);
            else this.#groups.set(key, { ...violation, count: Number(count) });
        }
    }
}
