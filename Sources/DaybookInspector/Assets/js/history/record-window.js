// @ts-check
// The loaded part of a long list of records, newest first, by arrival or by time. Positions count from the newest
// record at the last update, so that arrivals never move a reader. Beyond the loaded part they are estimated from
// numbers or times, and corrected when that part is loaded.

import { asError } from "../base/api.js";
import { milliseconds } from "../base/format.js";

const pageSize = 200;
const mostKept = 4_000;
const mostPulled = 500;

/**
 * An order. `key` falls down the list; `place` is what the API takes for a record, `above` for everything with at most
 * a key. By time, later arrivals only come with `pull`: `until` keeps them out of other pages.
 * @typedef {object} ListOrder
 * @property {RecordQuery} query
 * @property {(record: LogRecord) => number} key
 * @property {(record: LogRecord) => Integer} place
 * @property {(key: number) => Integer} above
 * @property {(record: LogRecord) => Integer} behind the place that lies just above a record
 * @property {(anchor: number) => RecordQuery} until
 * @property {(anchor: number) => RecordQuery} arrivals
 */

/** @type {ListOrder} */
export const byArrival = {
    query: {}, key: ({ id }) => Number(id), place: ({ id }) => id, above: (key) => key + 1,
    behind: ({ id }) => Number(id) + 1, until: () => ({}), arrivals: (anchor) => ({ after: anchor }),
};

/** @type {ListOrder} */
export const byTime = {
    query: { sort: "time" }, key: ({ time }) => milliseconds(time), place: ({ time, id }) => `${time}.${id}`,
    above: (key) => `${BigInt(Math.round(key) + 1) * 1_000_000n}.0`,
    behind: ({ time, id }) => `${time}.${BigInt(id) + 1n}`,
    until: (anchor) => ({ arrived_before: anchor + 1 }), arrivals: (anchor) => ({ arrived_after: anchor }),
};

export class RecordWindow {
    /** @type {LogRecord[]} the loaded records, newest first */
    rows = [];
    /** The position of `rows[0]`. */
    start = 0;
    /** The newest known number. */
    anchor = 0;
    order = byArrival;
    /** The keys of the newest known record and of the oldest one. */
    #top = 0;
    #floor = 1;
    reachesEnd = false;
    loaded = false;
    /** @type {Error | null} why the last request failed */
    error = null;
    /** @type {Progress | null} how far the search for the first page has come, while it goes on */
    searching = null;
    /** Incremented by each start, so that earlier answers are recognised as stale. */
    #generation = 0;
    /** @type {Promise<void> | null} the work that is under way; it ends whatever comes of it */
    #busy = null;

    /** @param {FetchRecords} fetchPage
     * @param {(shift: number) => void} changed after every change, with how far the visible rows have moved
     * @param {() => void} idle a request has succeeded, and none is under way
     * @param {(id: Integer) => Promise<LogRecord | null>} find a record by its number */
    constructor(fetchPage, changed, idle = () => {}, find = async () => null) {
        this.fetchPage = fetchPage;
        this.changed = changed;
        this.idle = idle;
        this.find = find;
    }

    get isBusy() { return this.#busy !== null; }
    get end() { return this.start + this.rows.length; }
    get #firstKey() { return this.rows.length > 0 ? this.order.key(this.rows[0]) : 0; }
    get #lastKey() { return this.rows.length > 0 ? this.order.key(/** @type {LogRecord} */ (this.rows.at(-1))) : 0; }

    /** How many records the list has: exact once its end is loaded, estimated before. */
    get total() {
        if (this.reachesEnd || this.rows.length === 0) return this.end;
        const rest = Math.round((this.#lastKey - this.#floor) * this.#density);
        // There cannot be more records than numbers.
        return this.end + Math.max(1, Math.min(rest, Math.max(0, this.anchor - this.rows.length)));
    }

    /** @param {number} position @returns {LogRecord | undefined} */
    at(position) { return this.rows[position - this.start]; }

    /** A record's position; -1 if it is not loaded.
     * @param {Integer} id */
    indexOf(id) {
        const index = this.rows.findIndex((row) => String(row.id) === String(id));
        return index < 0 ? -1 : this.start + index;
    }

    /** Allows requests again after a failure. */
    async retry() {
        this.error = null;
        if (this.loaded) this.changed(0);
        else await this.reload();
    }

    /** Starts over at the newest record. */
    async reload() {
        const generation = this.#generation += 1;
        this.searching = null;
        await this.#exclusively(async (isCurrent) => {
            const { head, records } = await this.#fetch({ limit: pageSize }, (part, progress) => {
                if (!isCurrent()) return;
                [this.loaded, this.searching] = [true, progress];
                this.#show(part, 0, true);
            });
            const oldest = this.order === byTime && records.length === pageSize
                ? (await this.#fetch({ order: "oldest", limit: 1 })).records[0] : undefined;
            if (!isCurrent()) return;
            this.searching = null;
            this.#floor = oldest ? this.order.key(oldest) : 1;
            this.#begin(head, records);
            this.loaded = true;
            this.#show(records, 0, records.length < pageSize);
        });
        // Rows of another filter must not stay.
        if (this.error && generation === this.#generation) {
            this.loaded = false;
            this.#show([], 0, this.reachesEnd);
        }
    }

