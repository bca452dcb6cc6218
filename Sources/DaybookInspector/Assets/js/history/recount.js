// @ts-check
// Counts what a filter finds, and counts anew when records have come.

export class Recount {
    /** @type {RecordQuery | null} */
    #filter = null;
    #countedHead = -1;
    #isCounting = false;
    /** Whether what is shown was counted to the end. */
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
            // What is being counted is counted to its end, or a busy store would never be.
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
            // The next records ask again.
        } finally {
            if (this.#request === request) this.#isCounting = false;
        }
    }

    /** Whether a part is shown: the first time as it comes; later the whole takes the place of the last.
     * @param {boolean} isLast */
    shows(isLast) {
        const isShown = isLast || !this.#isWhole;
        this.#isWhole ||= isLast;
        return isShown;
    }
}
