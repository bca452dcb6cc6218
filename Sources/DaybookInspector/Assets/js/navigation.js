// @ts-check
// Which screen is shown, and where each one was left.

import { Alerts } from "./alerts/alerts.js";
import { formatRoute, handedOver, parseRoute } from "./base/route.js";
import { Boards } from "./boards/boards.js";
import { Checklists } from "./checklist/checklist.js";
import { Dictionary } from "./dictionary/dictionary.js";
import { History } from "./history/history.js";
import { Insights } from "./insights/insights.js";
import { Network } from "./network/network.js";
import { Releases } from "./releases/releases.js";
import { Sessions } from "./sessions/sessions.js";
import { SQL } from "./sql/sql.js";

/** @type {Record<string, new (context: PageContext) => PageScreen>} */
const classes = { history: History, net: Network, dict: Dictionary, check: Checklists, sessions: Sessions, sql: SQL,
    insights: Insights, boards: Boards, releases: Releases, alerts: Alerts };

export class Navigation {
    /** @type {Map<string, PageScreen>} the screens opened so far, by name */
    #made = new Map();
    /** @type {Record<string, string>} where each screen was left */
    #addresses = {};
    /** The current screen's name. */
    #name = "";

    /** @param {PageContext} context @param {import("./frame.js").Frame} frame */
    constructor(context, frame) {
        this.context = context;
        this.frame = frame;
        const follow = () => { if (!handedOver(location.hash)) this.draw(); };
        addEventListener("hashchange", follow);
        addEventListener("popstate", follow);
    }

    get screen() { return this.#screenOf(this.#name); }

    /** @param {string} name */
    isAt(name) { return this.#name === name; }

    /** @param {Place} place
     * @param {{ replace?: boolean }} options `replace`: going back passes over what is shown now */
    navigate(place, options = {}) { this.#goTo(formatRoute(place), options); }

    /** Opens a screen where it was left.
     * @param {string} screen */
    goTo(screen) { this.#goTo(this.#addresses[screen] ?? formatRoute({ screen })); }

    /** Shows an address immediately, so that the next key goes to the new screen.
     * @param {string} hash @param {{ replace?: boolean }} options */
    #goTo(hash, { replace = false } = {}) {
        if (hash === location.hash) return;
        if (replace) history.replaceState(null, "", hash);
        else history.pushState(null, "", hash);
        this.draw();
    }

    /** Shows the address. */
    draw() {
        const route = parseRoute(location.hash);
        const screen = this.#screenOf(route.screen);
        if (this.#name !== route.screen) {
            // A dialog belongs to the screen that opened it.
            for (const dialog of document.querySelectorAll("dialog")) dialog.close();
            this.#name = route.screen;
            this.frame.show(route.screen, screen);
        }
        this.#addresses[route.screen] = formatRoute(route);
        this.frame.drawLinks(route.screen, this.#addresses);
        screen.show(route);
        this.frame.markSelected(screen);
    }

    /** @param {string} name */
    #screenOf(name) {
        const known = this.#made.get(name);
        if (known) return known;
        const screen = new classes[name](this.context);
        this.#made.set(name, screen);
        return screen;
    }
}
