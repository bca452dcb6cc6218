// @ts-check
// The loaded part of a long list of records, newest first. Positions are counted from the newest record that the list
// knew when it was last brought up to date, so that arrivals never move a reader. Beyond the loaded part positions
// are estimated from the records' numbers, and corrected once their neighbourhood is loaded.

const pageSize = 200;
const mostKept = 4_000;
const mostPulled = 500;
const mostParts = 400;

/** @typedef {{ head: Integer, records: LogRecord[] }} Page */
/** @typedef {(records: LogRecord[], progress: Progress) => void} OnPart */

/**
 * A page of records from a store that answers within a time limit, perhaps in parts: asks until the page is full or
 * everything was looked at. `onPart` is told what has been found whenever the store asks for more time.
 * @param {(query: RecordQuery) => Promise<RecordPage>} fetch
 * @param {RecordQuery & { limit: number }} query
 * @param {OnPart} [onPart]
 * @returns {Promise<Page>}
 */
export async function wholePage(fetch, query, onPart = () => {}) {
    /** @type {LogRecord[]} */
    let records = [];
    let next = query;
    for (let part = 0; ; part += 1) {
        const answer = await fetch(next);
        records = [...records, ...answer.records];
        if (!answer.partial || answer.next === null || records.length >= query.limit || part === mostParts) {
            return { head: answer.head, records };
        }
        onPart(records, answer.progress);
        const place = query.order === "oldest" ? { after: answer.next } : { before: answer.next };
        next = { ...query, ...place, limit: query.limit - records.length };
    }
}

export class RecordWindow {
    /**
     * The loaded records, newest first.
     * @type {LogRecord[]}
     */
    rows = [];
    /** The position of `rows[0]`. */
    start = 0;
    /** The newest number the list knows of. */
    anchor = 0;
    reachesEnd = false;
    loaded = false;
    /**
     * Why the last request failed.
     * @type {Error | null}
     */
    error = null;
    /**
     * How far the search for the first page has come, while it goes on.
     * @type {Progress | null}
     */
    searching = null;
    /** Grows with each start, so that an answer to an earlier one is known as such. */
    #generation = 0;
    /**
     * The request that is under way.
     * @type {object | null}
     */
    #busy = null;

    /**
     * @param {(query: RecordQuery & { limit: number }, onPart?: OnPart) => Promise<Page>} fetchPage
     * @param {(shift: number) => void} changed told after every change, with how many positions the rows in view have moved
     * @param {() => void} idle told when a request has succeeded and none is under way
     */
    constructor(fetchPage, changed, idle = () => {}) {
        this.fetchPage = fetchPage;
        this.changed = changed;
        this.idle = idle;
    }

    get end() { return this.start + this.rows.length; }
    get firstId() { return Number(this.rows[0]?.id ?? 0); }
    get lastId() { return Number(this.rows.at(-1)?.id ?? 0); }

