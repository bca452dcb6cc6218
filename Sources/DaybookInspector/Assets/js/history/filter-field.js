// @ts-check
// The search field: the filter being typed, suggestions, and its error below the place.

import { call } from "../base/api.js";
import { verbatim } from "../base/controls.js";
import { foreign, h, icon } from "../base/dom.js";
import { folded } from "../base/format.js";
import { OfferList } from "../base/offer-list.js";
import { noFilter, written, writtenColumn } from "../model/filter.js";

const typingPause = 200;
const mostKnown = 50;
const mostOffers = 9;
/** Values of built-in names. */
const values = /** @type {Record<string, string[]>} */ ({
    kind: ["event", "message", "error", "span", "request", "run"],
    level: ["trace", "debug", "info", "warning", "error", "fatal"],
    last: ["15m", "1h", "1d", "7d"],
    time: ["implausible"],
    duration: ["100ms", "1s", "10s"],
});

/** @typedef {{ text: string, note: string }} Offer what may stand where the word is that is being typed */

export class FilterField {
    /** @type {Map<string, Promise<ReadFilter>>} what the API said of filters */
    #read = new Map();
    /** @type {number | undefined} */
    #typing;
    /** Whether the field is ahead of the address. */
    #isAhead = false;
    /** @type {OfferList<Offer>} */
    #list;
    #mark = h("span", { class: "faultmark", "aria-hidden": "true" });
    #fault = h("span", null);
    #error = h("div", { class: "filterfault", role: "status", hidden: true }, this.#mark, this.#fault);
    /** @type {string[]} */
    names = [];
    /** @type {string[]} what no column is called without quotation marks */
    taken = [];

    /** @param {PageContext} context @param {(text: string) => void} apply takes a filter that can be read
     * @param {(name: string) => Set<string>} seen values that loaded records have under a name; of all names' for "" */
    constructor(context, apply, seen) {
        const { t } = context;
        this.context = context;
        this.apply = apply;
        this.seen = seen;
        this.input = h("input", {
            class: "field", type: "search", placeholder: t("history.search"), "aria-label": t("history.search"),
            ...verbatim, "aria-describedby": "filter-fault",
            on: { input: () => this.#typed(), keydown: (event) => this.#keyed(event) },
        });
        this.#list = new OfferList(this.input, "filter-offer", { class: "offers", "aria-label": t("filter.offers") },
            "pointerdown", ({ text, note }) => ({ properties: { class: "offer" }, content: [foreign(text),
                note ? h("span", { class: "muted" }, foreign(note)) : null] }), ({ text }) => this.#take(text));
        this.#error.id = "filter-fault";
        this.element = h("div", { class: "searchbox filterbox" }, icon("search"), this.input, this.#list.element,
            this.#error);
        this.read("").then(({ names, taken }) => {
            this.names = names;
            this.taken = [...names, ...taken];
        }, () => {});
    }

    /** @param {string} text */
    read(text) {
        const known = this.#read.get(text);
        if (known) return known;
        if (this.#read.size >= mostKnown) this.#read.clear();
        const asked = call("filter", {}, { filter: text });
        this.#read.set(text, asked);
        // A failed request is repeated.
        asked.catch(() => this.#read.delete(text));
        return asked;
    }

    /** @param {string} text */
    draw(text) {
        if (!this.#isAhead && (document.activeElement !== this.input
            || this.input.value.trim() !== text)) this.input.value = text;
        this.read(text).then((read) => { if (this.input.value.trim() === text) this.#say(read); }, () => {});
    }

    #typed() {
        clearTimeout(this.#typing);
        this.#isAhead = true;
        this.#offer();
        this.#typing = setTimeout(() => { this.#finish(); }, typingPause);
    }

    /** Takes what is typed at once; resolves to the API's reading. */
    async take() {
        clearTimeout(this.#typing);
        await this.#finish();
        return this.read(this.input.value.trim());
    }

    async #finish() {
        const text = this.input.value.trim();
        const read = await this.read(text).catch(() => noFilter);
        // Whoever has moved on to another screen is not called back.
        if (this.input.value.trim() !== text && this.input.isConnected) return;
        this.#isAhead = false;
        if (!this.input.isConnected) return;
        this.#say(read);
        if (read.error === null) this.apply(text);
    }

    /** @param {ReadFilter} read */
    #say({ error }) {
        this.#error.hidden = error === null;
        this.input.setAttribute("aria-invalid", String(error !== null));
        if (error === null) return;
        const text = this.input.value;
        const start = text.length - text.trimStart().length;
        this.#mark.textContent = [...text].slice(0, start + Number(error.column) - 1).join("");
        this.#fault.textContent = this.context.t("filter.fault",
            { column: String(error.column), message: error.message });
    }

    // Suggestions.

    /** The word at the caret, and where it starts and ends. */
    #word() {
        const end = this.input.selectionStart ?? this.input.value.length;
        const before = this.input.value.slice(0, end);
        const start = /(?:^|[\s(])-?(?<word>(?:"(?:[^"\\]|\\.)*"?|[^\s()"])*)$/su.exec(before)?.groups?.word ?? "";
        return { start: end - start.length, end, word: start };
    }

