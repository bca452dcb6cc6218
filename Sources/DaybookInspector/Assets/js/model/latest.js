// @ts-check
// The latest records of a filter, newest first, held whole: what a screen measures must be in the page.

import { call, recordQuery, wholePage } from "../base/api.js";

const pageSize = 500;
const mostPulled = 500;

export class Latest {
    /**
     * Newest first.
     * @type {LogRecord[]}
     */
    records = [];
    /** The newest number that was looked at. */
    anchor = 0;
    reachesEnd = false;
    loaded = false;
    #isBusy = false;

    /**
     * @param {RecordQuery} filter
     * @param {number} [most] how many are held at most
     * @param {(query: RecordQuery & { limit: number }) => Promise<{ head: Integer, records: LogRecord[] }>} [fetchPage]
     *   replaced in tests
     */
    constructor(filter, most = 5_000, fetchPage = (query) =>
        wholePage((part) => call(`records?${recordQuery(part)}`), query)) {
        this.filter = filter;
        this.most = most;
        this.fetchPage = fetchPage;
    }

    /** Starts over with the newest page. */
    async load() {
        await this.#exclusively(async () => {
            const { head, records } = await this.fetchPage({ ...this.filter, limit: pageSize });
            this.records = records;
            this.anchor = Math.max(Number(head), Number(records[0]?.id ?? 0));
            this.reachesEnd = records.length < pageSize;
            this.loaded = true;
        });
    }

    /** Takes in what has arrived since; answers how many came in at the top. */
    async pull() {
        let arrived = 0;
        await this.#exclusively(async () => {
            const { head, records } = await this.fetchPage({ ...this.filter, after: this.anchor, order: "oldest",
                limit: mostPulled });
            arrived = records.length;
            this.records = [...records.reverse(), ...this.records];
            this.anchor = records.length === mostPulled ? Number(this.records[0].id)
                : Math.max(Number(head), Number(this.records[0]?.id ?? 0));
            if (this.records.length > this.most) {
                this.records.length = this.most;
                this.reachesEnd = false;
            }
        });
        return arrived;
    }

    get canExtend() { return this.loaded && !this.reachesEnd && this.records.length < this.most; }

    /** Takes in the next older page. */
    async extend() {
        await this.#exclusively(async () => {
            const { records } = await this.fetchPage({ ...this.filter, before: this.records.at(-1)?.id,
                limit: pageSize });
            this.records = [...this.records, ...records].slice(0, this.most);
            this.reachesEnd = records.length < pageSize;
        });
    }

    /**
     * One request at a time: a second one waits for its turn by not being made.
     * @param {() => Promise<void>} work
     */
    async #exclusively(work) {
        if (this.#isBusy) return;
        this.#isBusy = true;
        try {
            await work();
        } finally {
            this.#isBusy = false;
        }
    }
}
