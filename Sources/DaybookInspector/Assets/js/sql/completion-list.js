// @ts-check
// The list of what the word before the caret may become. It opens while one types and takes no key until an arrow or Tab
// asks for it, so that Return is a new line.

import { foreign, h, replaceChildren } from "../base/dom.js";
import { suggestions } from "./completion.js";

export class CompletionList {
    /** @type {Suggestion[]} */
    #entries = [];
    #start = 0;
    /** The entry that Return takes; -1 for none. */
    #active = -1;

    /**
     * @param {HTMLTextAreaElement} field
     * @param {string} label
     * @param {() => { tables: SQLTable[], tags: string[] }} names
     */
    constructor(field, label, names) {
        this.field = field;
        this.names = names;
        this.element = h("ul", { class: "completions", id: "sql-completions", role: "listbox", "aria-label": label, hidden: true });
        field.setAttribute("aria-autocomplete", "list");
        field.setAttribute("aria-controls", "sql-completions");
        field.addEventListener("input", () => this.#open());
        field.addEventListener("blur", () => this.close());
        field.addEventListener("click", () => this.close());
    }

    get isOpen() { return !this.element.hidden; }

    close() {
        this.#entries = [];
        this.#draw();
    }

    #open() {
        const { selectionStart, selectionEnd, value } = this.field;
        if (selectionStart !== selectionEnd) return this.close();
        const { tables, tags } = this.names();
        const { start, entries } = suggestions(value, selectionStart, tables, tags);
        [this.#start, this.#entries, this.#active] = [start, entries, -1];
        this.#draw();
    }

    /**
     * Whether the list took the key.
     * @param {KeyboardEvent} event
     */
    takes(event) {
        if (event.isComposing || event.metaKey || event.altKey) return false;
        if (event.key === " " && event.ctrlKey) {
            this.#open();
            return true;
        }
        if (!this.isOpen || event.ctrlKey) return false;
        switch (event.key) {
        case "ArrowDown": case "ArrowUp": {
            const count = this.#entries.length;
            this.#active = event.key === "ArrowDown" ? (this.#active + 1) % count : (Math.max(this.#active, 0) + count - 1) % count;
            this.#draw();
            return true;
        }
        case "Tab":
            if (event.shiftKey) return false;
            this.#take(Math.max(this.#active, 0));
            return true;
        case "Enter":
            if (this.#active < 0) return false;
            this.#take(this.#active);
            return true;
        case "Escape":
            this.close();
            return true;
        default: return false;
        }
    }

    /** @param {number} index */
    #take(index) {
        const entry = this.#entries[index];
        this.field.setRangeText(entry.text, this.#start, this.field.selectionStart, "end");
        this.field.focus();
        this.close();
    }

    #draw() {
        this.element.hidden = this.#entries.length === 0;
        if (this.#active >= 0 && this.isOpen) this.field.setAttribute("aria-activedescendant", `sql-completion-${this.#active}`);
        else this.field.removeAttribute("aria-activedescendant");
        replaceChildren(this.element, this.#entries.map((entry, index) => h("li", { role: "option", id: `sql-completion-${index}`,
            "aria-selected": String(index === this.#active), "data-kind": entry.kind, on: { mousedown: (event) => {
                event.preventDefault();
                this.#take(index);
            } } }, h("code", null, foreign(entry.text)))));
    }
}
