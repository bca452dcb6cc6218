// @ts-check
// The stream of notices: `head` grows when records have been stored. Lost connections come back by themselves.

import { ApiError, call } from "./api.js";

const longestWait = 10_000;

export class Live {
    /** @type {EventSource | null} */
    #source = null;
    #wait = 500;
    /** @type {number | undefined} */
    #timer;
    /** @type {Set<() => void>} */
    #listeners = new Set();
    head = 0;
    /** @type {"connecting" | "open" | "lost" | "locked"} */
    state = "connecting";

    /**
     * Told of every change of `head` and `state`.
     * @param {() => void} listener
     */
    listen(listener) { this.#listeners.add(listener); }

    start() {
        // A hidden tab holds no connection: browsers allow six to a server.
        document.addEventListener("visibilitychange", () => {
            if (document.hidden) this.#stop();
            else this.#connect();
        });
        addEventListener("online", () => this.#connect());
        this.#connect();
    }

    #stop() {
        clearTimeout(this.#timer);
        this.#source?.close();
        this.#source = null;
    }

    #connect() {
        if (this.state === "locked") return;
        this.#stop();
        const source = new EventSource(new URL("api/v1/live", document.baseURI));
        this.#source = source;
        source.onmessage = (message) => {
            this.#wait = 500;
            this.#set("open", Number(JSON.parse(message.data).head));
        };
        source.onerror = () => {
            if (source !== this.#source) return;
            this.#stop();
            this.#set("lost", this.head);
            this.#timer = setTimeout(() => this.#ask(), this.#wait);
            this.#wait = Math.min(this.#wait * 2, longestWait);
        };
    }

    /** A stream's failure has no reason; a plain request tells a lost server from a lost token. */
    async #ask() {
        try {
            const { head } = await call("status");
            this.#set("lost", Number(head));
            this.#connect();
        } catch (error) {
            if (error instanceof ApiError && error.code === "unauthorized") {
                this.#set("locked", this.head);
                return;
            }
            this.#timer = setTimeout(() => this.#ask(), this.#wait);
            this.#wait = Math.min(this.#wait * 2, longestWait);
        }
    }

    /**
     * @param {Live["state"]} state
     * @param {number} head
     */
    #set(state, head) {
        if (state === this.state && head === this.head) return;
        this.state = state;
        this.head = head;
        for (const listener of this.#listeners) listener();
    }
}
