// @ts-check
// What narrows the requests: words, status, type, and a least size or time.

import { h, icon, replaceChildren } from "../base/dom.js";
import { bytes, duration } from "../base/format.js";
import { statuses, types } from "../model/exchange.js";

const typingPause = 120;
const leasts = ["500ms", "1000ms", "3000ms", "100kb", "1000kb"];

export class RequestFilter {
    /**
     * The filter that is drawn.
     * @type {Params}
     */
    #filter = {};
    /** @type {number | undefined} */
    #typing;
    #chips;
    narrowed = h("div", { class: "narrowed" });

    /**
     * @param {PageContext} context
     * @param {(change: Params) => void} apply puts parameters into the address
     */
    constructor(context, apply) {
        const { t, language } = context;
        this.context = context;
        this.apply = apply;
        this.search = h("input", {
            class: "field", type: "search", placeholder: t("net.search"), "aria-label": t("net.search"),
            autocomplete: "off", spellcheck: "false", on: { input: () => this.#typed() },
        });
        this.#chips = statuses.map((name) => h("button", {
            class: "chip plain", type: "button", "data-status": name, "aria-pressed": "false",
            on: { click: () => this.#toggleStatus(name) },
        }, name === "failed" ? t("net.failed") : name));
        this.statuses = h("div", { class: "chips", role: "group", "aria-label": t("net.status") }, this.#chips);
        this.type = picker(t("net.type"), [["", t("net.anyType")], ...types.map((name) => [name, t(`net.type.${name}`)])],
            (type) => apply({ type }));
        this.min = picker(t("net.least"), [["", t("net.anySize")],
            ...leasts.map((least) => [least, t("net.from", { least: leastText(least, language) })])],
        (min) => apply({ min }));
    }

    #typed() {
        clearTimeout(this.#typing);
        this.#typing = setTimeout(() => {
            if (this.search.isConnected) this.apply({ q: this.search.value.trim() });
        }, typingPause);
    }

    /** @param {string} name */
    #toggleStatus(name) {
        const active = new Set((this.#filter.status ?? "").split(","));
        if (!active.delete(name)) active.add(name);
        this.apply({ status: statuses.filter((one) => active.has(one)).join(",") });
    }

    /** @param {Params} filter */
    draw(filter) {
        const { t } = this.context;
        const { q = "", type = "", min = "", status = "", session } = this.#filter = filter;
        if (document.activeElement !== this.search || this.search.value.trim() !== q) this.search.value = q;
        this.type.value = type;
        this.min.value = min;
        const active = status.split(",");
        for (const chip of this.#chips) {
            chip.setAttribute("aria-pressed", String(active.includes(chip.dataset.status ?? "")));
        }
        replaceChildren(this.narrowed, session ? h("button", { class: "chip removable", type: "button",
            title: t("history.remove"), on: { click: () => this.apply({ session: "" }) } },
        `${t("filter.session")} `, h("bdi", null, session), icon("close")) : null);
    }
}

/**
 * @param {string} label
 * @param {string[][]} options values and their words
 * @param {(value: string) => void} choose
 */
function picker(label, options, choose) {
    const field = h("select", { class: "field", "aria-label": label, on: { change() { choose(field.value); } } },
        options.map(([value, words]) => h("option", { value }, words)));
    return field;
}

/**
 * @param {string} least
 * @param {Language} language
 */
function leastText(least, language) {
    const amount = parseInt(least, 10);
    return least.endsWith("kb") ? bytes(amount * 1_000, language) : duration(amount * 1_000_000, language);
}
