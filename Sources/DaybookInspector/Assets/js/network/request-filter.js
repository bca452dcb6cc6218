// @ts-check
// The requests' filter: words, status, type, and a minimum size or time.

import { button, chip, choiceField, press, searchField } from "../base/controls.js";
import { h, icon, replaceChildren } from "../base/dom.js";
import { bytes, duration } from "../base/format.js";
import { statuses, types } from "../model/exchange.js";
import { toggled } from "../model/filter.js";

const typingPause = 120;
const leasts = ["500ms", "1000ms", "3000ms", "100kb", "1000kb"];

export class RequestFilter {
    /** @type {Params} the filter that is drawn */
    #filter = {};
    #chips;
    narrowed = h("div", { class: "narrowed" });

    /** @param {PageContext} context @param {(change: Params) => void} apply puts parameters into the address */
    constructor(context, apply) {
        const { t, language } = context;
        this.context = context;
        this.apply = apply;
        this.search = searchField(t("net.search"), typingPause, (q) => { if (this.search.isConnected) apply({ q }); });
        this.#chips = statuses.map((name) => chip(name === "failed" ? t("net.failed") : name,
            () => apply({ status: toggled(statuses, this.#filter.status, name) }), { "data-status": name }));
        this.statuses = h("div", { class: "chips", role: "group", "aria-label": t("net.status") }, this.#chips);
        this.type = choiceField([["", t("net.anyType")], ...types.map((name) => [name, t(`net.type.${name}`)])], null,
            (type) => apply({ type }), { "aria-label": t("net.type") });
        this.min = choiceField([["", t("net.anySize")],
            ...leasts.map((least) => [least, t("net.from", { least: leastText(least, language) })])], null,
        (min) => apply({ min }), { "aria-label": t("net.least") });
    }

    /** @param {Params} filter */
    draw(filter) {
        const { t } = this.context;
        const { q = "", type = "", min = "", status = "", session } = this.#filter = filter;
        if (document.activeElement !== this.search || this.search.value.trim() !== q) this.search.value = q;
        this.type.value = type;
        this.min.value = min;
        const active = status.split(",");
        press(this.#chips, ({ dataset }) => active.includes(dataset.status ?? ""));
        replaceChildren(this.narrowed, session
            ? button("chip removable", [`${t("filter.session")} `, h("bdi", null, session),
            icon("close")], () => this.apply({ session: "" }), { title: t("history.remove") }) : null);
    }
}

/** @param {string} least @param {Language} language */
function leastText(least, language) {
    const amount = parseInt(least, 10);
    return least.endsWith("kb") ? bytes(amount * 1_000, language) : duration(amount * 1_000_000, language);
}
