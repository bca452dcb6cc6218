// @ts-check
// What narrows the history: the search field, the level, kinds, and a chip for every other filter, which can be switched
// off, turned around and removed.

import { foreign, h, icon, replaceChildren } from "../base/dom.js";
import { kinds, levels, stretch } from "../base/format.js";
import { terms, withTerms } from "../model/filter.js";

/** @typedef {import("../model/filter.js").Term} Term */

const typingPause = 200;

export class FilterBar {
    /**
     * The address's, as it was drawn last.
     * @type {Params}
     */
    #params = {};
    /** @type {number | undefined} */
    #typing;
    #chips;

    /**
     * @param {PageContext} context
     * @param {(change: Params) => void} apply puts parameters into the address
     */
    constructor(context, apply) {
        const { t } = context;
        this.context = context;
        this.apply = apply;
        this.search = h("input", {
            class: "field", type: "search", placeholder: t("history.search"), "aria-label": t("history.search"),
            autocomplete: "off", spellcheck: "false", on: { input: () => this.#typed() },
        });
        this.level = h("select", { class: "field", "aria-label": t("history.level"),
            on: { change: () => { apply({ level: this.level.value }); } } },
        levels.map((name) => h("option", { value: name === "trace" ? "" : name },
            name === "trace" ? t("history.anyLevel") : t("history.levelFrom", { level: t(`level.${name}`) }))));
        this.#chips = kinds.map((kind) => h("button", {
            class: "chip", type: "button", "data-kind": kind, "aria-pressed": "false",
            on: { click: () => this.#toggleKind(kind) },
        }, icon(kind), t(`kind.${kind}`)));
        this.kindChips = h("div", { class: "kinds", role: "group", "aria-label": t("history.kind") }, this.#chips);
        this.narrowed = h("div", { class: "narrowed" });
    }

    #typed() {
        clearTimeout(this.#typing);
        // Who has gone on to another screen is not called back.
        this.#typing = setTimeout(() => {
            if (this.search.isConnected) this.apply({ q: this.search.value.trim() });
        }, typingPause);
    }

    /** @param {Kind} kind */
    #toggleKind(kind) {
        const active = new Set((this.#params.kind ?? "").split(","));
        if (!active.delete(kind)) active.add(kind);
        this.apply({ kind: kinds.filter((name) => active.has(name)).join(",") });
    }

    /** @param {Params} params */
    draw(params) {
        this.#params = params;
        const text = params.q ?? "";
        if (document.activeElement !== this.search || this.search.value.trim() !== text) this.search.value = text;
        this.level.value = params.level ?? "";
        const active = (params.kind ?? "").split(",");
        for (const chip of this.#chips) chip.setAttribute("aria-pressed", String(active.includes(chip.dataset.kind ?? "")));
        const all = terms(params);
        replaceChildren(this.narrowed, all.map((term, index) => this.#termChip(term, all, index)),
            this.#plainChip("run", (run) => `#${run}`), this.#plainChip("violations", (cause) =>
                (cause === "1" ? "" : causeWords(cause))), this.#timeChip());
    }

    /**
     * @param {Term} term
     * @param {Term[]} all
     * @param {number} index
     */
    #termChip(term, all, index) {
        const { t } = this.context;
        const change = (/** @type {Partial<Term>} */ by) => () => this.apply(withTerms(this.#params,
            all.map((one, other) => (other === index ? { ...one, ...by } : one))));
        const remove = () => this.apply(withTerms(this.#params, all.filter((_, other) => other !== index)));
        const turn = t(term.isNot ? "filter.include" : "filter.exclude");
        return h("span", { class: "term", "data-off": String(term.isOff), "data-not": String(term.isNot) },
            h("button", { type: "button", class: "termtext", title: t(term.isOff ? "filter.on" : "filter.off"),
                "aria-pressed": String(!term.isOff), on: { click: change({ isOff: !term.isOff }) } },
            `${t(`filter.${term.name}`)} `, h("span", { class: "sign" }, term.isNot ? "≠" : "="), " ", foreign(term.value)),
            h("button", { type: "button", class: "termtool", title: turn, "aria-label": turn,
                on: { click: change({ isNot: !term.isNot }) } }, "≠"),
            this.#removeButton(remove));
    }

    /**
     * What narrows and can only be removed: the records of a run, one cause of violations.
     * @param {"run" | "violations"} name
     * @param {(value: string) => string} words empty for no chip
     */
    #plainChip(name, words) {
        const text = words(this.#params[name] ?? "");
        if (!this.#params[name] || text === "") return null;
        return h("span", { class: "term" },
            h("span", { class: "termtext" }, `${this.context.t(`filter.${name}`)} `, foreign(text)),
            this.#removeButton(() => this.apply({ [name]: "" })));
    }

    #timeChip() {
        const { t, language } = this.context;
        const { since, until } = this.#params;
        if (!since && !until) return null;
        const range = stretch(since, until, Date.now(), language);
        return h("span", { class: "term" },
            h("span", { class: "termtext" }, `${t("filter.time")} `, h("span", null, range)),
            this.#removeButton(() => this.apply({ since: "", until: "" })));
    }

    /** @param {() => void} press */
    #removeButton(press) {
        const words = this.context.t("history.remove");
        return h("button", { type: "button", class: "termtool", title: words, "aria-label": words, on: { click: press } },
            icon("close"));
    }
}

/**
 * `wrong_type:article_id` for a reader; a column's name stays as it is.
 * @param {string} cause
 */
function causeWords(cause) {
    const [kind, ...column] = cause.split(":");
    return [kind.replaceAll("_", " "), ...column].join(" · ");
}
