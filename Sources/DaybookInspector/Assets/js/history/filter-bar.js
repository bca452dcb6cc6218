// @ts-check
// The history's filters: the search field, time, level and kinds, and a chip for each part of the filter, to switch
// off, invert or remove.

import { button, choiceField, labelled, press } from "../base/controls.js";
import { closeButton, openDialog } from "../base/dialog.js";
import { foreign, h, icon, replaceChildren } from "../base/dom.js";
import { kinds, levels, milliseconds, nanoseconds, stretch } from "../base/format.js";
import { joined, noFilter, offText, replacing, switchedOff, timeless, toggled, turned } from "../model/filter.js";
import { FilterField } from "./filter-field.js";

export const stretches = ["15m", "1h", "1d", "7d"];

export class FilterBar {
    /** @type {Params} the address's, as it was drawn last */
    #params = {};
    /** The API's reading of the filter. */
    #read = noFilter;
    #chips;
    #parts = h("span", { class: "narrowed parts" });
    #others = h("span", { class: "narrowed" });

    /** @param {PageContext} context @param {(change: Params) => void} apply puts parameters into the address
     * @param {(name: string) => Set<string>} seen values that loaded records have under a name */
    constructor(context, apply, seen) {
        const { t } = context;
        this.context = context;
        this.apply = apply;
        this.field = new FilterField(context, (filter) => apply({ filter }), seen);
        this.search = this.field.input;
        this.time = choiceField([["", t("time.any")], ...stretches.map((last) => [last, t(`time.last${last}`)]),
            ["own", t("time.own")]], null, () => this.#chooseTime(), { "aria-label": t("filter.time") });
        this.level = choiceField([["", t("history.anyLevel")],
            ...levels.slice(1).map((name) => [name, t("history.levelFrom", { level: t(`level.${name}`) })])], null,
        (level) => apply({ level }), { "aria-label": t("history.level") });
        this.#chips = kinds.map((kind) => button("chip", [icon(kind), t(`kind.${kind}`)],
            () => apply({ kind: toggled(kinds, this.#params.kind, kind) }),
            { "data-kind": kind, "aria-pressed": "false" }));
        this.kindChips = h("div", { class: "kinds", role: "group", "aria-label": t("history.kind") }, this.#chips);
        this.narrowed = h("div", { class: "narrowed" }, this.#parts, this.#others);
    }

    // The time.

    async #chooseTime() {
        const { value } = this.time;
        if (value === "own") {
            this.#drawTime();
            return this.#askTime();
        }
        // Typed text that has not reached the address yet is kept.
        const read = await this.field.take().catch(() => this.#read);
        const rest = timeless(read.error ? this.#read : read);
        this.apply({ since: "", until: "", filter: joined(rest, value && `last:${value}`) });
    }

    /** Asks for a range in local time. */
    #askTime() {
        const { t } = this.context;
        const field = (/** @type {string | undefined} */ time) => h("input", { class: "field", type: "datetime-local",
            step: "1", value: time ? localTime(time) : null });
        const from = field(this.#params.since);
        const to = field(this.#params.until);
        openDialog("span", t("time.own"), h("form", { method: "dialog", class: "spanform", on: { submit: () => {
            this.apply({ since: timeParameter(from.value), until: timeParameter(to.value),
                filter: timeless(this.#read) });
        } } }, labelled(t("time.from"), from), labelled(t("time.to"), to), h("div", { class: "actions" },
            h("button", { class: "button", type: "submit" }, t("time.show")), closeButton(t))));
    }

    #drawTime() {
        const last = this.#read.parts.find(({ name }) => name === "last")?.text.replace(/^last[:=]/, "") ?? "";
        const isOwn = Boolean(this.#params.since || this.#params.until) || (last !== "" && !stretches.includes(last));
        this.time.value = isOwn ? "own" : last;
    }

    /** @param {Params} params */
    draw(params) {
        this.#params = params;
        this.field.draw(params.filter ?? "");
        this.level.value = params.level ?? "";
        const active = (params.kind ?? "").split(",");
        press(this.#chips, ({ dataset }) => active.includes(dataset.kind ?? ""));
        replaceChildren(this.#others, this.#plainChip("run", (run) => `#${run}`),
            this.#plainChip("violations", (cause) =>
            (cause === "1" ? "" : causeWords(cause))), this.#timeChip());
        this.field.read(params.filter ?? "").then((read) => {
            if (this.#params !== params) return;
            this.#read = read;
            this.#drawParts();
        }, () => {});
    }

    #drawParts() {
        const { parts } = this.#read;
        // Plain words stay in the field; anything more gets a chip per part.
        const isPlain = parts.every(({ name, negated, text }) => name === null && !negated && /^[^"(=<>]*$/.test(text));
        const off = switchedOff(this.#params);
        replaceChildren(this.#parts, isPlain ? null : parts.map((part, index) => this.#partChip(part, index)),
            off.map((text) => this.#offChip(text, off)));
        this.#drawTime();
    }

    /** @param {FilterPart} part @param {number} index */
    #partChip(part, index) {
        const { t } = this.context;
        const off = () => this.apply({ filter: replacing(this.#read, index),
            off: offText([...switchedOff(this.#params), part.text]) });
        const turn = () => this.apply({ filter: replacing(this.#read, index, turned(part)) });
        const turnWords = t(part.negated ? "filter.include" : "filter.exclude");
        return h("span", { class: "term", "data-off": "false", "data-not": String(part.negated) },
            button("termtext", foreign(part.text), off, { title: t("filter.off"), "aria-pressed": "true" }),
            button("termtool", "≠", turn, { title: turnWords, "aria-label": turnWords }),
            this.#removeButton(() => this.apply({ filter: replacing(this.#read, index) })));
    }

    /** @param {string} text @param {string[]} all */
    #offChip(text, all) {
        const { t } = this.context;
        const rest = offText(all.filter((other) => other !== text));
        const on = () => this.apply({ filter: joined(this.#params.filter ?? "", text), off: rest });
        return h("span", { class: "term", "data-off": "true", "data-not": "false" },
            button("termtext", foreign(text), on, { title: t("filter.on"), "aria-pressed": "false" }),
            this.#removeButton(() => this.apply({ off: rest })));
    }

    /** A filter that can only be removed: a run, or a cause of violations.
     * @param {"run" | "violations"} name @param {(value: string) => string} words empty for no chip */
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
        return h("span", { class: "term" }, h("span", { class: "termtext" }, `${t("filter.time")} `,
            h("span", null, stretch(since, until, Date.now(), language))),
            this.#removeButton(() => this.apply({ since: "", until: "" })));
    }

    /** @param {() => void} remove */
    #removeButton(remove) {
        const words = this.context.t("history.remove");
        return button("termtool", icon("close"), remove, { title: words, "aria-label": words });
    }
}

/** For a date field.
 * @param {Nanoseconds} time */
function localTime(time) {
    const date = new Date(milliseconds(time));
    return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

/** From a date field to a parameter; empty for none.
 * @param {string} local */
function timeParameter(local) {
    const time = new Date(local).getTime();
    return Number.isNaN(time) ? "" : nanoseconds(time);
}

/** `wrong_type:article_id` for reading; the column's name stays.
 * @param {string} cause */
function causeWords(cause) {
    const [kind, ...column] = cause.split(":");
    return [kind.replaceAll("_", " "), ...column].join(" · ");
}
