// @ts-check
// Counts for a filter, and recounts when records have arrived.

export class Recount {
    /** @type {RecordQuery | null} */
    #filter = null;
    #countedHead = -1;
    #isCounting = false;
    /** Whether a complete count is shown. */
    #isWhole = false;
    /** @type {AbortController | null} */
    #request = null;

    /** @param {PageContext} context @param {() => HTMLElement} element is in view while it counts
     * @param {number} pause in milliseconds
     * @param {(filter: RecordQuery, signal: AbortSignal) => Promise<void>} count */
    constructor({ live }, element, pause, count) {
        this.live = live;
        this.count = count;
        setInterval(() => {
            // A count is never interrupted by arrivals, or a busy store would never be counted.
            const isIdle = element().isConnected && !document.hidden && !this.#isCounting;
            if (isIdle && live.head !== this.#countedHead) this.start();
        }, pause);
    }

    /** @param {RecordQuery} next */
    show(next) {
        if (JSON.stringify(next) === JSON.stringify(this.#filter)) return;
        this.#filter = next;
        this.#isWhole = false;
        this.start();
    }

    async start() {
        this.#request?.abort();
        const request = this.#request = new AbortController();
        this.#isCounting = true;
        this.#countedHead = this.live.head;
        try {
            await this.count(this.#filter ?? {}, request.signal);
        } catch {
            // The next arrival tries again.
        } finally {
            if (this.#request === request) this.#isCounting = false;
        }
    }

    /** Whether to show a part: the first count grows as it arrives, later ones replace it as a whole.
     * @param {boolean} isLast */
    shows(isLast) {
        const isShown = isLast || !this.#isWhole;
        this.#isWhole ||= isLast;
        return isShown;
    }
}
