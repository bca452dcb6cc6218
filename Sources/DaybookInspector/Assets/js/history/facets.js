// @ts-check
// The filtered records by name, session, version and so on, with counts; a click narrows.

import { call, eachPart, recordQuery } from "../base/api.js";
import { button, quietButton } from "../base/controls.js";
import { foreign, h, replaceChildren } from "../base/dom.js";
import { cut, levelName, numberText } from "../base/format.js";
import { fold } from "../base/pane.js";
import { Losses, ViolationGroups } from "./findings.js";
import { Recount } from "./recount.js";

export const fields = ["tag", "level", "version", "session", "module", "installation"];
const shownAtFirst = 8;
const pause = 3_000;

/** @typedef {Map<string, Map<string, number>>} FacetSums how often each value of each field occurs */

export class Facets {
    #recount;
    /** @type {Set<string>} fields whose values are all shown */
    #whole = new Set();
    #shut = new Set(["installation"]);
    #content = h("div", { class: "content facets" });
    #status = h("p", { class: "muted", role: "status" });

    /** @param {PageContext} context @param {() => Params} params the address's
     * @param {(change: Params) => void} apply puts others there
     * @param {(name: string, value: string, how: "only" | "not", more?: Params) => void} narrow */
    constructor(context, params, apply, narrow) {
        this.context = context;
        this.params = params;
        this.apply = apply;
        this.narrow = narrow;
        this.counts = h("div", null, this.#status, this.#content);
        this.groups = new ViolationGroups(context, params, narrow);
        this.losses = new Losses(context);
        this.element = h("div", { class: "facetpane" },
            h("header", { class: "panetop" }, h("span", { class: "panetitle" }, context.t("facets.title"))),
            this.losses.element, this.groups.element, this.counts);
        this.#recount = new Recount(context, () => this.element, pause,
            (filter, signal) => this.#count(filter, signal));
    }

    /** @param {RecordQuery} next */
    show(next) {
        this.groups.show(next, Boolean(this.params().violations));
        this.#recount.show(next);
    }

    /** @param {RecordQuery} filter @param {AbortSignal} signal */
    async #count(filter, signal) {
        const { t } = this.context;
        this.losses.begin();
        /** @type {FacetSums} */
        const sums = new Map(fields.map((field) => [field, new Map()]));
        let missing = 0;
        await eachPart((before) => call(`facets?${recordQuery({ ...filter, fields: fields.join(","), before })}`,
            { signal }), (answer, before) => {
                add(sums, answer);
                missing += Math.max(0, ...Object.values(answer.cut).map(({ most }) => Number(most)));
                const isLast = answer.next === null;
                if (!this.#recount.shows(isLast)) return;
                this.#draw(sums);
                this.#status.textContent = !isLast ? t("facets.counting", {
                    done: Number(answer.progress.done), all: Number(answer.progress.total) })
                    : missing === 0 || before === "" ? "" : t("facets.missing", { n: missing });
            });
    }

    /** @param {FacetSums} sums */
    #draw(sums) {
        replaceChildren(this.#content, fields.map((field) => this.#facet(field, [...sums.get(field) ?? []]
            .filter(([value]) => value !== "").sort(([, left], [, right]) => right - left))));
    }

    /** @param {string} field @param {[value: string, count: number][]} values the most frequent first */
    #facet(field, values) {
        if (values.length === 0) return null;
        const { t } = this.context;
        const most = values[0][1];
        const isWhole = this.#whole.has(field);
        const list = h("ul", { class: "facet" }, values.slice(0, isWhole ? values.length : shownAtFirst)
            .map(([value, count]) => this.#line(field, value, count, count / most)));
        const rest = values.length - shownAtFirst;
        if (rest > 0 && !isWhole) list.append(h("li", null, quietButton(t("json.more", { n: rest }), () => {
            this.#whole.add(field);
            this.#recount.start();
        })));
        const title = t(field === "level" ? "history.level" : `filter.${field}`);
        const details = fold(h("span", { class: "heading" }, title), list, !this.#shut.has(field));
        details.addEventListener("toggle", () => {
            if (details.open) this.#shut.delete(field);
            else this.#shut.add(field);
        });
        return details;
    }

    /** @param {string} field @param {string} value @param {number} count
     * @param {number} ofMost its share of the most frequent value's */
    #line(field, value, count, ofMost) {
        const { t, language } = this.context;
        const share = h("span", { class: "share" });
        share.style.setProperty("width", `${ofMost * 100}%`);
        const isLevel = field === "level";
        const words = isLevel ? t(`level.${levelName(Number(value))}`) : foreign(cut(value, 120));
        const number = numberText(count, language);
        const narrow = () => (isLevel ? this.apply({ level: levelName(Number(value)) })
            : this.narrow(field, value, "only"));
        return h("li", { class: "facetline" },
            button("facetvalue", [share, h("span", { class: "facettext" }, words),
                h("span", { class: "number" }, number)], narrow, { title: value, "data-item": `${field}=${value}` }),
            isLevel ? h("span", { class: "termtool" })
                : button("termtool", "≠", () => this.narrow(field, value, "not"), { title: t("filter.exclude"),
                    "data-item": `${field}≠${value}`, "aria-label": `${t("filter.exclude")} ${value}` }));
    }
}

/** @param {FacetSums} sums @param {FacetCounts} answer */
function add(sums, answer) {
    for (const [field, values] of Object.entries(answer.values)) {
        const sum = sums.get(field) ?? new Map();
        for (const { value, count } of values) sum.set(value, (sum.get(value) ?? 0) + Number(count));
        sums.set(field, sum);
    }
}