    /** @param {LogRecord[]} rows @param {number} start the position of the first @param {boolean} reachesEnd */
    #show(rows, start, reachesEnd) {
        [this.rows, this.start, this.reachesEnd] = [rows, start, reachesEnd];
        this.changed(0);
    }

    /** Adds what has arrived above the first row; only for a list that is at its top. */
    async pull() {
        if (!this.loaded || this.start > 0 || this.#busy) return;
        await this.#exclusively(async (isCurrent) => {
            const { head, records } = await this.#fetch(
                { ...this.order.arrivals(this.anchor), live: "1", order: "oldest", limit: mostPulled });
            if (!isCurrent()) return;
            if (records.length === mostPulled) {
                const newest = await this.#fetch({ limit: pageSize });
                if (!isCurrent()) return;
                this.#begin(newest.head, newest.records);
                this.reachesEnd = false;
            } else {
                this.#begin(head, this.#merged(records.reverse()), records);
                this.#trim(0, 0);
            }
            this.changed(0);
        });
    }

    /** @param {Integer} head @param {LogRecord[]} rows @param {LogRecord[]} fresh those of them that have just come */
    #begin(head, rows, fresh = rows) {
        this.rows = rows;
        this.start = 0;
        this.anchor = Math.max(Number(head), ...fresh.map(({ id }) => Number(id)));
        this.#top = this.order === byTime ? this.#firstKey : this.anchor;
    }

    /** Merges newer records: above by arrival, in place by time. Those below the last row are loaded when the reader
     * gets there.
     * @param {LogRecord[]} fresh newest first */
    #merged(fresh) {
        if (this.order !== byTime) return [...fresh, ...this.rows];
        /** @type {LogRecord[]} */
        const merged = [];
        let next = 0;
        for (const row of this.rows) {
            while (next < fresh.length && isNewer(fresh[next], row)) merged.push(fresh[next++]);
            merged.push(row);
        }
        return this.reachesEnd ? [...merged, ...fresh.slice(next)] : merged;
    }

    /** @param {RecordQuery & { limit: number }} query @param {OnPart} [onPart] */
    #fetch(query, onPart) { return this.fetchPage({ ...this.order.query, ...query }, onPart); }

    /** Loads what the positions need, one request at a time.
     * @param {number} first @param {number} last */
    async ensure(first, last) {
        // After a failure only a retry asks again: redrawing must not hammer the server.
        if (!this.loaded || this.#busy || this.error || this.rows.length === 0) return;
        const margin = pageSize / 2;
        if (last < this.start - pageSize || first > this.end + pageSize) await this.#jump(first, last);
        else if (last + margin >= this.end && !this.reachesEnd) await this.#extendDown(first, last);
        else if (first - margin < this.start && this.start > 0) await this.#extendUp(first, last);
    }

    /** Loads a record's neighbourhood; resolves to its position, or -1 if the filter excludes it.
     * @param {Integer} id */
    async locate(id) {
        // Otherwise the rows of another request would be joined to these.
        while (this.#busy) await this.#busy;
        const known = this.indexOf(id);
        if (known >= 0) return known;
        await this.#exclusively(async (isCurrent) => {
            const record = this.order === byTime ? await this.find(id) : null;
            const before = record ? this.order.behind(record) : Number(id) + 1;
            if (this.order === byTime && !record) return;
            const { records } = await this.#fetch({ before, ...this.order.until(this.anchor), limit: pageSize });
            if (!isCurrent() || String(records[0]?.id) !== String(id)) return;
            this.#show(records, this.#positionOf(this.order.key(records[0])), records.length < pageSize);
        });
        return this.indexOf(id);
    }

    /** @param {number} first @param {number} last */
    async #extendDown(first, last) {
        await this.#exclusively(async (isCurrent) => {
            const bottom = /** @type {LogRecord} */ (this.rows.at(-1));
            const { records } = await this.#fetch(
                { before: this.order.place(bottom), ...this.order.until(this.anchor), limit: pageSize });
            if (!isCurrent()) return;
            this.rows = [...this.rows, ...records];
            this.reachesEnd = records.length < pageSize;
            this.#trim(first, last);
            this.changed(0);
        });
    }

    /** @param {number} first @param {number} last */
    async #extendUp(first, last) {
        await this.#exclusively(async (isCurrent) => {
            const bound = this.order === byTime ? this.order.until(this.anchor) : { before: this.anchor + 1 };
            const { records } = await this.#fetch(
                { after: this.order.place(this.rows[0]), ...bound, order: "oldest", limit: pageSize });
            if (!isCurrent()) return;
            this.rows = [...records.reverse(), ...this.rows];
            this.start -= records.length;
            let shift = 0;
            if (records.length < pageSize) shift = -this.start;
            else if (this.start <= 0) {
                shift = Math.max(1, Math.round((this.#top - this.#firstKey) * this.#density)) - this.start;
            }
            this.start += shift;
            this.#trim(first + shift, last + shift);
            this.changed(shift);
        });
    }

    /** @param {number} first @param {number} last */
    async #jump(first, last) {
        await this.#exclusively(async (isCurrent) => {
            const key = this.#keyAt(first);
            const until = this.order.until(this.anchor);
            const total = this.total;
            let { records } = await this.#fetch({ before: this.order.above(key), ...until, limit: pageSize });
            let start = first;
            let reachesEnd = records.length < pageSize;
            if (records.length < last - first) {
                // Too close to the end for a full view: take the last page.
                records = (await this.#fetch({ ...until, order: "oldest", limit: pageSize })).records.reverse();
                start = Math.max(0, total - records.length);
                reachesEnd = true;
            }
            if (isCurrent() && records.length > 0) this.#show(records, start, reachesEnd);
        });
    }

    /** Matching records per number or millisecond in the loaded part; 1 by arrival without a filter. */
    get #density() {
        if (this.rows.length < 2) return 1;
        const density = this.rows.length / (this.#firstKey - this.#lastKey + 1);
        return this.order === byTime ? density : Math.min(1, density);
    }

    /** @param {number} position */
    #keyAt(position) {
        if (position < this.start) {
            const share = position / this.start;
            return Math.round(this.#top - share * (this.#top - this.#firstKey));
        }
        const share = (position - this.end) / Math.max(1, this.total - this.end - 1);
        const last = this.#lastKey - 1;
        return Math.max(this.#floor, Math.round(last - share * (last - this.#floor)));
    }

    /** @param {number} key */
    #positionOf(key) {
        if (key > this.#firstKey) {
            return Math.round(this.start * (this.#top - key) / Math.max(1, this.#top - this.#firstKey));
        }
        return this.end + Math.round((this.#lastKey - key) * this.#density);
    }

    /** @param {number} first @param {number} last */
    #trim(first, last) {
        const surplus = this.rows.length - mostKept;
        if (surplus <= 0) return;
        if (last - this.start > this.end - first) {
            this.rows = this.rows.slice(surplus);
            this.start += surplus;
        } else {
            this.rows = this.rows.slice(0, mostKept);
            this.reachesEnd = false;
        }
    }

    /** One request at a time; only a restart replaces the current one.
     * @param {(isCurrent: () => boolean) => Promise<void>} work */
    async #exclusively(work) {
        const generation = this.#generation;
        const isCurrent = () => generation === this.#generation;
        let done = () => {};
        /** @type {Promise<void>} */
        const own = new Promise((resolve) => { done = resolve; });
        this.#busy = own;
        try {
            await work(isCurrent);
            if (isCurrent()) this.error = null;
        } catch (error) {
            if (isCurrent()) [this.error, this.searching] = [asError(error), null];
        } finally {
            if (this.#busy === own) this.#busy = null;
            done();
        }
        if (!isCurrent()) return;
        if (this.error) this.changed(0);
        else if (!this.#busy) this.idle();
    }
}

/** Whether a record comes first in the order of time.
 * @param {LogRecord} left @param {LogRecord} right */
function isNewer(left, right) {
    const [one, other] = [BigInt(left.time), BigInt(right.time)];
    return one === other ? BigInt(left.id) > BigInt(right.id) : one > other;
}
