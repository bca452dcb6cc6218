// @ts-check
// A screen with a list, one entry of which is shown beside it: its panes, addresses, requests and keys.

import { AnswerOrder } from "./answer-order.js";
import { asError } from "./api.js";
import { h } from "./dom.js";
import { formatRoute } from "./route.js";

export class ListScreen {
    /** @type {string | null} the id in the address */
    selected = null;
    /** @type {Error | null} why the last question was not answered */
    failure = null;
    order = new AnswerOrder();

    /** @param {PageContext} context @param {string} screen @param {string} name the class of the pane with the list
     * @param {string} side the class of the other */
    constructor(context, screen, name, side) {
        const words = context.t(`screen.${screen}`);
        this.context = context;
        this.screen = screen;
        this.toolbar = h("div", { class: "toolbar" }, h("h1", null, words));
        this.list = h("div", { class: "tree-list", tabindex: "0", "data-keys": "list", "aria-label": words });
        this.main = h("section", { class: `pane ${name}` }, this.toolbar, this.list);
        this.side = h("aside", { class: `pane ${side}`, tabindex: "-1", "aria-label": words });
    }

    /** @returns {string[]} in the list's order */
    get ids() { return []; }

    /** @returns {string | null} the id of the entry that is marked */
    get current() { return this.selected; }

    /** @returns {Params} what stands in the address beside the id */
    get params() { return {}; }

    draw() {}

    /** Takes the id from the address; whether it is another than before.
     * @param {(string | null)[]} path */
    select([id = null]) {
        const isOther = id !== this.selected;
        this.selected = id;
        this.main.dataset.selected = String(id !== null);
        return isOther;
    }

    /** @param {string} id @param {...Child} content */
    entry(id, ...content) {
        const href = formatRoute({ screen: this.screen, path: [id], params: this.params });
        return h("a", { class: "entry tall", href, "aria-current": id === this.current ? "true" : null }, content);
    }

    /** @param {string | null} id */
    go(id, replace = false) {
        this.context.navigate({ screen: this.screen, path: id === null ? [] : [id], params: this.params }, { replace });
    }

    /** Asks, and draws the answer unless a later one was first; returns whether this one counted.
     * @param {() => Promise<() => unknown>} question resolves to what takes the answer in: false if nothing changed */
    async ask(question, isNews = this.order.ask()) {
        try {
            const take = await question();
            if (!isNews()) return false;
            const isSame = take() === false && this.failure === null;
            this.failure = null;
            if (isSame) return true;
        } catch (error) {
            if (!isNews()) return false;
            this.failure = asError(error);
        }
        this.draw();
        return true;
    }

    // Keys.

    /** @param {string} id */
    choose(id) {
        this.go(id, true);
        this.list.querySelector("[aria-current=true]")?.scrollIntoView({ block: "nearest" });
    }

    /** @param {number} step */
    move(step) {
        const { ids } = this;
        const index = ids.indexOf(this.current ?? "");
        if (ids.length > 0) this.choose(ids[index < 0 ? 0 : Math.min(Math.max(index + step, 0), ids.length - 1)]);
    }

    /** @param {boolean} isLast */
    edge(isLast) { scrollToEdge(this.list, isLast); }

    open() {
        if (this.selected === null) this.move(0);
        else this.side.focus();
    }

    close() { if (this.selected !== null) this.go(null); }
}

/** @param {Element} list @param {boolean} isLast */
export function scrollToEdge(list, isLast) { list.scrollTop = isLast ? list.scrollHeight : 0; }
