// @ts-check
// The token that opens the API. It is kept for this origin, which includes the port, and sent as a header to it alone:
// a cookie would go to every server of the same host. A tab keeps it over reloads, and lends it to the tabs beside it.

import { tabStorage } from "./storage.js";

/** Tabs answer within a few milliseconds, or are not there. */
const patience = 300;

/** The header that shows a token. None where there is none: in an app requests get theirs on the way.
 * @param {string | null} token @returns {Record<string, string>} */
export function authorization(token = tabStorage.get("token")) {
    return token === null ? {} : { authorization: `Bearer ${token}` };
}

/** The other tabs of this origin: a token that one has opens them all. */
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

    /** Keeps a token that the server has taken, and hands it to tabs that wait for one.
     * @param {string} token */
    keep(token) {
        tabStorage.set("token", token);
        this.#lend();
    }

    /** The server no longer takes the token: nobody shall get it from here. */
    forget() { tabStorage.set("token", null); }

    /** The token of another tab; null where none has one.
     * @returns {Promise<string | null>} */
    borrow() {
        return new Promise((done) => {
            this.wait(done);
            this.#channel.postMessage(null);
            setTimeout(() => done(null), patience);
        });
    }

    /** Takes the next token that another tab is given.
     * @param {(token: string) => void} taker */
    wait(taker) { this.#taker = taker; }

    #lend() {
        const token = tabStorage.get("token");
        if (token !== null) this.#channel.postMessage(token);
    }
}
