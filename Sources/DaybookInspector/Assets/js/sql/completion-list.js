// @ts-check
// Completions while typing. The list takes no key until an arrow or Tab enters it, so that Enter is a new line.

import { foreign, h } from "../base/dom.js";
import { OfferList } from "../base/offer-list.js";
import { suggestions } from "./completion.js";

export class CompletionList {
    #start = 0;
    /** @type {OfferList<Suggestion>} */
    #list;

    /** @param {HTMLTextAreaElement} field @param {string} label
     * @param {() => { tables: SQLTable[], tags: string[] }} names */
    constructor(field, label, names) {
        this.field = field;
        this.names = names;
        this.#list = new OfferList(field, "sql-completion", { class: "completions", "aria-label": label }, "mousedown",
            ({ text, kind }) => ({ properties: { "data-kind": kind }, content: h("code", null, foreign(text)) }),
            ({ text }) => {
                field.setRangeText(text, this.#start, field.selectionStart, "end");
                field.focus();
                this.close();
            });
        this.element = this.#list.element;
        field.addEventListener("input", () => this.#open());
        field.addEventListener("click", () => this.close());
    }

    close() { this.#list.close(); }

    #open() {
        const { selectionStart, selectionEnd, value } = this.field;
        if (selectionStart !== selectionEnd) return this.close();
        const { tables, tags } = this.names();
        const { start, entries } = suggestions(value, selectionStart, tables, tags);
        this.#start = start;
        this.#list.open(entries);
    }

    /** @param {KeyboardEvent} event */
    takes(event) {
        if (event.isComposing || event.metaKey || event.altKey) return false;
        if (event.key === " " && event.ctrlKey) this.#open();
        else if (!this.#list.isOpen || event.ctrlKey || (event.key === "Tab" && event.shiftKey)) return false;
        else if (event.key === "Tab") this.#list.takeAt(Math.max(this.#list.active, 0));
        else return this.#list.takes(event);
        return true;
    }
}
