// @ts-check
// A long list on a pool of rows: elements, scrolling and position. The caller fills the rows.

import { h } from "./dom.js";
import { Track } from "./track.js";

const extraRows = 10;
const restTime = 200;

/** In pixels, from the style sheet. */
export function rowHeight() {
    return parseInt(getComputedStyle(document.documentElement).getPropertyValue("--row"), 10) || 32;
}

/** @template {{ element: HTMLElement }} Row */
export class ListView {
    /** @type {Row[]} */
    #pool = [];
    #frame = 0;
    /** @type {number | undefined} */
    #rest;

    /** `fill` shows a position in a row; `drawn` is called after each drawing, `scrolled` after each scroll.
     * @param {{ label: string, createRow: () => Row, fill: (row: Row, position: number, y: number) => void,
     *     total: () => number, drawn?: (first: number, last: number) => void, scrolled?: () => void }} options */
    constructor({ label, createRow, fill, total, drawn = () => {}, scrolled = () => {} }) {
        this.createRow = createRow;
        this.fill = fill;
        this.total = total;
        this.drawn = drawn;
        this.afterScroll = scrolled;
        this.track = new Track(rowHeight());
        this.layer = h("div", { class: "layer", role: "rowgroup" });
        this.element = h("div", {
            class: "scroller", role: "grid", tabindex: "0", "aria-label": label, "data-keys": "list",
            on: { scroll: () => this.#scrolled() },
        }, this.layer);
        new ResizeObserver(() => this.#resized()).observe(this.element);
    }

    /** After the list has changed; the rows in view have moved by `shift` positions. */
    changed(shift = 0) {
        this.track.resize(this.total(), this.element.clientHeight);
        if (shift !== 0) this.track.place(this.track.offset + shift * this.track.rowHeight);
        this.settle();
        this.draw();
    }

    /** Moves the top of the view to an offset in pixels.
     * @param {number} offset */
    place(offset) {
        this.track.place(offset);
        this.settle();
    }

    /** @param {boolean} isLast */
    edge(isLast) {
        this.place(isLast ? this.track.maxOffset : 0);
        this.draw();
    }

    /** Scrolls as little as possible.
     * @param {number} position */
    reveal(position) { this.place(this.track.reveal(position)); }

    /** Whether a position is entirely in view.
     * @param {number} position */
    shows(position) { return this.track.reveal(position) === this.track.offset; }

    get first() { return Math.floor(this.track.offset / this.track.rowHeight); }
    get isAtTop() { return this.track.offset < this.track.rowHeight; }

    /** Scrolls the element to the track's position. The scroll event that follows does nothing. */
    settle() {
        this.layer.style.height = `${this.track.height}px`;
        if (Math.round(this.element.scrollTop) !== this.track.scroll) this.element.scrollTop = this.track.scroll;
    }

    draw() {
        const { first, last } = this.track.range(extraRows);
        const count = Math.max(0, last - first + 1);
        while (this.#pool.length < count) this.#pool.push(this.createRow());
        // A position keeps its pooled element, so that a step rewrites only the rows that come in.
        const used = new Set();
        for (let position = first; position <= last; position += 1) {
            const row = this.#pool[position % this.#pool.length];
            used.add(row);
            this.fill(row, position, this.track.position(position));
            if (row.element.parentNode !== this.layer) this.layer.append(row.element);
        }
        // Unused rows are removed: neither a screen reader nor find-in-page may meet them.
        for (const row of this.#pool) if (!used.has(row)) row.element.remove();
        this.element.setAttribute("aria-rowcount", String(this.total()));
        this.drawn(first, last);
    }

    #scrolled() {
        const scroll = Math.round(this.element.scrollTop);
        if (scroll === this.track.scroll) return;
        this.track.scrolled(scroll);
        clearTimeout(this.#rest);
        // In a compressed track small steps make the bar lag; it catches up at rest.
        this.#rest = setTimeout(() => {
            this.place(this.track.offset);
            this.draw();
        }, restTime);
        if (!this.#frame) this.#frame = requestAnimationFrame(() => {
            this.#frame = 0;
            this.draw();
        });
        this.afterScroll();
    }

    #resized() {
        const height = rowHeight();
        if (this.track.rowHeight !== height) {
            const first = this.track.offset / this.track.rowHeight;
            this.track = new Track(height);
            this.track.resize(this.total(), this.element.clientHeight);
            this.track.place(first * height);
        }
        this.changed();
    }
}
