// @ts-check
// What the word at the caret may become, listed below a field that keeps the focus.

import { h, replaceChildren } from "./dom.js";

/** @template Offer */
export class OfferList {
    /** @type {Offer[]} */
    #offers = [];
    /** The one that Enter takes, or -1. */
    active = -1;

    /** @param {HTMLInputElement | HTMLTextAreaElement} field
     * @param {string} name of an offer, before its number: its element's id
     * @param {Properties} properties the list's
     * @param {"pointerdown" | "mousedown"} press what takes an offer
     * @param {(offer: Offer) => { properties?: Properties, content: Child }} line
     * @param {(offer: Offer) => void} take */
    constructor(field, name, properties, press, line, take) {
        this.field = field;
        this.name = name;
        this.press = press;
        this.line = line;
        this.take = take;
        this.element = h("ul", { id: `${name}s`, role: "listbox", hidden: true, ...properties });
        field.setAttribute("aria-autocomplete", "list");
        field.setAttribute("aria-controls", `${name}s`);
        field.addEventListener("blur", () => this.close());
    }

    get isOpen() { return !this.element.hidden; }

    /** @param {Offer[]} offers */
    open(offers) {
        [this.#offers, this.active] = [offers, -1];
        this.#draw();
    }

    close() { this.open([]); }

    /** Whether the list used the key: arrows select, Enter and Tab accept, Escape closes.
     * @param {KeyboardEvent} event */
    takes({ key }) {
        const count = this.#offers.length;
        if (count === 0) return false;
        const step = key === "ArrowDown" ? 1 : key === "ArrowUp" ? -1 : 0;
        if (step !== 0) {
            this.active = (this.active + step + count + (this.active < 0 && step < 0 ? 1 : 0)) % count;
            this.#draw();
        } else if ((key === "Enter" || key === "Tab") && this.active >= 0) this.takeAt(this.active);
        else if (key === "Escape") this.close();
        else return false;
        return true;
    }

    /** @param {number} index */
    takeAt(index) { this.take(this.#offers[index]); }

    #draw() {
        this.element.hidden = this.#offers.length === 0 || document.activeElement !== this.field;
        replaceChildren(this.element, this.#offers.map((offer, index) => {
            const { properties, content } = this.line(offer);
            return h("li", { id: `${this.name}-${index}`, role: "option",
                "aria-selected": String(index === this.active),
                ...properties, on: { [this.press]: (/** @type {Event} */ event) => {
                    // The field keeps the focus.
                    event.preventDefault();
                    this.takeAt(index);
                } } }, content);
        }));
        if (this.isOpen && this.active >= 0) this.field.setAttribute("aria-activedescendant",
            `${this.name}-${this.active}`);
        else this.field.removeAttribute("aria-activedescendant");
    }
}
