// @ts-check
// What rows of records and of requests have in common: their place in the list, the time, and the start of a day.

import { h } from "../base/dom.js";
import { isSameDay, shortDay } from "../base/format.js";

/** @param {string} name @param {...Child} content */
export function cell(name, ...content) { return h("span", { class: `cell ${name}`, role: "gridcell" }, content); }

export class PooledRow {
    #y = -1;
    day = h("span", { class: "day", hidden: true });
    clock = h("span", { class: "clock" });
    time = cell("time", this.day, this.clock);

    /** @param {PageContext} context @param {string} name its class
     * @param {Listeners} on */
    constructor(context, name, on) {
        this.context = context;
        this.element = h("div", { class: name, role: "row", on });
    }

    /** @param {number} position @param {number} y in pixels
     * @param {boolean} isSelected */
    place(position, y, isSelected) {
        const { element } = this;
        element.setAttribute("aria-rowindex", String(position + 1));
        element.setAttribute("aria-selected", String(isSelected));
        if (this.#y === y) return;
        this.#y = y;
        element.style.transform = `translateY(${y}px)`;
    }

    /** A line with the day, if the row above is on another one.
     * @param {LogRecord} record @param {LogRecord | undefined} newer the one above */
    markDay(record, newer) {
        const begins = newer !== undefined && !isSameDay(record.time, newer.time);
        this.element.dataset.day = String(begins);
        this.day.hidden = !begins;
        if (begins) this.day.textContent = shortDay(record.time, this.context.language);
    }
}
