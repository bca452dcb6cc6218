// @ts-check
// Where a long list is on a short track. Browsers cap an element's height, so a million rows get a spacer of at most
// `cap` pixels. Near both ends a pixel of track is a pixel of list; in the compressed middle small movements still go
// pixel by pixel, and dragging the scroll bar goes by proportion.

export class Track {
    /** `cap` stays below 2²³, where single-precision coordinates still resolve whole pixels.
     * @param {number} rowHeight in pixels
     * @param {number} [cap] in pixels */
    constructor(rowHeight, cap = 6_000_000) {
        this.rowHeight = rowHeight;
        this.cap = cap;
        this.total = 0;
        this.view = 0;
        /** Pixels of list above the view. */
        this.offset = 0;
        /** Pixels of track above the view: the element's `scrollTop`. */
        this.scroll = 0;
    }

    get fullHeight() { return this.total * this.rowHeight; }
    get height() { return Math.min(this.fullHeight, this.cap); }
    get maxOffset() { return Math.max(0, this.fullHeight - this.view); }
    get maxScroll() { return Math.max(0, this.height - this.view); }
    get edge() { return this.maxScroll / 4; }

    /** Keeps the offset as far as the list still reaches.
     * @param {number} total rows
     * @param {number} view pixels */
    resize(total, view) {
        this.total = total;
        this.view = view;
        this.place(this.offset);
    }

    /** @param {number} offset */
    place(offset) {
        this.offset = Math.round(clamp(offset, 0, this.maxOffset));
        this.scroll = Math.round(this.scrollFor(this.offset));
    }

    /** After the user has scrolled.
     * @param {number} scroll */
    scrolled(scroll) {
        const distance = scroll - this.scroll;
        const isStep = Math.abs(distance) < this.view * 3 && scroll > 0 && scroll < this.maxScroll;
        const offset = isStep ? this.offset + distance : this.offsetFor(scroll);
        this.offset = Math.round(clamp(offset, 0, this.maxOffset));
        this.scroll = scroll;
    }

    /** @param {number} offset */
    scrollFor(offset) {
        if (this.fullHeight <= this.cap) return offset;
        const { edge, maxOffset, maxScroll } = this;
        if (offset <= edge) return offset;
        if (offset >= maxOffset - edge) return maxScroll - (maxOffset - offset);
        return edge + (offset - edge) / (maxOffset - 2 * edge) * (maxScroll - 2 * edge);
    }

    /** @param {number} scroll */
    offsetFor(scroll) {
        if (this.fullHeight <= this.cap) return scroll;
        const { edge, maxOffset, maxScroll } = this;
        if (scroll <= edge) return scroll;
        if (scroll >= maxScroll - edge) return maxOffset - (maxScroll - scroll);
        return edge + (scroll - edge) / (maxScroll - 2 * edge) * (maxOffset - 2 * edge);
    }

    /** The first and last row to draw, with `extra` on both sides.
     * @param {number} extra */
    range(extra) {
        const first = Math.floor(this.offset / this.rowHeight) - extra;
        const last = Math.ceil((this.offset + this.view) / this.rowHeight) + extra;
        return { first: Math.max(0, first), last: Math.min(this.total - 1, last) };
    }

    /** Where a row is on the track, in pixels.
     * @param {number} index */
    position(index) { return this.scroll + index * this.rowHeight - this.offset; }

    /** The offset that brings a row entirely into view, moving as little as possible.
     * @param {number} index */
    reveal(index) {
        const top = index * this.rowHeight;
        if (top < this.offset) return top;
        return Math.max(this.offset, top + this.rowHeight - this.view);
    }
}

/** @param {number} value @param {number} low @param {number} high */
function clamp(value, low, high) { return Math.min(Math.max(value, low), high); }
