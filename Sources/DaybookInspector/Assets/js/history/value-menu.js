// @ts-check
// The menu of a value: filter by it, add it, exclude it.

import { foreign, h, icon } from "../base/dom.js";
import { cut } from "../base/format.js";

const longestWords = 40;

export class ValueMenu {
    /** @type {HTMLElement | null} */
    #menu = null;
    /** @type {Element | null} */
    #from = null;

    /** @param {PageContext} context
     * @param {(asked: AskedValue, how: Narrowing) => void} narrow
     * @param {(name: string) => boolean} narrows whether the filter asks for a value of this name */
    constructor(context, narrow, narrows) {
        this.context = context;
        this.narrow = narrow;
        this.narrows = narrows;
        document.addEventListener("pointerdown", (event) => {
            if (this.#menu && event.target instanceof Node && !this.#menu.contains(event.target)) this.close();
        });
    }

    /** The button that opens a value's menu; null if a filter cannot ask for it.
     * @param {string} name as a filter has it
     * @param {unknown} value */
    button(name, value) {
        if (!canBeAsked(value)) return null;
        const words = this.context.t("filter.by", { name });
        return h("button", { class: "ask", type: "button", title: words, "aria-label": words, "aria-haspopup": "menu",
            on: { click: (event) => {
                event.stopPropagation();
                if (event.currentTarget instanceof Element) this.open({ name, value }, event.currentTarget);
            } } }, icon("filter"));
    }

    /** @param {AskedValue} asked @param {Element} from the element that it opens at */
    open(asked, from) {
        this.close();
        const { t } = this.context;
        const words = (/** @type {string} */ sign) =>
            foreign(cut(`${asked.name} ${sign} ${String(asked.value)}`, longestWords));
        const item = (/** @type {Parameters<ValueMenu["narrow"]>[1]} */ how, /** @type {string} */ label,
            /** @type {string} */ sign) =>
            h("button", { class: "menuitem", type: "button", role: "menuitem", tabindex: "-1", on: { click: () => {
                this.close();
                this.narrow(asked, how);
            } } }, h("span", null, t(label)), words(sign));
        const isNumber = typeof asked.value === "number";
        this.#from = from;
        this.#menu = h("div", { class: "menu", role: "menu", "aria-label": t("filter.by", { name: asked.name }),
            on: { keydown: (event) => this.#keyed(event) } },
        item("only", "filter.only", "="),
        this.narrows(asked.name) ? item("also", "filter.also", "=") : null,
        item("not", "filter.exclude", "≠"),
        isNumber ? [item(">=", "filter.from", "≥"), item("<=", "filter.to", "≤")] : null);
        document.body.append(this.#menu);
        this.#place(from.getBoundingClientRect());
        this.#items[0]?.focus();
    }

    close() {
        if (this.#menu === null) return;
        const hadFocus = this.#menu.contains(document.activeElement);
        this.#menu.remove();
        this.#menu = null;
        if (hadFocus && this.#from instanceof HTMLElement) this.#from.focus({ preventScroll: true });
    }

    /** @returns {HTMLElement[]} */
    get #items() { return this.#menu ? [...this.#menu.querySelectorAll("button")] : []; }

    /** @param {DOMRect} at */
    #place(at) {
        const menu = this.#menu;
        if (!menu) return;
        const left = Math.max(8, Math.min(at.left, innerWidth - menu.offsetWidth - 8));
        const below = at.bottom + 4;
        const top = below + menu.offsetHeight > innerHeight - 8 ? Math.max(8, at.top - menu.offsetHeight - 4) : below;
        menu.style.setProperty("left", `${left}px`);
        menu.style.setProperty("top", `${top}px`);
    }

    /** @param {KeyboardEvent} event */
    #keyed(event) {
        const items = this.#items;
        const place = items.findIndex((one) => one === document.activeElement);
        const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
        if (step !== 0) items[(place + step + items.length) % items.length]?.focus();
        else if (event.key === "Escape" || event.key === "Tab") this.close();
        // Page shortcuts are off in a menu; Enter and Space press its button.
        else return event.stopPropagation();
        event.preventDefault();
        event.stopPropagation();
    }
}

/** @param {unknown} value */
export function canBeAsked(value) {
    return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}
