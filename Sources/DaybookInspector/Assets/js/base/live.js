// @ts-check
// The stream of notices: `head` grows when records have been stored. It reconnects by itself.

import { ApiError, listen } from "./api.js";

const longestWait = 10_000;

export class Live {
    /** @type {AbortController | null} ends the stream that is open or being opened */
    #stream = null;
    #wait = 500;
    /** @type {number | undefined} */
    #timer;
    /** @type {Set<() => void>} */
    #listeners = new Set();
    #open;
    head = 0;
    /** @type {"connecting" | "open" | "lost" | "locked"} */
    state = "connecting";

    /** @param {(take: (notice: { head: Integer }) => void, signal: AbortSignal) => Promise<void>} [open] for tests */
    constructor(open = (take, signal) => listen("live", take, signal)) { this.#open = open; }

    /** Called on every change of `head` and `state`.
     * @param {() => void} listener */
    listen(listener) { this.#listeners.add(listener); }

    /** Waits until the head is known or the connection failed: a count up to `head` would otherwise find nothing. */
    heard() {
        if (this.state !== "connecting") return Promise.resolve();
        return /** @type {Promise<void>} */ (new Promise((resolve) => {
            const listener = () => {
                this.#listeners.delete(listener);
                resolve();
            };
            this.listen(listener);
        }));
    }

    start() {
        // A hidden tab holds no connection: browsers allow six per server.
        document.addEventListener("visibilitychange", () => {
            if (document.hidden) this.#stop();
            else this.#connect();
        });
        addEventListener("online", () => this.#connect());
        this.#connect();
    }

    #stop() {
        clearTimeout(this.#timer);
        this.#stream?.abort();
        this.#stream = null;
    }

    async #connect() {
        if (this.state === "locked") return;
        this.#stop();
        const stream = new AbortController();
        this.#stream = stream;
        let isLocked = false;
        try {
            await this.#open(({ head }) => {
                this.#wait = 500;
                this.#set("open", Number(head));
            }, stream.signal);
        } catch (error) {
            isLocked = error instanceof ApiError && error.code === "unauthorized";
        }
        if (stream !== this.#stream) return;
        this.#stop();
        this.#set(isLocked ? "locked" : "lost", this.head);
        if (isLocked) return;
        this.#timer = setTimeout(() => this.#connect(), this.#wait);
        this.#wait = Math.min(this.#wait * 2, longestWait);
    }

    /** @param {Live["state"]} state @param {number} head */
    #set(state, head) {
        if (state === this.state && head === this.head) return;
        this.state = state;
        this.head = head;
        for (const listener of this.#listeners) listener();
    }
}
