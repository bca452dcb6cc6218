// @ts-check
// The latest records of a filter, newest first, all of them in memory, because a screen measures them. With a rank, the
// greatest of everything searched are kept.

import { call, recordQuery, wholePage } from "../base/api.js";

const pageSize = 500;
const mostPulled = 500;

export class Latest {
    /** @type {LogRecord[]} newest first */
    records = [];
    /** How many have passed; more than are kept if the least are dropped. */
    found = 0;
    /** The newest number searched. */
    anchor = 0;
    /** Whether everything was searched. */
    reachesEnd = false;
    loaded = false;
    /** @type {Integer | undefined} the oldest that was looked at */
    #oldest;
    /** The current request, and those that wait for it. */
    #turn = Promise.resolve();
    #isPullWaiting = false;

    /** @param {RecordQuery} filter @param {LatestOptions} options
     * @param {FetchRecords} [fetchPage] replaced in tests */
    constructor(filter, { most = 5_000, passes = () => true, rank = null } = {}, fetchPage = (query) =>
        wholePage((part) => call(`records?${recordQuery(part)}`), query)) {
        this.filter = filter;
        this.most = most;
        this.passes = passes;
        this.rank = rank;
        this.fetchPage = fetchPage;
    }

    /** Starts over with the newest page. */
    load() {
        return this.#next(async () => {
            const { head, records } = await this.fetchPage({ ...this.filter, limit: pageSize });
            this.anchor = Math.max(Number(head), Number(records[0]?.id ?? 0));
            this.records = [];
            this.found = 0;
            this.#takeOlder(records);
            this.loaded = true;
        });
    }

    /** Adds what has arrived; resolves to how many records came in at the top. */
    async pull() {
        let arrived = 0;
        // The one that waits will add the same.
        if (this.#isPullWaiting) return arrived;
        this.#isPullWaiting = true;
        await this.#next(async () => {
            this.#isPullWaiting = false;
            for (let isLast = false; !isLast;) {
                const { head, records } = await this.fetchPage({ ...this.filter, after: this.anchor, order: "oldest",
                    limit: mostPulled });
                isLast = records.length < mostPulled;
                const newest = Number(records.at(-1)?.id ?? 0);
                this.anchor = isLast ? Math.max(Number(head), newest) : newest;
                const passed = records.filter(this.passes).reverse();
                arrived += passed.length;
                this.found += passed.length;
                this.#hold([...passed, ...this.records]);
            }
        });
        return arrived;
    }

    get canExtend() {
        return this.loaded && !this.reachesEnd && (this.rank !== null || this.records.length < this.most);
    }

    /** Adds the next older page. */
    extend() {
        return this.#next(async () => {
            if (!this.canExtend) return;
            this.#takeOlder((await this.fetchPage({ ...this.filter, before: this.#oldest, limit: pageSize })).records);
        });
    }

    /** @param {LogRecord[]} records */
    #takeOlder(records) {
        const passed = records.filter(this.passes);
        this.found += passed.length;
        this.#oldest = records.at(-1)?.id ?? this.#oldest;
        this.reachesEnd = records.length < pageSize;
        this.#hold([...this.records, ...passed]);
    }

    /** @param {LogRecord[]} records newest first */
    #hold(records) {
        const { most, rank } = this;
        if (records.length <= most) {
            this.records = records;
        } else if (rank === null) {
            this.records = records.slice(0, most);
            this.found = most;
            this.reachesEnd = false;
        } else {
            const greatest = new Set([...records].sort((left, right) => rank(right) - rank(left)).slice(0, most));
            this.records = records.filter((record) => greatest.has(record));
        }
    }

    /** One request at a time, whether or not the previous one failed.
     * @param {() => Promise<void>} work */
    #next(work) {
        const own = this.#turn.then(work);
        this.#turn = own.catch(() => {});
        return own;
    }
}
