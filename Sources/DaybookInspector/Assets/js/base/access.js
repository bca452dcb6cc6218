// @ts-check
// The token that opens the API. It is kept per origin, port included, and sent as a header: a cookie would go to every
// server on the host. A tab keeps it across reloads and shares it with other tabs.

import { tabStorage } from "./storage.js";

/** Milliseconds; tabs answer within a few. */
const patience = 300;

/** The header with the token; none in an app, which adds its own.
 * @param {string | null} token @returns {Record<string, string>} */
export function authorization(token = tabStorage.get("token")) {
    return token === null ? {} : { authorization: `Bearer ${token}` };
}

/** The other tabs of this origin: one token opens them all. */
export class TabTokens {
    #channel = new BroadcastChannel("daybook/token");
    /** @type {(token: string) => void} */
    #taker = () => {};

    constructor() {
        this.#channel.onmessage = ({ data }) => {
            if (typeof data === "string") this.#taker(data);
            else this.#lend();
        };
    }

    /** Keeps a token that the server accepted, and hands it to tabs that wait for one.
     * @param {string} token */
    keep(token) {
        tabStorage.set("token", token);
        this.#lend();
    }

    /** The server no longer accepts the token: other tabs must not get it from here. */
    forget() { tabStorage.set("token", null); }

    /** Another tab's token, or null.
     * @returns {Promise<string | null>} */
    borrow() {
        return new Promise((done) => {
            this.wait(done);
            this.#channel.postMessage(null);
            setTimeout(() => done(null), patience);
        });
    }

    /** Called with the next token that another tab receives.
     * @param {(token: string) => void} taker */
    wait(taker) { this.#taker = taker; }

    #lend() {
        const token = tabStorage.get("token");
        if (token !== null) this.#channel.postMessage(token);
    }
}