    /** How many records the list holds: exact at its end, an estimate before. */
    get total() {
        if (this.reachesEnd || this.rows.length === 0) return this.end;
        return this.end + Math.max(1, Math.round((this.lastId - 1) * this.#density));
    }

    /**
     * @param {number} position
     * @returns {LogRecord | undefined}
     */
    at(position) { return this.rows[position - this.start]; }

    /**
     * The position of a record; -1 where it is not loaded.
     * @param {Integer} id
     */
    indexOf(id) {
        const index = this.rows.findIndex((row) => String(row.id) === String(id));
        return index < 0 ? -1 : this.start + index;
    }

    /** Lets requests go out again after a failure. */
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
            const { head, records } = await this.fetchPage({ limit: pageSize }, (part, progress) => {
                if (!isCurrent()) return;
                this.rows = part;
                this.start = 0;
                this.reachesEnd = true;
                this.loaded = true;
                this.searching = progress;
                this.changed(0);
            });
            if (!isCurrent()) return;
            this.searching = null;
            this.rows = records;
            this.start = 0;
            this.anchor = Math.max(Number(head), this.firstId);
            this.reachesEnd = records.length < pageSize;
            this.loaded = true;
            this.changed(0);
        });
        // What was loaded for another filter is not what this one asks for.
        if (this.error && generation === this.#generation) {
            this.rows = [];
            [this.start, this.loaded] = [0, false];
            this.changed(0);
        }
    }

    /** Takes in what has arrived since, above the first row. Only a list that stands at its top is told to. */
    async pull() {
        if (!this.loaded || this.start > 0 || this.#busy) return;
        await this.#exclusively(async (isCurrent) => {
            const { head, records } = await this.fetchPage({ after: this.anchor, order: "oldest", limit: mostPulled });
            if (!isCurrent()) return;
            if (records.length === mostPulled) {
                const newest = await this.fetchPage({ limit: pageSize });
                if (!isCurrent()) return;
                this.rows = newest.records;
                this.reachesEnd = false;
                this.anchor = Math.max(Number(newest.head), this.firstId);
            } else {
                this.rows = [...records.reverse(), ...this.rows];
                this.anchor = Math.max(Number(head), this.firstId);
                this.#trim(0, 0);
            }
            this.changed(0);
        });
    }

    /**
     * Loads what the positions `first`–`last` need, one request at a time.
     * @param {number} first
     * @param {number} last
     */
    async ensure(first, last) {
        // After a failure nothing is asked for until someone retries: a view that redraws must not hammer a server.
        if (!this.loaded || this.#busy || this.error || this.rows.length === 0) return;
        const margin = pageSize / 2;
        if (last < this.start - pageSize || first > this.end + pageSize) await this.#jump(first, last);
        else if (last + margin >= this.end && !this.reachesEnd) await this.#extendDown(first, last);
        else if (first - margin < this.start && this.start > 0) await this.#extendUp(first, last);
    }

    /**
     * Loads the neighbourhood of one record and answers its position; -1 when it does not match the filter.
     * @param {Integer} id
     */
    async locate(id) {
        const known = this.indexOf(id);
        if (known >= 0) return known;
        await this.#exclusively(async (isCurrent) => {
            const { records } = await this.fetchPage({ before: Number(id) + 1, limit: pageSize });
            if (!isCurrent() || String(records[0]?.id) !== String(id)) return;
            const start = this.#positionOf(Number(id));
            this.rows = records;
            this.start = start;
            this.reachesEnd = records.length < pageSize;
            this.changed(0);
        });
        return this.indexOf(id);
    }

    /**
     * @param {number} first
     * @param {number} last
     */
    async #extendDown(first, last) {
        await this.#exclusively(async (isCurrent) => {
            const { records } = await this.fetchPage({ before: this.lastId, limit: pageSize });
            if (!isCurrent()) return;
            this.rows = [...this.rows, ...records];
            this.reachesEnd = records.length < pageSize;
            this.#trim(first, last);
            this.changed(0);
        });
    }

    /**
     * @param {number} first
     * @param {number} last
     */
    async #extendUp(first, last) {
        await this.#exclusively(async (isCurrent) => {
            const { records } = await this.fetchPage({
                after: this.firstId, before: this.anchor + 1, order: "oldest", limit: pageSize,
            });
            if (!isCurrent()) return;
            this.rows = [...records.reverse(), ...this.rows];
            this.start -= records.length;
            const reachesTop = records.length < pageSize;
            let shift = 0;
            if (reachesTop) {
                shift = -this.start;
            } else if (this.start <= 0) {
                const above = Math.round((this.anchor - this.firstId) * this.#density);
                shift = Math.max(1, above) - this.start;
            }
            this.start += shift;
            this.#trim(first + shift, last + shift);
            this.changed(shift);
        });
    }

    /**
     * @param {number} first
     * @param {number} last
     */
    async #jump(first, last) {
        await this.#exclusively(async (isCurrent) => {
            const id = this.#idAt(first);
            const total = this.total;
            let { records } = await this.fetchPage({ before: id + 1, limit: pageSize });
            let start = first;
            let reachesEnd = records.length < pageSize;
            if (records.length < last - first) {
                // Too near the end for a whole view: take the last page instead.
                records = (await this.fetchPage({ after: 0, order: "oldest", limit: pageSize })).records.reverse();
                start = Math.max(0, total - records.length);
                reachesEnd = true;
            }
            if (!isCurrent() || records.length === 0) return;
            this.rows = records;
            this.start = start;
            this.reachesEnd = reachesEnd;
            this.changed(0);
        });
    }

    /** Matching records per number in the loaded part: 1 without a filter. */
    get #density() {
        if (this.rows.length < 2) return 1;
        return Math.min(1, this.rows.length / (this.firstId - this.lastId + 1));
    }

    /** @param {number} position */
    #idAt(position) {
        if (position < this.start) {
            const share = position / this.start;
            return Math.round(this.anchor - share * (this.anchor - this.firstId));
        }
        const share = (position - this.end) / Math.max(1, this.total - this.end - 1);
        return Math.max(1, Math.round(this.lastId - 1 - share * (this.lastId - 2)));
    }

    /** @param {number} id */
    #positionOf(id) {
        if (id > this.firstId) {
            return Math.round(this.start * (this.anchor - id) / Math.max(1, this.anchor - this.firstId));
        }
        return this.end + Math.round((this.lastId - id) * this.#density);
    }

    /**
     * @param {number} first
     * @param {number} last
     */
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

    /** @param {(isCurrent: () => boolean) => Promise<void>} work */
    async #exclusively(work) {
        const generation = this.#generation;
        const isCurrent = () => generation === this.#generation;
        const token = {};
        this.#busy = token;
        try {
            await work(isCurrent);
            if (isCurrent()) this.error = null;
        } catch (error) {
            if (isCurrent()) {
                this.error = error instanceof Error ? error : new Error(String(error));
                this.searching = null;
            }
        } finally {
            if (this.#busy === token) this.#busy = null;
        }
        if (!isCurrent()) return;
        if (this.error) this.changed(0);
        else if (!this.#busy) this.idle();
    }
}