    #offer() {
        const { word } = this.#word();
        const known = /^(?<name>"(?:[^"\\]|\\.)*"|[^\s"=:<>!]+)(?<sign>!=|[<>]=?|[=:])(?<rest>.*)$/su.exec(word)?.groups;
        const offers = known ? this.#values(known.name, known.sign, known.rest) : this.#columns(word);
        this.#list.open(offers.filter(({ text }) => text !== word).slice(0, mostOffers));
    }

    /** @param {string} word */
    #columns(word) {
        const start = folded(word);
        if (start === "") return [];
        const { catalog, t } = this.context;
        /** @type {Map<string, string>} */
        const all = new Map(this.names.map((name) =>
            [`${name}${["has", "last", "after", "before", "time"].includes(name) ? ":" : "="}`, t("filter.builtin")]));
        const add = (/** @type {ColumnDefinition} */ { name, type }) =>
            all.set(`${writtenColumn(name, this.taken)}=`, type);
        for (const { columns } of catalog.events.values()) columns.forEach(add);
        catalog.common.forEach(add);
        for (const name of this.seen("")) {
            const text = `${writtenColumn(name, this.taken)}=`;
            if (!all.has(text)) all.set(text, "");
        }
        const found = [...all].filter(([text]) => folded(text).replace(/^"/, "").includes(start));
        const rank = (/** @type {string} */ text) => (folded(text).replace(/^"/, "").startsWith(start) ? 0 : 1);
        return found.sort(([left], [right]) => rank(left) - rank(right)).map(([text, note]) => ({ text, note }));
    }

    /** @param {string} name @param {string} sign @param {string} rest */
    #values(name, sign, rest) {
        const typed = /[^,]*$/.exec(rest)?.[0] ?? "";
        const before = rest.slice(0, rest.length - typed.length);
        const start = folded(typed.replace(/^"/, ""));
        const { catalog } = this.context;
        /** @type {Map<string, string>} */
        const all = new Map((values[name] ?? []).map((value) => [value, ""]));
        const plain = name.replace(/^"|"$/g, "");
        if (name === "tag" || name === "name") {
            for (const { event } of catalog.events.values()) all.set(written(event.tag), event.description);
        }
        for (const columns of [catalog.common, ...[...catalog.events.values()].map((defined) => defined.columns)]) {
            for (const column of columns) {
                if (column.name !== plain) continue;
                for (const { value, description } of column.values) all.set(written(value), description);
            }
        }
        for (const value of this.seen(plain)) if (!all.has(value)) all.set(value, "");
        return [...all].filter(([text]) => folded(text).includes(start))
            .map(([text, note]) => ({ text: `${name}${sign}${before}${text}`, note }));
    }

    /** @param {string} text */
    #take(text) {
        const { start, end } = this.#word();
        const { value } = this.input;
        const isWhole = !/[=:]$/.test(text);
        const space = isWhole && !/^\s/.test(value.slice(end)) ? " " : "";
        this.input.value = value.slice(0, start) + text + space + value.slice(end);
        const place = start + text.length + (isWhole ? 1 : 0);
        this.input.setSelectionRange(place, place);
        if (isWhole) this.#list.close();
        else this.#offer();
        clearTimeout(this.#typing);
        this.#finish();
    }

    /** @param {KeyboardEvent} event */
    #keyed(event) {
        if (event.isComposing) return;
        if (event.key === "Enter" && this.#list.active < 0) {
            this.#list.close();
            clearTimeout(this.#typing);
            this.#finish();
        } else if (this.#list.takes(event)) {
            event.preventDefault();
            event.stopPropagation();
        }
    }
}
